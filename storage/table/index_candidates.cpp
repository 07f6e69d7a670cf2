#include "storage/index_candidates.h"

#include <algorithm>

#include "base/fiber/sort_keys.h"
#include "storage/okvl/key_locks.h"
#include "storage/ssn/range_read.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

constexpr size_t kFirstBatch = 16, kGreatestBatch = 256;

bool is_point(const KeyRange& range) {
  return range.has_low && range.has_high && range.high_inclusive && range.low == range.high;
}
bool is_before(Bytes key, const KeyRange& range) {
  return range.has_low && (range.low_inclusive ? key < range.low : key <= range.low);
}
bool is_behind(Bytes key, const KeyRange& range) {
  return range.has_high && (range.high_inclusive ? key > range.high : key >= range.high);
}

// Walks through the entries of ranges that ascend, over what lies between them: where the entry that it meets is behind a range,
// the range is done without having been looked for.
class RangesWalk {
 public:
  RangesWalk(Index& index, std::span<const KeyRange> ranges, KeyFilter* filter)
      : index_(index), ranges_(ranges), filter_(filter) {}

  // Calls take(entry) for some entries, in their order; it answers false to stop. False: there are no more, or it stopped.
  template <class Take>
  bool next(Take take) {
    if (scan_ == nullptr) seek();
    const auto entries = scan_->next(batch_);
    if (entries.empty()) return false;
    bool passed_over = false;
    for (const IndexEntry& entry : entries) {
      if (!from_.empty() && entry.key < from_) {
        passed_over = true;
        continue;
      }
      const Met met = meet(entry.key);
      if (met == Met::kEnd) return false;
      if (met == Met::kWanted && !take(entry)) return false;
    }
    batch_ = passed_over ? kFirstBatch : std::min(batch_ * 2, kGreatestBatch);
    // Nothing to be had from where this batch ends to there.
    if (!from_.empty() && entries.back().key < from_) scan_.reset();
    return true;
  }

 private:
  enum class Met { kWanted, kNot, kEnd };

  Met meet(Bytes key) {
    from_.clear();
    while (is_behind(key, ranges_[at_])) {
      if (++at_ == ranges_.size()) return Met::kEnd;
      inside_ = false;
    }
    if (!inside_ && is_before(key, ranges_[at_])) {
      from_ = ranges_[at_].low;
      return Met::kNot;
    }
    inside_ = true;
    if (filter_ == nullptr) return Met::kWanted;
    switch (filter_->meet(key, from_)) {
      case KeyFilter::Answer::kWanted: return Met::kWanted;
      case KeyFilter::Answer::kNot:
      case KeyFilter::Answer::kSkip: return Met::kNot;
      case KeyFilter::Answer::kDone: break;
    }
    if (++at_ == ranges_.size()) return Met::kEnd;
    inside_ = false;
    from_ = ranges_[at_].low;
    return Met::kNot;
  }

  void seek() {
    KeyRange rest = ranges_.back();
    const KeyRange& first = ranges_[at_];
    rest.has_low = first.has_low;
    rest.low_inclusive = first.low_inclusive;
    rest.low = first.low;
    if (!from_.empty()) {
      rest.has_low = rest.low_inclusive = true;
      rest.low = from_;
    }
    scan_ = index_.scan(rest, Direction::kForward);
    batch_ = ranges_.size() == 1 && filter_ == nullptr ? kGreatestBatch : kFirstBatch;
  }

  Index& index_;
  const std::span<const KeyRange> ranges_;
  KeyFilter* const filter_;
  std::unique_ptr<IndexScan> scan_;
  size_t at_ = 0;        // of the range that the walk is in, or comes to
  bool inside_ = false;  // an entry was met that is not before it
  std::string from_;     // entries before it are of no use; empty: all are
  size_t batch_ = kFirstBatch;
};

}  // namespace

StorageStatus index_candidates(Table& table, Transaction& transaction, const ReadView& view, IndexId id,
                               std::span<const KeyRange> ranges, KeyFilter* filter, size_t most, Candidates& out) {
  out.all = false;
  out.primary_keys.clear();
  auto& owner = static_cast<TableImpl&>(table);
  auto& txn = static_cast<TransactionImpl&>(transaction);
  const std::shared_ptr<TableIndex> index = owner.find_index(id);
  if (index == nullptr || ranges.empty()) return StorageStatus::kOk;
  const bool point = ranges.size() == 1 && is_point(ranges[0]);
  if (txn.locks_reads(view)) {
    out.all = !point;
    if (out.all) return StorageStatus::kOk;
    const KeySpace space(owner, *index);
    const StorageStatus locked = KeyLocks(txn, space).read_value(ranges[0].low);
    if (locked != StorageStatus::kOk) return locked;
  }
  std::vector<RangeRead> reads(txn.serializable() == nullptr ? 0 : ranges.size());
  for (size_t i = 0; i < reads.size(); i++) reads[i].begin(txn, view, id.value, ranges[i], Direction::kForward);
  RangesWalk walk(*index->index, ranges, filter);
  bool more = true;
  while (more && !out.all) {
    more = walk.next([&](const IndexEntry& entry) {
      out.all = out.primary_keys.size() == most;
      if (!out.all) out.primary_keys.emplace_back(entry.primary_key);
      return !out.all;
    });
    txn.shown(owner.gone());
    if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
    Waiter::current().yield_if_due();
  }
  if (out.all) return StorageStatus::kOk;
  for (RangeRead& read : reads) read.reached_end(txn);
  if (point) return StorageStatus::kOk;
  sort_keys(out.primary_keys);
  out.primary_keys.erase(std::unique(out.primary_keys.begin(), out.primary_keys.end()), out.primary_keys.end());
  return StorageStatus::kOk;
}

}  // namespace indigo::storage
