#include "storage/okvl/locked_cursor.h"

#include <algorithm>
#include <array>

#include "storage/table/table_cursor.h"

namespace indigo::storage {

namespace {

constexpr size_t kFirstBatch = 8, kMaxBatch = 128;

bool is_point(const KeyRange& range) {
  return range.has_low && range.has_high && range.low_inclusive && range.high_inclusive && range.low == range.high;
}

KeySpace space_of(const TableImpl& table, const TableIndex* index) {
  return index == nullptr ? KeySpace(table) : KeySpace(table, *index);
}

}  // namespace

LockedCursor::LockedCursor(TableImpl& table, TransactionImpl& txn, const ReadView& view,
                           std::shared_ptr<TableIndex> index, const KeyRange& range, Direction direction)
    : table_(table),
      txn_(txn),
      view_(view),
      index_(std::move(index)),
      space_(space_of(table, index_.get())),
      locks_(txn, space_),
      range_(range),
      direction_(direction) {}

void LockedCursor::rebind(const KeyRange& range, const ReadView& view, Direction direction) {
  view_ = view;
  range_ = range;
  direction_ = direction;
  at_start_ = true;
  at_end_ = false;
  batch_ = row_count_ = next_row_ = 0;
}

StorageStatus LockedCursor::next(std::span<RowRef> out, size_t& count) {
  count = 0;
  for (uint32_t stretches = 1; next_row_ == row_count_ && !at_end_; stretches++) {
    batch_ = std::min(std::max(batch_ * 2, std::min(kFirstBatch, out.size())), kMaxBatch);
    const StorageStatus s = read_stretch(batch_);
    if (s != StorageStatus::kOk) return s;
    if (stretches % 16 == 0) {
      if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
      Waiter::current().yield_if_due();
    }
  }
  count = std::min(out.size(), row_count_ - next_row_);
  for (size_t i = 0; i < count; i++, next_row_++) out[i] = {rows_[next_row_].key, rows_[next_row_].row};
  return StorageStatus::kOk;
}

KeySpace::GapName LockedCursor::first_gap(const KeyRange& range) const {
  return range.has_low ? space_.gap_below(range.low, !range.low_inclusive) : space_.first_gap();
}

// Then nothing lies between the range's beginning and its first value.
bool LockedCursor::begin_with_value(const std::vector<std::string>& values, const KeyRange& range) const {
  if (values.empty() || !range.has_low || !range.low_inclusive) return false;
  return (direction_ == Direction::kForward ? values.front() : values.back()) == range.low;
}

// By a value of the stretch before, which stays.
bool LockedCursor::first_gap_is_known() const { return direction_ == Direction::kForward && !at_start_; }

StorageStatus LockedCursor::lock_stretch(const KeyRange& range) {
  if (!first_gap_is_known() && !begin_with_value(values_, range)) {
    const StorageStatus s = locks_.read_gap(first_gap(range));
    if (s != StorageStatus::kOk) return s;
  }
  for (const std::string& value : values_) {
    // Above the range's end nothing is read.
    const bool last = range.has_high && range.high_inclusive && value == range.high;
    const StorageStatus s = locks_.read_value(value, !last);
    if (s != StorageStatus::kOk) return s;
  }
  return StorageStatus::kOk;
}

bool LockedCursor::first_gap_is_locked(const KeyRange& range) const {
  if (first_gap_is_known() || locks_.reads_all() || mutated(Mutation::kNoGapLock)) return true;
  const KeySpace::GapName gap = first_gap(range);
  return txn_.store().locks().gap_mode(txn_.lock_owner(), gap.space, gap.key) != BasicMode::kN;
}

StorageStatus LockedCursor::read_stretch(size_t most) {
  row_count_ = next_row_ = 0;
  if (is_point(range_)) {
    at_end_ = true;
    const StorageStatus s = locks_.read_value(range_.low);
    return s == StorageStatus::kOk ? read_rows(range_) : s;
  }
  const bool forward = direction_ == Direction::kForward;
  bool more;
  space_.values(range_, direction_, most, values_, more);
  KeyRange stretch = range_;
  for (;;) {
    if (more && !values_.empty()) {
      (forward ? stretch.high : stretch.low) = values_.back();
      (forward ? stretch.has_high : stretch.has_low) = true;
      (forward ? stretch.high_inclusive : stretch.low_inclusive) = true;
    }
    KeyRange whole = stretch;  // its end is the range's, where a value's gap is not needed
    if (forward) {
      whole.high = range_.high;
      whole.has_high = range_.has_high;
      whole.high_inclusive = range_.high_inclusive;
    }
    StorageStatus s = lock_stretch(whole);
    if (s != StorageStatus::kOk) return s;
    space_.settle();
    // Asked before the values are seen again: then nothing comes between this gap's name and the range any more.
    bool gap_locked = !begin_with_value(values_, stretch) && first_gap_is_locked(stretch);
    bool others;
    space_.values(stretch, direction_, SIZE_MAX, seen_, others);
    gap_locked = gap_locked || begin_with_value(seen_, stretch) || mutated(Mutation::kNoGapLock);
    // What has gone was not locked in time, and is not needed, unless the range began with it; what has come has to be locked. The
    // gap before the first value may have another name by now: to lock it again costs little.
    const bool same = std::all_of(seen_.begin(), seen_.end(), [&](const std::string& value) {
      return std::binary_search(values_.begin(), values_.end(), value,
                                [&](const std::string& a, const std::string& b) { return forward ? a < b : b < a; });
    });
    if (same && gap_locked) break;
    values_.swap(seen_);
  }
  StorageStatus s = read_rows(stretch);
  if (s != StorageStatus::kOk) return s;
  at_start_ = false;
  at_end_ = !more;
  if (more) {
    (forward ? range_.low : range_.high) = forward ? stretch.high : stretch.low;
    (forward ? range_.has_low : range_.has_high) = true;
    (forward ? range_.low_inclusive : range_.high_inclusive) = false;
  }
  return StorageStatus::kOk;
}

StorageStatus LockedCursor::read_rows(const KeyRange& range) {
  return index_ == nullptr ? read_records(range) : read_entries(range);
}

StorageStatus LockedCursor::read_records(const KeyRange& range) {
  TableCursor cursor(table_, txn_, view_, range, direction_);
  std::array<RowRef, 32> found;
  for (;;) {
    size_t n = 0;
    const StorageStatus s = cursor.next(found, n);
    if (s != StorageStatus::kOk || n == 0) return s;
    for (size_t i = 0; i < n; i++) {
      if (row_count_ == rows_.size()) rows_.emplace_back();
      rows_[row_count_].key.assign(found[i].key);
      rows_[row_count_++].row.assign(found[i].row);
    }
  }
}

StorageStatus LockedCursor::read_entries(const KeyRange& range) {
  constexpr size_t kAtOnce = 64;
  const KeySpace primary(table_);
  KeyLocks records(txn_, primary);
  const std::unique_ptr<IndexScan> scan = index_->index->scan(range, direction_);
  std::vector<std::pair<std::string, std::string>> entries;  // a wait gives the thread away
  std::array<std::string, kAtOnce> images;
  std::array<bool, kAtOnce> found{};
  std::vector<Bytes> keys;
  for (;;) {
    entries.clear();
    keys.clear();
    txn_.shown_newest();
    for (const IndexEntry& e : scan->next(kAtOnce)) entries.emplace_back(e.key, e.primary_key);
    if (entries.empty()) return StorageStatus::kOk;
    for (const auto& e : entries) {
      const StorageStatus s = records.read_value(e.second);
      if (s != StorageStatus::kOk) return s;
      keys.emplace_back(e.second);
    }
    table_.read_many(txn_, view_, keys, std::span(images).first(keys.size()), std::span(found).first(keys.size()));
    for (size_t i = 0; i < entries.size(); i++) {
      if (!found[i]) continue;
      bool has_null;
      const auto outcome = index_->extractor->extract(entries[i].second, images[i], row_key_, has_null);
      if (outcome == KeyExtractor::Outcome::kError) return StorageStatus::kKeyError;
      if (outcome == KeyExtractor::Outcome::kNotIndexed || row_key_ != entries[i].first) continue;
      if (row_count_ == rows_.size()) rows_.emplace_back();
      rows_[row_count_].key.assign(entries[i].second);
      rows_[row_count_++].row.assign(images[i]);
    }
  }
}

}  // namespace indigo::storage
