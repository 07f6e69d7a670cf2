#include "storage/table/table_cursor.h"

#include <algorithm>
#include <array>

#include "base/fiber/thread_owned.h"

namespace indigo::storage {

namespace {
// Copy all bodies of a leaf at once, or those of n records one by one?
bool whole(const Leaf::Status& s, size_t n) {
  return n * 4 >= size_t{s.count} * 3 && s.delete_bytes * 4 < s.block_bytes;
}
}  // namespace

namespace {

// Buffers that cursors of this thread have let go: most cursors live for one small range, and these are the most of them.
struct SpareBuffers {
  static constexpr size_t kMost = 4;
  struct Pair {
    std::unique_ptr<uint64_t[]> keys;
    std::unique_ptr<char[]> bodies;
    std::unique_ptr<std::byte[]> metas;  // null: the cursor needed none
    size_t node_bytes = 0;
  };
  std::array<Pair, kMost> pairs;
  size_t count = 0;
};

// Not inlined, so that who changes threads between two calls finds each thread's own.
[[gnu::noinline]] SpareBuffers& spare_buffers() {
  constinit thread_local ThreadOwned<SpareBuffers> spare;
  return spare.get();
}

}  // namespace

TableCursor::~TableCursor() {
  if (bodies_ == nullptr) return;
  SpareBuffers& spare = spare_buffers();
  if (spare.count == SpareBuffers::kMost) return;
  spare.pairs[spare.count++] = {std::move(keys_), std::move(bodies_), std::move(meta_bytes_),
                                bodies_capacity_ / kLeavesAtOnce};
}

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
  batch_ = asked_ = 0;
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

size_t TableCursor::most_records(size_t asked) {
  // No more than is asked for, but more with each time: callers who take few may stop soon or continue for long. Who asks for
  // less than before counts down to an end.
  const bool counts_down = asked < asked_;
  const size_t most = counts_down ? asked : std::max(asked, batch_);
  asked_ = asked;
  batch_ = std::max(batch_ * 2, kFirstBatch);
  return most;
}

Leaf* TableCursor::find(uint64_t& version) const {
  const Tree& tree = table_.tree();
  if (direction_ == Direction::kForward) {
    return tree.find_leaf(KeyView(at_start_ ? Bytes(range_.low) : Bytes(continue_key_)), version);
  }
  if (at_start_ && !range_.has_high) return tree.last_leaf(version);
  if (at_start_ && range_.high_inclusive) return tree.find_leaf(KeyView(range_.high), version);
  return tree.find_leaf_before(KeyView(at_start_ ? Bytes(range_.high) : Bytes(continue_key_)), version);
}

void TableCursor::fill(std::span<RowRef> out, size_t& count) {
  EpochManager::Guard guard(table_.store().epochs());
  rows_.clear();
  next_row_ = 0;
  if (outside_used_) outside_.reset();
  outside_used_ = false;
  most_ = most_records(out.size());
  uint64_t version;
  Leaf* leaf;
  do {
    leaf = find(version);
    table_.store().pauses().at(PausePoint::kReadLeaf);
  } while (!read_leaf(leaf, version, false, out, count));
  at_start_ = false;
  const Tree& tree = table_.tree();
  while (next_leaf_ != nullptr && count < out.size() && room(tree.node_bytes())) {
    leaf = tree.continue_from(next_leaf_, KeyView(continue_key_), version);
    size_t more = 0;
    if (!read_leaf(leaf, version, true, out.subspan(count), more)) break;
    count += more;
    if (more == 0) break;  // next() looks after long stretches without a visible row
  }
  txn_.shown(table_.gone());
}

// Forward, fence_ is the high fence, else the low one.
void TableCursor::bounds(const Leaf* leaf, size_t count, bool has_fence, size_t& from, size_t& to) const {
  bool equal;
  bool forward = direction_ == Direction::kForward;
  from = 0;
  to = count;
  // A scan that continues has read everything on the other side of continue_key_, the range's own bound included.
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

const char* TableCursor::copy_bodies(const Leaf* leaf) {
  const size_t size = leaf->node_bytes();
  const size_t at = size - std::min<size_t>(leaf->status().block_bytes, size);
  copy_from_shared(bodies_.get() + bodies_used_, reinterpret_cast<const char*>(leaf) + at, size - at);
  const char* base = bodies_.get() + bodies_used_ - at;
  bodies_used_ += size - at;
  return base;
}

template <bool kWhole>
bool TableCursor::collect_plain(const Leaf* leaf, size_t from, size_t to, RowRef* rows, size_t& visible,
                                uint64_t& newest) {
  constexpr uint64_t kSpecial = RecordMeta::kStateMask | RecordMeta::kOverflowBit;
  constexpr size_t kLinesAhead = 32;
  const char* const base = kWhole ? copy_bodies(leaf) : nullptr;
  size_t ahead = from;  // the first whose body was not prefetched
  size_t distance = 0;
  if (!kWhole && from < to) {
    distance = std::clamp<size_t>(kLinesAhead * 64 / (leaf->meta(from).body_length() + 64), 1, 16);
    while (ahead < std::min(from + distance, to)) leaf->prefetch_body(ahead++);
  }
  uint64_t* key = keys_.get() + keys_used_;
  RowRef* row = rows;
  char* copy = bodies_.get() + bodies_used_;
  const char* const copy_end = bodies_.get() + bodies_capacity_;
  for (size_t i = from; i < to; i++) {
    RecordMeta m = leaf->meta(i);
    if (foreign_) m = m.committed_only();
    if ((m.control & kSpecial) != 0 || m.stamp > view_.stamp.value || !leaf->sound(m)) return false;
    newest = std::max(newest, m.stamp);
    ahead_.step();
    const char* body = copy;
    if constexpr (kWhole) {
      body = base + m.offset();
    } else {
      if (ahead < to) leaf->prefetch_body(ahead++);
      const size_t length = m.body_length();
      if (length > static_cast<size_t>(copy_end - copy)) return false;  // torn
      copy_from_shared(copy, leaf->body(m), length);
      copy += length;
    }
    *key = big_endian(m.prefix);
    const size_t length = m.key_length();
    row->key = {length > kPrefixBytes ? body : reinterpret_cast<const char*>(key), length};
    row->row = {body + m.body_key_length(), m.payload_length()};
    row += m.visible() ? 1 : 0;
    key++;
  }
  if (!kWhole) bodies_used_ = static_cast<size_t>(copy - bodies_.get());
  keys_used_ += to - from;
  visible = static_cast<size_t>(row - rows);
  return true;
}

bool TableCursor::collect_plain(const Leaf* leaf, size_t from, size_t to, RowRef* rows, size_t& visible,
                                uint64_t& newest) {
  return whole(leaf->status(), to - from) ? collect_plain<true>(leaf, from, to, rows, visible, newest)
                                          : collect_plain<false>(leaf, from, to, rows, visible, newest);
}

bool TableCursor::copy_records(const Leaf* leaf, uint64_t version, size_t from, size_t to) {
  size_t n = to - from;
  if (meta_bytes_ == nullptr) meta_bytes_ = std::make_unique_for_overwrite<std::byte[]>(leaf->node_bytes());
  metas_ = reinterpret_cast<RecordMeta*>(meta_bytes_.get());
  if (n * sizeof(RecordMeta) > leaf->node_bytes()) return false;  // torn
  copy_from_shared(meta_bytes_.get(), leaf->meta_bytes(from), n * sizeof(RecordMeta));
  size_t total = 0;
  for (size_t i = 0; i < n; i++) {
    const RecordMeta& m = metas_[i];
    total += m.body_length();
    if (!leaf->sound(m) || total > bodies_capacity_) return false;  // torn
    const char* body = leaf->body(m);
    for (size_t line = 0; line < m.body_length(); line += 64) __builtin_prefetch(body + line);
  }
  char* copy = bodies_.get();
  for (size_t i = 0; i < n; i++) {
    RecordMeta& m = metas_[i];
    copy_from_shared(copy, leaf->body(m), m.body_length());
    m.set_body(static_cast<size_t>(copy - bodies_.get()), m.key_length(), m.payload_length());
    copy += m.body_length();
  }
  return leaf->latch.validate(version);
}

void TableCursor::reserve(size_t node_bytes) {
  if (bodies_capacity_ != 0) return;
  bodies_capacity_ = kLeavesAtOnce * node_bytes;
  keys_capacity_ = kLeavesAtOnce * node_bytes / sizeof(RecordMeta);
  SpareBuffers& spare = spare_buffers();
  for (size_t i = spare.count; i-- > 0;) {
    if (spare.pairs[i].node_bytes != node_bytes) continue;
    keys_ = std::move(spare.pairs[i].keys);
    bodies_ = std::move(spare.pairs[i].bodies);
    meta_bytes_ = std::move(spare.pairs[i].metas);
    if (i != --spare.count) spare.pairs[i] = std::move(spare.pairs[spare.count]);
    return;
  }
  bodies_ = std::make_unique_for_overwrite<char[]>(bodies_capacity_);
  keys_ = std::make_unique_for_overwrite<uint64_t[]>(keys_capacity_);
}

bool TableCursor::see(const Leaf* leaf, RecordMeta& m, const Descriptor* self, RowRef& row) {
  const char* payload = bodies_.get() + m.offset() + m.body_key_length();
  if (foreign_) m = m.committed_only();
  if (view_.stamp == kMaxStamp) txn_.saw(newest_stamp(m, self));
  Bytes image;
  ReadOutcome outcome = newer_than_view(m)
                            ? read_version(older_[next_older_++], image)
                            : read_record({leaf, table_.tree(), 0, true, payload}, m, self, view_, image);
  txn_.shown(shown_stamp(m, self, view_));
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

void TableCursor::end_at_range(bool& more) const {
  if (!more) return;
  if (direction_ == Direction::kForward && range_.has_high) {
    int c = compare_keys(fence_, range_.high);
    more = c < 0 || (c == 0 && range_.high_inclusive);
  } else if (direction_ == Direction::kBackward && range_.has_low) {
    more = compare_keys(range_.low, fence_) < 0;
  }
}

bool TableCursor::read_leaf(const Leaf* leaf, uint64_t version, bool plain_only, std::span<RowRef> out, size_t& count) {
  if (!plain_only) keys_used_ = bodies_used_ = 0;  // another attempt may have used them
  foreign_ = table_.tree().foreign(leaf);
  bool forward = direction_ == Direction::kForward;
  if (forward && !foreign_) leaf->successor_prefetch();
  bool more = forward ? leaf->has_high_fence() : leaf->has_low_fence();
  if (forward) {
    leaf->high_fence(fence_);
  } else {
    leaf->low_fence(fence_);
  }
  size_t from, to;
  bounds(leaf, leaf->status().count, more, from, to);
  const size_t most = plain_only ? out.size() : most_;
  bool cut = to - from > most;
  if (cut && forward) to = from + most;
  if (cut && !forward) from = to - most;
  leaf->prefetch_metas(from, to);
  if (cut) {
    fence_.clear();
    leaf->append_key(leaf->meta(forward ? to : from), fence_);
  } else {
    end_at_range(more);
  }
  size_t n = to - from;
  reserve(leaf->node_bytes());
  next_leaf_ = nullptr;
  if (forward && more && !cut && n < out.size()) {
    next_leaf_ = foreign_ ? table_.tree().locate(KeyView(fence_)) : leaf->successor();
  }
  ahead_.begin(next_leaf_, n, out.size() - std::min(n, out.size()));
  bool direct = forward && n <= out.size();
  rows_.resize(direct ? 0 : n);  // an attempt that failed may have left some
  RowRef* rows = direct ? out.data() : rows_.data();
  size_t visible = 0;
  bool plain = plain_ && view_.stamp != kMaxStamp;
  if (plain) {
    uint64_t newest = 0;
    plain = collect_plain(leaf, from, to, rows, visible, newest);
    if (plain && !leaf->latch.validate(version)) return false;
    if (plain) txn_.shown(newest);
  }
  if (!plain) {
    bodies_used_ = bodies_capacity_;
    if (plain_only) {
      plain_ = false;
      return false;
    }
    if (!copy_records(leaf, version, from, to)) return false;
    // Pointers in the metas are whole from here on, and the guard keeps what they name.
    visible = collect(leaf, n, rows);
  }
  plain_ = plain || !plain_;  // after one that was not, the next is not tried
  if (!foreign_) ahead_.end();
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
