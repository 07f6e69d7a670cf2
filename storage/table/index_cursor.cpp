#include "storage/table/index_cursor.h"

#include <algorithm>
#include <optional>

namespace indigo::storage {

namespace {
constexpr size_t kMaxBatch = 128, kMaxEntries = 1024;
constexpr size_t kFirstBatch = 8;
}  // namespace

IndexCursor::IndexCursor(TableImpl& table, TransactionImpl& txn, const ReadView& view,
                         std::shared_ptr<TableIndex> index, const KeyRange& range, Direction direction,
                         bool entries_only)
    : table_(table), txn_(txn), view_(view), index_(std::move(index)), entries_only_(entries_only) {
  if (index_ == nullptr) return;
  scan_ = index_->index->scan(range, direction);
  read_.begin(txn_, view_, index_->id.value, range, direction);
}

void IndexCursor::rebind(const KeyRange& range, const ReadView& view, Direction direction) {
  view_ = view;
  batch_ = kFirstBatch;
  if (scan_ == nullptr) return;
  scan_->rebind(range, direction);
  read_.begin(txn_, view_, index_->id.value, range, direction);
}

StorageStatus IndexCursor::next(std::span<RowRef> out, size_t& count) {
  count = 0;
  while (scan_ != nullptr && count == 0) {
    std::optional<uint64_t> still;
    if (entries_only_) still = table_.entries_are_rows(txn_, view_, *index_);
    const auto entries = scan_->next(std::min(batch_, out.size()));
    txn_.shown(table_.gone());
    if (entries.empty()) {
      read_.reached_end(txn_);
      break;
    }
    batch_ = std::min(batch_ * 2, entries_only_ ? kMaxEntries : kMaxBatch);
    if (still && table_.stillness().holds(*still)) {
      txn_.shown(table_.stillness().newest());
      for (const IndexEntry& e : entries) out[count++] = {e.primary_key, e.key};
      break;
    }
    const StorageStatus status = verify(entries, out, count);
    if (status != StorageStatus::kOk) return status;
  }
  return StorageStatus::kOk;
}

StorageStatus IndexCursor::verify(std::span<const IndexEntry> entries, std::span<RowRef> out, size_t& count) {
  const size_t n = entries.size();
  keys_.clear();
  for (const IndexEntry& e : entries) keys_.push_back(e.primary_key);
  if (rows_.size() < n) rows_.resize(n);
  // Many scans find nothing.
  if (found_ == nullptr) found_ = std::make_unique_for_overwrite<bool[]>(entries_only_ ? kMaxEntries : kMaxBatch);
  table_.read_many(txn_, view_, keys_, std::span(rows_).first(n), std::span(found_.get(), n));
  read_.reached(txn_, entries.back().key);
  for (size_t i = 0; i < n; i++) {
    if (!found_[i]) continue;
    bool has_null;
    const auto outcome = index_->extractor->extract(entries[i].primary_key, rows_[i], row_key_, has_null);
    if (outcome == KeyExtractor::Outcome::kError) return StorageStatus::kKeyError;
    if (outcome == KeyExtractor::Outcome::kNotIndexed || row_key_ != entries[i].key) continue;
    const StorageStatus noted = txn_.note_read(table_.id().value, entries[i].primary_key, view_, true);
    if (noted != StorageStatus::kOk) return noted;
    out[count++] = {entries[i].primary_key, entries_only_ ? entries[i].key : Bytes(rows_[i])};
  }
  return StorageStatus::kOk;
}

}  // namespace indigo::storage
