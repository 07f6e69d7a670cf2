#include "storage/table/table_cursor.h"

#include <algorithm>

namespace indigo::storage {

namespace {
constexpr size_t kFewRecords = 8;  // fewer are copied one by one
}

TableCursor::TableCursor(TableImpl& table, TransactionImpl& txn, const ReadView& view, const KeyRange& range,
                         Direction direction)
    : table_(table), txn_(txn), view_(view), range_(range), direction_(direction) {}

void TableCursor::rebind(const KeyRange& range, const ReadView& view, Direction direction) {
  view_ = view;
  range_ = range;
  direction_ = direction;
  at_start_ = true;
  at_end_ = false;
  rows_.clear();
  next_row_ = 0;
}

StorageStatus TableCursor::next(std::span<RowRef> out, size_t& count) {
  count = 0;
  for (uint32_t leaves = 1; next_row_ == rows_.size(); leaves++) {
    if (at_end_) return StorageStatus::kOk;
    fill();
    // Long stretches without a visible row: others want to run, and the statement may have been cancelled.
    if (leaves % 64 == 0) {
      if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
      Waiter::current().yield_if_due();
    }
  }
  count = std::min(out.size(), rows_.size() - next_row_);
  std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(next_row_), count, out.begin());
  next_row_ += count;
  return StorageStatus::kOk;
}

void TableCursor::fill() {
  EpochManager::Guard guard(table_.store().epochs());
  uint64_t version;
  Leaf* leaf;
  do {
    if (direction_ == Direction::kForward) {
      leaf = table_.tree().find_leaf(KeyView(at_start_ ? Bytes(range_.low) : Bytes(continue_key_)), version);
    } else if (at_start_ && !range_.has_high) {
      leaf = table_.tree().last_leaf(version);
    } else if (at_start_ && range_.high_inclusive) {
      leaf = table_.tree().find_leaf(KeyView(range_.high), version);
    } else {
      leaf = table_.tree().find_leaf_before(KeyView(at_start_ ? Bytes(range_.high) : Bytes(continue_key_)), version);
    }
  } while (!read_leaf(leaf, version));
  at_start_ = false;
}

void TableCursor::bounds(const Leaf* leaf, size_t count, size_t& from, size_t& to) const {
  bool equal;
  from = 0;
  to = count;
  if (range_.has_low) {
    from = leaf->lower_bound(KeyView(range_.low), count, equal);
    if (equal && !range_.low_inclusive) from++;
  }
  if (range_.has_high) {
    to = leaf->lower_bound(KeyView(range_.high), count, equal);
    if (equal && range_.high_inclusive) to++;
  }
  // A backward scan that goes on has read everything from continue_key_ upward.
  if (!at_start_) {
    size_t at = leaf->lower_bound(KeyView(continue_key_), count, equal);
    if (direction_ == Direction::kForward) {
      from = std::max(from, at);
    } else {
      to = std::min(to, at);
    }
  }
  from = std::min(from, count);
  to = std::clamp(to, from, count);
}

bool TableCursor::copy_records(const Leaf* leaf, uint64_t version, size_t from, size_t to) {
  size_t n = to - from;
  metas_.resize(n);
  copy_from_shared(metas_.data(), leaf->meta_bytes(from), n * sizeof(RecordMeta));
  if (n > kFewRecords) {
    size_t size = leaf->node_bytes();
    size_t start = size - std::min<size_t>(leaf->status().block_bytes, size);
    reserve_bodies(size);
    copy_from_shared(bodies_.get() + start, reinterpret_cast<const char*>(leaf) + start, size - start);
    return leaf->latch.validate(version);
  }
  size_t at = 0;
  for (RecordMeta& m : metas_) {
    if (!leaf->sound(m)) return false;
    at += m.body_length();
  }
  reserve_bodies(at);
  at = 0;
  for (RecordMeta& m : metas_) {
    copy_from_shared(bodies_.get() + at, leaf->body(m), m.body_length());
    m.set_body(at, m.key_length(), m.payload_length());
    at += m.body_length();
  }
  return leaf->latch.validate(version);
}

void TableCursor::reserve_bodies(size_t n) {
  if (n <= bodies_capacity_) return;
  bodies_ = std::make_unique_for_overwrite<char[]>(n);
  bodies_capacity_ = n;
}

void TableCursor::add_row(const Leaf* leaf, RecordMeta& m) {
  const char* payload = bodies_.get() + m.offset() + m.body_key_length();
  if (view_.stamp == kMaxStamp) txn_.saw(newest_stamp(m, txn_.descriptor()));
  Bytes image;
  ReadOutcome outcome = read_record({leaf, 0, true, payload}, m, txn_.descriptor(), view_, image);
  if (outcome == ReadOutcome::kNone) return;
  if (outcome == ReadOutcome::kOutside) {
    image = outside_.copy(image);
    outside_used_ = true;
  } else {
    image = {payload, m.payload_length()};
  }
  Bytes key;
  if (m.key_length() > kPrefixBytes) {
    key = {bodies_.get() + m.offset(), m.key_length()};
  } else {
    m.prefix = big_endian(m.prefix);
    key = {reinterpret_cast<const char*>(&m.prefix), m.key_length()};
  }
  rows_.push_back({key, image});
}

bool TableCursor::read_leaf(const Leaf* leaf, uint64_t version) {
  rows_.clear();
  next_row_ = 0;
  if (outside_used_) outside_.reset();
  outside_used_ = false;

  std::string fence;
  bool forward = direction_ == Direction::kForward;
  bool more = forward ? leaf->has_high_fence() : leaf->has_low_fence();
  if (forward) {
    leaf->high_fence(fence);
  } else {
    leaf->low_fence(fence);
  }
  size_t from, to;
  bounds(leaf, leaf->status().count, from, to);
  if (forward) leaf->successor_prefetch();
  if (!copy_records(leaf, version, from, to)) return false;
  // Pointers in the metas are whole from here on, and the guard keeps what they name.
  rows_.reserve(to - from);
  for (RecordMeta& m : metas_) add_row(leaf, m);
  if (!forward) std::reverse(rows_.begin(), rows_.end());

  if (forward && more && range_.has_high) {
    int c = compare_keys(fence, range_.high);
    more = c < 0 || (c == 0 && range_.high_inclusive);
  } else if (!forward && more && range_.has_low) {
    more = compare_keys(range_.low, fence) < 0;
  }
  at_end_ = !more;
  continue_key_ = std::move(fence);
  return true;
}

}  // namespace indigo::storage
