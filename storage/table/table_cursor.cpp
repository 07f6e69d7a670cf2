#include "storage/table/table_cursor.h"

#include <algorithm>

namespace indigo::storage {

namespace {
constexpr size_t kFewRecords = 8;  // fewer are copied one by one

// Copy all bodies at once, or one by one?
bool bulk(const Leaf* leaf, size_t n) { return n > kFewRecords && n * 2 >= leaf->status().count; }
}  // namespace

TableCursor::TableCursor(TableImpl& table, TransactionImpl& txn, const ReadView& view, const KeyRange& range,
                         Direction direction)
    : table_(table), txn_(txn), view_(view), range_(range), direction_(direction) {
  read_.begin(txn_, view_, table_.id().value, range_, direction_);
}

void TableCursor::rebind(const KeyRange& range, const ReadView& view, Direction direction) {
  view_ = view;
  range_ = range;
  direction_ = direction;
  at_start_ = true;
  at_end_ = false;
  batch_ = kFirstBatch;
  rows_.clear();
  next_row_ = 0;
  read_.begin(txn_, view_, table_.id().value, range_, direction_);
}

StorageStatus TableCursor::next(std::span<RowRef> out, size_t& count) {
  count = 0;
  if (next_row_ < rows_.size()) {
    count = std::min(out.size(), rows_.size() - next_row_);
    std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(next_row_), count, out.begin());
    next_row_ += count;
    read_.reached(txn_, out[count - 1].key);
    return StorageStatus::kOk;
  }
  for (uint32_t leaves = 1; count == 0 && !at_end_; leaves++) {
    fill(out, count);
    // Long stretches without a visible row: others want to run, and the statement may have been cancelled.
    if (leaves % 64 == 0) {
      if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
      Waiter::current().yield_if_due();
    }
  }
  if (count > 0) {
    read_.reached(txn_, out[count - 1].key);
  } else {
    read_.reached_end(txn_);
  }
  return StorageStatus::kOk;
}

void TableCursor::fill(std::span<RowRef> out, size_t& count) {
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
  } while (!read_leaf(leaf, version, out, count));
  at_start_ = false;
}

// Forward, fence_ is the high fence, else the low one.
void TableCursor::bounds(const Leaf* leaf, size_t count, bool has_fence, size_t& from, size_t& to) const {
  bool equal;
  bool forward = direction_ == Direction::kForward;
  from = 0;
  to = count;
  // A scan that goes on has read everything on the other side of continue_key_, the range's own bound included.
  if (forward && !at_start_) {
    if (!leaf->begins_at(continue_key_)) from = leaf->lower_bound(KeyView(continue_key_), count, equal);
  } else if (range_.has_low && (forward || !has_fence || fence_ <= range_.low)) {
    from = leaf->lower_bound(KeyView(range_.low), count, equal);
    if (equal && !range_.low_inclusive) from++;
  }
  if (!forward && !at_start_) {
    to = leaf->lower_bound(KeyView(continue_key_), count, equal);
  } else if (range_.has_high && (!forward || !has_fence || fence_ > range_.high)) {
    to = leaf->lower_bound(KeyView(range_.high), count, equal);
    if (equal && range_.high_inclusive) to++;
  }
  from = std::min(from, count);
  to = std::clamp(to, from, count);
}

void TableCursor::copy_bodies(const Leaf* leaf) {
  size_t size = leaf->node_bytes();
  reserve_bodies(size);
  size_t at = size - std::min<size_t>(leaf->status().block_bytes, size);
  copy_from_shared(bodies_.get() + at, reinterpret_cast<const char*>(leaf) + at, size - at);
}

bool TableCursor::collect_plain(const Leaf* leaf, size_t from, size_t to, RowRef* rows, size_t& visible) {
  if (to - from > keys_capacity_) {
    keys_capacity_ = leaf->node_bytes() / sizeof(RecordMeta);
    keys_ = std::make_unique_for_overwrite<uint64_t[]>(keys_capacity_);
  }
  constexpr uint64_t kSpecial = RecordMeta::kStateMask | RecordMeta::kOverflowBit;
  uint64_t* key = keys_.get();
  RowRef* row = rows;
  for (size_t i = from; i < to; i++) {
    RecordMeta m = leaf->meta(i);
    if (foreign_) m = m.committed_only();
    if ((m.control & kSpecial) != 0 || m.stamp > view_.stamp.value || !leaf->sound(m)) return false;
    ahead_.step();
    *key = big_endian(m.prefix);
    const char* body = bodies_.get() + m.offset();
    size_t length = m.key_length();
    row->key = {length > kPrefixBytes ? body : reinterpret_cast<const char*>(key), length};
    row->row = {body + m.body_key_length(), m.payload_length()};
    row += m.visible() ? 1 : 0;
    key++;
  }
  visible = static_cast<size_t>(row - rows);
  return true;
}

bool TableCursor::copy_records(const Leaf* leaf, uint64_t version, size_t from, size_t to) {
  size_t n = to - from;
  if (n > metas_capacity_) {
    metas_capacity_ = leaf->node_bytes() / sizeof(RecordMeta);
    metas_ = std::make_unique_for_overwrite<RecordMeta[]>(metas_capacity_);
  }
  copy_from_shared(metas_.get(), leaf->meta_bytes(from), n * sizeof(RecordMeta));
  if (bulk(leaf, n)) {
    copy_bodies(leaf);
    return leaf->latch.validate(version);
  }
  size_t at = 0;
  for (size_t i = 0; i < n; i++) {
    const RecordMeta& m = metas_[i];
    if (!leaf->sound(m)) return false;
    const char* body = leaf->body(m);
    for (size_t line = 0; line < m.body_length(); line += 64) __builtin_prefetch(body + line);
    at += m.body_length();
  }
  reserve_bodies(at);
  at = 0;
  for (size_t i = 0; i < n; i++) {
    RecordMeta& m = metas_[i];
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

bool TableCursor::see(const Leaf* leaf, RecordMeta& m, const Descriptor* self, RowRef& row) {
  const char* payload = bodies_.get() + m.offset() + m.body_key_length();
  if (foreign_) m = m.committed_only();
  if (view_.stamp == kMaxStamp) txn_.saw(newest_stamp(m, self));
  Bytes image;
  ReadOutcome outcome = newer_than_view(m)
                            ? read_version(older_[next_older_++], image)
                            : read_record({leaf, table_.tree(), 0, true, payload}, m, self, view_, image);
  if (outcome == ReadOutcome::kNone) return false;
  if (outcome == ReadOutcome::kOutside) {
    row.row = outside_.copy(image);
    outside_used_ = true;
  } else {
    row.row = {payload, m.payload_length()};
  }
  if (m.key_length() > kPrefixBytes) {
    row.key = {bodies_.get() + m.offset(), m.key_length()};
  } else {
    m.prefix = big_endian(m.prefix);
    row.key = {reinterpret_cast<const char*>(&m.prefix), m.key_length()};
  }
  return true;
}

void TableCursor::find_older(size_t n) {
  older_.clear();
  next_older_ = 0;
  for (size_t i = 0; i < n; i++) {
    const RecordMeta& m = metas_[i];
    if (newer_than_view(m)) older_.push_back(reinterpret_cast<const SnapshotVersion*>(m.predecessor));
  }
  SnapshotVersion::find_all(older_, view_.stamp.value);
}

size_t TableCursor::collect(const Leaf* leaf, size_t n, RowRef* rows) {
  find_older(n);
  const Descriptor* self = txn_.descriptor();
  size_t visible = 0;
  for (size_t i = 0; i < n; i++) {
    ahead_.step();
    if (see(leaf, metas_[i], self, rows[visible])) visible++;
  }
  return visible;
}

bool TableCursor::read_leaf(const Leaf* leaf, uint64_t version, std::span<RowRef> out, size_t& count) {
  rows_.clear();
  next_row_ = 0;
  if (outside_used_) outside_.reset();
  outside_used_ = false;

  foreign_ = table_.tree().foreign(leaf);
  bool forward = direction_ == Direction::kForward;
  bool more = forward ? leaf->has_high_fence() : leaf->has_low_fence();
  if (forward) {
    leaf->high_fence(fence_);
  } else {
    leaf->low_fence(fence_);
  }
  size_t from, to;
  bounds(leaf, leaf->status().count, more, from, to);
  // No more than is asked for, but more with each time: callers who take few may stop soon or go on for long.
  size_t most = std::max(out.size(), batch_);
  bool cut = to - from > most;
  if (cut && forward) to = from + most;
  if (cut && !forward) from = to - most;
  if (cut) {
    fence_.clear();
    leaf->append_key(leaf->meta(forward ? to : from), fence_);
  } else if (forward && more && range_.has_high) {
    int c = compare_keys(fence_, range_.high);
    more = c < 0 || (c == 0 && range_.high_inclusive);
  } else if (!forward && more && range_.has_low) {
    more = compare_keys(range_.low, fence_) < 0;
  }
  size_t n = to - from;
  bool all = bulk(leaf, n);
  const bool look_ahead = n > kFewRecords && forward && more && !cut && n < out.size();
  ahead_.begin(!look_ahead ? nullptr : foreign_ ? table_.tree().locate(KeyView(fence_)) : leaf->successor(), n);
  bool direct = forward && n <= out.size();
  if (!direct) rows_.resize(n);
  RowRef* rows = direct ? out.data() : rows_.data();
  size_t visible = 0;
  bool plain = all && plain_ && view_.stamp != kMaxStamp;
  if (plain) {
    copy_bodies(leaf);
    plain = collect_plain(leaf, from, to, rows, visible);
    if (plain && !leaf->latch.validate(version)) return false;
  }
  if (!plain) {
    if (!copy_records(leaf, version, from, to)) return false;
    // Pointers in the metas are whole from here on, and the guard keeps what they name.
    visible = collect(leaf, n, rows);
  }
  plain_ = plain || !plain_;  // after one that was not, the next is not tried
  if (!foreign_) ahead_.end();
  batch_ *= 2;
  count = visible;
  if (!direct) {
    rows_.resize(visible);
    if (!forward) std::reverse(rows_.begin(), rows_.end());
    count = std::min(out.size(), visible);
    std::copy_n(rows_.begin(), count, out.begin());
    next_row_ = count;
  }
  at_end_ = !cut && !more;
  continue_key_.swap(fence_);
  return true;
}

}  // namespace indigo::storage
