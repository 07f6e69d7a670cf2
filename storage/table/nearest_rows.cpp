#include "storage/nearest_rows.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "storage/index/hnsw/hnsw_index.h"
#include "storage/index/key_list.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

class NearestRows final : public Cursor {
 public:
  NearestRows(TableImpl& table, TransactionImpl& txn, const ReadView& view, std::shared_ptr<TableIndex> index,
              std::string target, size_t wanted)
      : table_(table),
        txn_(txn),
        view_(view),
        index_(std::move(index)),
        target_(std::move(target)),
        wanted_(wanted),
        seen_(std::make_unique<bool[]>(kMostRows)) {}

  StorageStatus next(std::span<RowRef> out, size_t& count) override {
    count = 0;
    if (scan_ == nullptr) {
      if (const StorageStatus status = begin(); status != StorageStatus::kOk) return status;
    }
    while (count == 0 && !rest_) {
      if (at_ == candidates_.size() && !next_candidates()) break;
      if (const StorageStatus status = fetch(out, count); status != StorageStatus::kOk) return status;
    }
    return count > 0 ? StorageStatus::kOk : next_of_rest(out, count);
  }

  void rebind(const KeyRange&, const ReadView& view, Direction) override {
    view_ = view;
    scan_.reset();
    rest_.reset();
  }

 private:
  // Few at first: most queries want ten or so.
  static constexpr size_t kFirstKeys = 16, kMostRows = 128;
  struct Candidate {
    Bytes primary_key;  // in matches_
    size_t key;         // into keys_
  };

  StorageStatus begin() {
    keys_.clear();
    candidates_.clear();
    used_keys_ = at_ = 0;
    keys_at_once_ = kFirstKeys;
    if (txn_.serializable() != nullptr || txn_.locks_reads(view_)) {
      const auto all = table_.scan(txn_, view_, KeyRange::all(), Direction::kForward);
      std::vector<RowRef> rows(kMostRows);
      for (size_t n = 1; n > 0;) {
        if (const StorageStatus status = all->next(rows, n); status != StorageStatus::kOk) return status;
        if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
        Waiter::current().yield_if_due();
      }
    }
    scan_ = std::make_unique<NearestScan>(index().nearest(target_, wanted_));
    return StorageStatus::kOk;
  }

  HnswIndex& index() { return static_cast<HnswIndex&>(*index_->index); }

  // The candidates of the next keys, of which a search finds many; false: there are no more.
  bool next_candidates() {
    if (used_keys_ == keys_.size()) {
      keys_.clear();
      used_keys_ = 0;
      if (!scan_->next(keys_)) {
        rest_ = table_.scan(txn_, view_, KeyRange::all(), Direction::kForward);
        return false;
      }
    }
    const size_t n = std::min(keys_at_once_, keys_.size() - used_keys_);
    keys_at_once_ = std::min(2 * keys_at_once_, kMostRows);
    index().rows_of(std::span(keys_).subspan(used_keys_, n), matches_);
    candidates_.clear();
    at_ = 0;
    for (size_t i = 0; i < n; i++) {
      for (size_t k = matches_.begin_of(i); k < matches_.ends[i]; k++)
        candidates_.push_back({matches_.primary_keys[k], used_keys_ + i});
    }
    used_keys_ += n;
    txn_.shown(table_.gone());
    return true;
  }

  // The rows of the next candidates that the view sees with the candidate's key.
  StorageStatus fetch(std::span<RowRef> out, size_t& count) {
    if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
    Waiter::current().yield_if_due();
    const size_t n = std::min({kMostRows, out.size(), candidates_.size() - at_});
    if (images_.size() < n) images_.resize(n);
    batch_.clear();
    for (size_t i = 0; i < n; i++) batch_.push_back(candidates_[at_ + i].primary_key);
    const StorageStatus status =
        table_.get_many(txn_, view_, batch_, std::span(images_).first(n), std::span(seen_.get(), n));
    if (status != StorageStatus::kOk) return status;
    for (size_t i = 0; i < n; i++) {
      if (!seen_[i]) continue;
      const auto list = keys_of(batch_[i], images_[i]);
      if (!list) return StorageStatus::kKeyError;
      if (key_list_has(*list, keys_[candidates_[at_ + i].key].key.bytes())) out[count++] = {batch_[i], images_[i]};
    }
    at_ += n;
    return StorageStatus::kOk;
  }

  StorageStatus next_of_rest(std::span<RowRef> out, size_t& count) {
    count = 0;
    for (;;) {
      size_t n = 0;
      if (const StorageStatus status = rest_->next(out, n); status != StorageStatus::kOk || n == 0) return status;
      for (size_t i = 0; i < n; i++) {
        const auto list = keys_of(out[i].key, out[i].row);
        if (!list) return StorageStatus::kKeyError;
        bool given = false;
        for_each_key_beyond(*list, {}, [&](Bytes key) { return !(given = scan_->gave(key)); });
        if (!given) out[count++] = out[i];
      }
      if (count > 0) return StorageStatus::kOk;
    }
  }

  // The list of the row's keys, which is empty where it is not indexed; nothing: they cannot be computed.
  std::optional<Bytes> keys_of(Bytes primary_key, Bytes row) {
    bool has_null = false;
    switch (index_->extractor->extract(primary_key, row, list_, has_null)) {
      case KeyExtractor::Outcome::kKey: return Bytes(list_);
      case KeyExtractor::Outcome::kNotIndexed: return Bytes();
      case KeyExtractor::Outcome::kError: break;
    }
    return std::nullopt;
  }

  TableImpl& table_;
  TransactionImpl& txn_;
  ReadView view_;
  const std::shared_ptr<TableIndex> index_;
  const std::string target_;
  const size_t wanted_;
  std::unique_ptr<NearestScan> scan_;
  std::unique_ptr<Cursor> rest_;
  std::vector<NearestScan::Found> keys_;  // of the last search; the first used_keys_ have given their candidates
  size_t used_keys_ = 0, keys_at_once_ = kFirstKeys;
  IndexMatches matches_;
  std::vector<std::string> images_;
  std::vector<Candidate> candidates_;
  std::vector<Bytes> batch_;
  std::unique_ptr<bool[]> seen_;
  std::string list_;
  size_t at_ = 0;
};

}  // namespace

std::unique_ptr<Cursor> nearest_rows(Table& table, Transaction& transaction, const ReadView& view, IndexId id,
                                     std::string target, size_t wanted) {
  auto& owner = static_cast<TableImpl&>(table);
  auto& txn = static_cast<TransactionImpl&>(transaction);
  auto index = owner.find_index(id);
  if (index == nullptr || dynamic_cast<HnswIndex*>(index->index.get()) == nullptr)
    return table.scan(transaction, view, KeyRange::all(), Direction::kForward);
  return std::make_unique<NearestRows>(owner, txn, view, std::move(index), std::move(target), wanted);
}

}  // namespace indigo::storage
