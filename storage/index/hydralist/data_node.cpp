#include "storage/index/hydralist/data_node.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "base/bytes.h"
#include "base/check.h"

namespace indigo::storage {

namespace {

constexpr uint32_t kHeapStep = 256;
constexpr uint32_t kRoomStep = 16;
constexpr size_t kMostInside = 64;  // bytes of entries whose block is a part of a new node

// `growing`: more will come, so that a block does not grow with each entry.
NodeShape shape_for(const BlockNeeds& needs, bool growing) {
  NodeShape shape;
  if (needs.count == 0) return shape;
  if (needs.even && needs.bytes <= needs.count * NodeShape::kMostEven) {
    shape.entries = needs.lengths;
    shape.room = static_cast<uint8_t>((needs.count + kRoomStep - 1) / kRoomStep * kRoomStep);
  } else {
    const size_t wanted = needs.bytes + (growing ? needs.bytes / 4 : 0);
    shape.entries = static_cast<uint32_t>((wanted + kHeapStep - 1) / kHeapStep * kHeapStep);
  }
  return shape;
}

char* create_block(NodeShape shape) {
  const size_t bytes = shape.block_bytes();
  auto* const made = static_cast<char*>(::operator new(bytes));
  if (!shape.even()) std::memset(made, 0, NodeShape::kSlots * sizeof(DataSlot));
  return made;
}

// Eight bytes are what keys and primary keys often have.
void copy_key_to(char* shared, Bytes from) {
  if (!kThreadSanitizer && from.size() == 8) {
    store_unaligned(shared, load_unaligned<uint64_t>(from.data()));
  } else {
    copy_to_shared(shared, from.data(), from.size());
  }
}
void copy_string(std::string& to, const char* from, size_t n) {
  if (to.size() != n) to.resize(n);
  if (!kThreadSanitizer && n == 8) {
    store_unaligned(to.data(), load_unaligned<uint64_t>(from));
  } else {
    copy_from_shared(to.data(), from, n);
  }
}

uint64_t bit_of(uint32_t slot) { return uint64_t{1} << slot; }

// Sorting of slots by heads: the first 58 bits of the eight bytes behind what all keys have in common, and the slot behind
// them. Those whose bits are the same need a look at everything.
class SlotSorter {
 public:
  SlotSorter(const BlockView& view, size_t skip) : view_(view), skip_(skip) {
    size_t n = 0;
    for (uint64_t left = view.used; left != 0; left &= left - 1) {
      const auto slot = static_cast<uint32_t>(std::countr_zero(left));
      keys_[n++] = (key_head(view.at(slot).entry().key, skip) & ~kSlotBits) | slot;
    }
    count_ = n;
  }

  void sort() {
    std::sort(keys_.begin(), keys_.begin() + static_cast<ptrdiff_t>(count_));
    for (size_t begin = 0; begin < count_;) {
      size_t end = begin + 1;
      while (end < count_ && head(end) == head(begin)) end++;
      if (end - begin > 1) {
        std::sort(keys_.begin() + static_cast<ptrdiff_t>(begin), keys_.begin() + static_cast<ptrdiff_t>(end),
                  [this](uint64_t a, uint64_t b) { return compare_places(entry(a), entry(b)) < 0; });
      }
      begin = end;
    }
  }
  // What parts them: the shortest that lies between two keys near to the middle. Of the head of that, zeros behind it; 0 when
  // there is none, for all of them begin alike. A few keys are asked where the middle is, and all if they do not know.
  uint64_t border() {
    constexpr size_t kSome = 16;
    if (count_ == NodeShape::kSlots) {
      std::array<uint64_t, kSome> some;
      for (size_t i = 0; i < kSome; i++) some[i] = keys_[i * (NodeShape::kSlots / kSome)];
      std::sort(some.begin(), some.end());
      const uint64_t found = between(some[kSome / 2 - 2], some[kSome / 2 + 1]);
      if (const size_t less = below(found); found != 0 && less >= count_ / 3 && less <= count_ - count_ / 3)
        return found;
    }
    const size_t low = count_ / 2 - count_ / 8 - 1, high = count_ / 2 + count_ / 8;
    const auto at = [this](size_t i) { return keys_.begin() + static_cast<ptrdiff_t>(i); };
    std::nth_element(at(0), at(low), at(count_));
    std::nth_element(at(low + 1), at(high), at(count_));
    return between(keys_[low], keys_[high]);
  }
  size_t below(uint64_t border) const {
    return static_cast<size_t>(std::count_if(keys_.begin(), keys_.begin() + static_cast<ptrdiff_t>(count_),
                                             [&](uint64_t k) { return k < border; }));
  }
  // The slots of those that are not less.
  uint64_t upper(uint64_t border) const {
    uint64_t slots = 0;
    for (size_t i = 0; i < count_; i++) slots |= uint64_t{keys_[i] >= border} << (keys_[i] & kSlotBits);
    return slots;
  }
  size_t skip() const { return skip_; }
  uint32_t write(uint8_t* slots) const {
    for (size_t i = 0; i < count_; i++) slots[i] = static_cast<uint8_t>(keys_[i] & kSlotBits);
    return static_cast<uint32_t>(count_);
  }

 private:
  static constexpr uint64_t kSlotBits = NodeShape::kSlots - 1;
  uint64_t head(size_t i) const { return keys_[i] & ~kSlotBits; }
  // Greater than `low` and not greater than `high`, in the first byte in which these differ; 0 when that would be the last one.
  static uint64_t between(uint64_t low, uint64_t high) {
    const auto same = static_cast<uint32_t>(std::countl_zero(low ^ high)) / 8;
    if (low >= high || same >= 7) return 0;
    const uint32_t shift = 56 - 8 * same;
    const uint64_t byte = ((low >> shift & 0xff) + (high >> shift & 0xff) + 1) / 2;
    return (high >> shift >> 8 << 8 | byte) << shift;
  }
  EntryKey entry(uint64_t key) const { return view_.at(static_cast<uint32_t>(key & kSlotBits)).entry(); }

  const BlockView& view_;
  const size_t skip_;
  size_t count_;
  std::array<uint64_t, NodeShape::kSlots> keys_;
};

// What all keys have in common.
size_t common_length(const BlockView& view) {
  if (view.used == 0) return 0;
  const Bytes first = view.at(static_cast<uint32_t>(std::countr_zero(view.used))).entry().key;
  size_t common = first.size();
  for (uint64_t left = view.used; left != 0 && common > 0; left &= left - 1) {
    const Bytes key = view.at(static_cast<uint32_t>(std::countr_zero(left))).entry().key;
    common = std::min(common, common_prefix(first, key.substr(0, common)));
  }
  return common;
}

// What a node's anchor and its neighbour's have in common have all keys between.
SlotSorter sorter(const BlockView& view, const DataNode& node, const DataNode* next) {
  return {view, next != nullptr ? common_prefix(node.anchor().key, next->anchor().key) : common_length(view)};
}

}  // namespace

DataNode::DataNode(const EntryKey& anchor)
    : anchor_key_length_(static_cast<uint16_t>(anchor.key.size())),
      anchor_primary_length_(static_cast<uint16_t>(anchor.primary_key.size())) {
  const size_t bytes = anchor.key.size() + anchor.primary_key.size();
  auto* const to = bytes <= sizeof anchor_room_ ? anchor_room_ : static_cast<char*>(::operator new(bytes));
  if (!anchor.key.empty()) std::memcpy(to, anchor.key.data(), anchor.key.size());
  if (!anchor.primary_key.empty()) {
    std::memcpy(to + anchor.key.size(), anchor.primary_key.data(), anchor.primary_key.size());
  }
  anchor_ = to;
  own_head_ = key_head(anchor.key, 0);
}

DataNode* DataNode::create(const EntryKey& anchor, const BlockNeeds& needs) {
  NodeShape shape = shape_for(needs, false);
  size_t inside = 0;
  if (shape.even() && shape.stride() <= kMostInside) {
    shape.room = kSlots;
    inside = shape.block_bytes();
  }
  void* const memory = ::operator new (sizeof(DataNode) + inside, std::align_val_t{alignof(DataNode)});
  auto* const node = new (memory) DataNode(anchor);
  node->inside_bytes_ = static_cast<uint32_t>(inside);
  if (inside != 0) {
    node->set_block(node->inside(), shape);
  } else if (shape.block_bytes() != 0 || shape.even()) {
    node->set_block(create_block(shape), shape);
  }
  return node;
}

void DataNode::destroy(DataNode* node) {
  if (!node->block_inside()) free_block(node->block_);
  if (node->anchor_ != node->anchor_room_) ::operator delete(const_cast<char*>(node->anchor_));
  node->~DataNode();
  ::operator delete (node, std::align_val_t{alignof(DataNode)});
}

size_t DataNode::memory_bytes() const {
  const size_t anchor = size_t{anchor_key_length_} + anchor_primary_length_;
  return sizeof(DataNode) + inside_bytes_ + (anchor_ == anchor_room_ ? 0 : anchor) +
         (block_inside() ? 0 : shape().block_bytes());
}

// ---- optimistic reading

uint32_t DataNode::find(const EntryKey& entry, uint8_t print, uint64_t version) const {
  const BlockView view = this->view();
  prefetch_room(view);
  uint64_t candidates = fingerprints_.match(print) & view.slots();
  if (candidates == 0) return kSlots;
  if (!latch.validate(version)) return kChanged;
  for (; candidates != 0; candidates &= candidates - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(candidates));
    const StoredEntry s = view.at(slot);
    if (s.bytes != nullptr && s.key_length == entry.key.size() && s.primary_length == entry.primary_key.size() &&
        same_shared(s.bytes, entry.key.data(), s.key_length) &&
        same_shared(s.bytes + s.key_length, entry.primary_key.data(), s.primary_length)) {
      return slot;
    }
  }
  return kSlots;
}

bool DataNode::read_key(Bytes key, uint8_t print, uint64_t version, std::vector<std::string>& primary_keys,
                        size_t& count) const {
  const BlockView view = this->view();
  uint64_t candidates = fingerprints_.match(print) & view.slots();
  if (!latch.validate(version)) return false;
  if (candidates == 0 || (view.shape.even() && view.shape.key_length() != key.size())) return true;
  size_t found = count;
  for (; candidates != 0; candidates &= candidates - 1) {
    const StoredEntry s = view.at(static_cast<uint32_t>(std::countr_zero(candidates)));
    if (s.bytes == nullptr || s.key_length != key.size() || !same_shared(s.bytes, key.data(), s.key_length)) continue;
    if (found == primary_keys.size()) primary_keys.emplace_back();
    copy_string(primary_keys[found++], s.bytes + s.key_length, s.primary_length);
  }
  if (!latch.validate(version)) return false;
  count = found;
  return true;
}

void DataNode::prefetch_room(const BlockView& view) {
  const auto slot = static_cast<size_t>(std::countr_one(view.used));
  if (view.shape.even()) __builtin_prefetch(view.block + slot * view.shape.stride(), 1);
}

void DataNode::prefetch_key(uint8_t print) const {
  const BlockView view = this->view();
  const uint64_t candidates = fingerprints_.match(print) & view.slots();
  if (candidates == 0 || view.block == nullptr) return;
  const auto slot = static_cast<size_t>(std::countr_zero(candidates));
  __builtin_prefetch(view.block + slot * (view.shape.even() ? view.shape.stride() : sizeof(DataSlot)));
}

void DataNode::prefetch_entries() const {
  constexpr size_t kMost = 1024;
  const char* const from = reinterpret_cast<const char*>(this);
  for (size_t line = 0; line < sizeof(DataNode) + std::min<size_t>(inside_bytes_, kMost); line += 64) {
    __builtin_prefetch(from + line);
  }
}

char* DataNode::Copy::room(size_t bytes) {
  if (bytes > capacity_) {
    capacity_ = std::max<size_t>(bytes, 2048);
    bytes_ = std::make_unique_for_overwrite<char[]>(capacity_);
  }
  return bytes_.get();
}

bool DataNode::copy(uint64_t version, Copy& out) const {
  BlockView view = this->view();
  const DataNode* const right = next();
  size_t bytes = load_shared(&used_bytes_);
  if (!latch.validate(version)) return false;
  out.count_ = static_cast<uint32_t>(std::popcount(view.used));
  // Up to the last slot in use, or what the heap has.
  bytes = view.shape.even() ? static_cast<size_t>(std::bit_width(view.used)) * view.shape.stride()
                            : (view.block == nullptr ? 0 : kSlots * sizeof(DataSlot) + bytes);
  char* const to = out.room(bytes);
  copy_from_shared(to, view.block, bytes);
  const bool ordered = order_.read(version, out.order_);
  if (!latch.validate(version)) return false;
  view.block = to;
  out.view_ = view;
  if (!ordered) {
    SlotSorter sorted = sorter(out.view_, *this, right);
    sorted.sort();
    sorted.write(out.order_);
    order_.publish(version, out.order_);
  }
  return true;
}

bool DataNode::Order::read(uint64_t wanted, uint8_t* out) const {
  const uint64_t before = sequence.load(std::memory_order_acquire);  // pairs with publish()
  if ((before & 1) != 0 || load_shared(&version) != wanted) return false;
  copy_from_shared(out, slots, sizeof slots);
  std::atomic_thread_fence(std::memory_order_acquire);  // the reads above stay before the load below
  return sequence.load(std::memory_order_relaxed) == before;
}

void DataNode::Order::publish(uint64_t of, const uint8_t* from) {
  uint64_t before = sequence.load(std::memory_order_relaxed);
  if ((before & 1) != 0 || !sequence.compare_exchange_strong(before, before + 1, std::memory_order_acquire)) return;
  std::atomic_thread_fence(std::memory_order_release);  // the odd number comes before the stores below
  store_shared(&version, of);
  copy_to_shared(slots, from, sizeof slots);
  sequence.store(before + 2, std::memory_order_release);  // pairs with read()
}

uint32_t DataNode::Copy::lower_bound(const EntryKey& place) const {
  uint32_t low = 0, high = count_;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (compare_places(at(middle), place) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// ---- latched

void DataNode::set_next(DataNode* node) {
  NodeShape changed = shape();
  const Bytes own = anchor().key;
  size_t skip = 0;
  if (node != nullptr) {
    const Bytes other = node->anchor().key;
    // Where heads tell them apart anyway, nothing is skipped: then nobody has to look at what is.
    if (const size_t common = common_prefix(own, other); common >= sizeof(uint64_t)) skip = common;
    store_shared(&next_head_, key_head(other, skip));
  }
  store_shared(&own_head_, key_head(own, skip));
  changed.skip = static_cast<uint16_t>(skip);
  store_shared(&shape_, changed.word());
  store_shared(&next_, node);
}

void DataNode::set_deleted() {
  NodeShape changed = shape();
  changed.deleted = 1;
  store_shared(&shape_, changed.word());
}

// What the shape says of the block comes from `shape`, the rest stays.
void DataNode::set_block(char* block, NodeShape shape) {
  NodeShape changed = this->shape();
  changed.entries = shape.entries;
  changed.room = shape.room;
  store_shared(&shape_, changed.word());
  __atomic_store_n(&block_, block, __ATOMIC_RELEASE);
}

bool DataNode::has_room(const EntryKey& entry) const {
  const NodeShape s = shape();
  if (s.even()) return s.entries == NodeShape::lengths(entry) && static_cast<uint32_t>(std::countr_one(used_)) < s.room;
  return block_ != nullptr && used_bytes_ + entry.key.size() + entry.primary_key.size() <= s.entries;
}

bool DataNode::has_room(const BlockNeeds& more) const {
  const NodeShape s = shape();
  if (s.even()) return more.even && s.entries == more.lengths && count() + more.count <= s.room;
  return block_ != nullptr && used_bytes_ + more.bytes <= s.entries;
}

BlockNeeds DataNode::needs() const {
  const NodeShape s = shape();
  return {count(), s.even() ? s.entries : 0, s.even() || used_ == 0, live_bytes_};
}

BlockNeeds DataNode::needs_of(uint64_t slots) const {
  const NodeShape s = shape();
  if (s.even()) {
    const auto n = static_cast<uint32_t>(std::popcount(slots));
    return {n, s.entries, true, n * s.stride()};
  }
  BlockNeeds sum;
  for (; slots != 0; slots &= slots - 1) {
    sum += BlockNeeds::of(entry(static_cast<uint32_t>(std::countr_zero(slots))));
  }
  return sum;
}

void* DataNode::replace_block(const BlockNeeds& more) {
  BlockNeeds all = needs();
  all += more;
  const BlockView old = view();
  void* const replaced = block_inside() ? nullptr : block_;
  // The entries' places do not change, unless they are more than there is room for.
  NodeShape fresh_shape = shape_for(all, more.count != 0);
  const uint64_t used = used_;
  char* const fresh = fresh_shape.block_bytes() == 0 && !fresh_shape.even() ? nullptr : create_block(fresh_shape);
  const bool dense = fresh_shape.even() && static_cast<uint32_t>(std::bit_width(used)) > fresh_shape.room;
  std::array<uint8_t, kSlots> prints;
  uint32_t heap = 0, at = 0;
  uint64_t placed = 0;
  for (uint64_t left = used; left != 0; left &= left - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(left));
    const StoredEntry s = old.at(slot);
    const size_t size = size_t{s.key_length} + s.primary_length;
    const uint32_t to = dense ? at++ : slot;
    prints[to] = fingerprints_.bytes[slot];
    placed |= bit_of(to);
    char* bytes = fresh + to * fresh_shape.stride();
    if (!fresh_shape.even()) {
      bytes = fresh + kSlots * sizeof(DataSlot) + heap;
      reinterpret_cast<DataSlot*>(fresh)[to] = {heap, static_cast<uint16_t>(s.key_length),
                                                static_cast<uint16_t>(s.primary_length)};
      heap += static_cast<uint32_t>(size);
    }
    if (size != 0) std::memcpy(bytes, s.bytes, size);
  }
  if (dense) {
    for (uint32_t i = 0; i < at; i++) store_shared(&fingerprints_.bytes[i], prints[i]);
  }
  store_shared(&used_, placed);
  store_shared(&used_bytes_, heap);
  set_block(fresh, fresh_shape);
  return replaced;
}

void DataNode::put(uint32_t slot, const EntryKey& entry, uint8_t fingerprint) {
  const NodeShape s = shape();
  const auto size = static_cast<uint32_t>(entry.key.size() + entry.primary_key.size());
  char* bytes = block_ + slot * s.stride();
  if (!s.even()) {
    DataSlot& to = reinterpret_cast<DataSlot*>(block_)[slot];
    bytes = block_ + kSlots * sizeof(DataSlot) + used_bytes_;
    store_shared(&to.offset, used_bytes_);
    store_shared(&to.key_length, static_cast<uint16_t>(entry.key.size()));
    store_shared(&to.primary_length, static_cast<uint16_t>(entry.primary_key.size()));
    store_shared(&used_bytes_, used_bytes_ + size);
  }
  copy_key_to(bytes, entry.key);
  copy_key_to(bytes + entry.key.size(), entry.primary_key);
  live_bytes_ += size;
  store_shared(&fingerprints_.bytes[slot], fingerprint);
  store_shared(&used_, used_ | bit_of(slot));
}

void DataNode::insert(const EntryKey& entry, uint8_t print) {
  put(static_cast<uint32_t>(std::countr_one(used_)), entry, print);
}

void DataNode::remove(uint32_t slot) { remove_all(bit_of(slot)); }

void DataNode::remove_all(uint64_t slots) {
  live_bytes_ -= static_cast<uint32_t>(needs_of(slots).bytes);
  store_shared(&used_, used_ & ~slots);
  if (used_ == 0) store_shared(&used_bytes_, uint32_t{0});
}

bool DataNode::oversized() const {
  if (block_inside() || block_ == nullptr) return false;
  if (used_ == 0) return true;
  const NodeShape s = shape();
  if (s.even()) return s.room > kRoomStep && count() * 4 < s.room;
  return s.entries > 2 * kHeapStep && size_t{live_bytes_} * 4 < s.entries;
}

DataNode::Parts DataNode::divide() const {
  const BlockView view = this->view();
  SlotSorter sorted = sorter(view, *this, next_);
  Parts parts;
  if (const uint64_t border = sorted.border(); border != 0) {
    // Keys that are shorter have zeros there, and the border ends with something else.
    const uint64_t bytes = big_endian(border);
    const size_t length = 8 - static_cast<size_t>(std::countr_zero(border)) / 8;
    parts.upper = sorted.upper(border);
    parts.anchor_key = entry(static_cast<uint32_t>(std::countr_zero(used_))).key.substr(0, sorted.skip());
    parts.anchor_key.append(reinterpret_cast<const char*>(&bytes), length);
    return parts;
  }
  sorted.sort();
  uint8_t slots[kSlots];
  const uint32_t count = sorted.write(slots);
  for (uint32_t i = count / 2; i < count; i++) parts.upper |= bit_of(slots[i]);
  const EntryKey anchor = separator(entry(slots[count / 2 - 1]), entry(slots[count / 2]));
  parts.anchor_key = anchor.key;
  parts.anchor_primary = anchor.primary_key;
  return parts;
}

// The shortest place that is greater than `left` and not greater than `right`; it names bytes of `right`.
EntryKey DataNode::separator(const EntryKey& left, const EntryKey& right) {
  const auto shortest = [](Bytes a, Bytes b) { return b.substr(0, common_prefix(a, b) + 1); };
  if (left.key != right.key) return {shortest(left.key, right.key), {}};
  return {right.key, shortest(left.primary_key, right.primary_key)};
}

uint32_t DataNode::greatest() const {
  const BlockView view = this->view();
  auto best = static_cast<uint32_t>(std::countr_zero(used_));
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(left));
    if (compare_places(view.at(best).entry(), view.at(slot).entry()) < 0) best = slot;
  }
  return best;
}

void DataNode::copy_to(DataNode& to, uint64_t slots) const {
  for (; slots != 0; slots &= slots - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(slots));
    to.put(static_cast<uint32_t>(std::countr_one(to.used_)), entry(slot), fingerprints_.bytes[slot]);
  }
}

std::string DataNode::check_latched() const {
  size_t live = 0;
  const BlockView view = this->view();
  if (view.slots() != used_) return "a node uses slots for which its block has no room";
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(left));
    const StoredEntry s = view.at(slot);
    if (s.bytes == nullptr) return "an entry lies outside its node's block";
    live += size_t{s.key_length} + s.primary_length;
    if (fingerprints_.bytes[slot] != Fingerprints::of(entry(slot).key)) return "a fingerprint is wrong";
  }
  if (live != live_bytes_) return "the bytes of a node are miscounted";
  if (!view.shape.even() && used_bytes_ > view.shape.entries) return "a node's heap is fuller than it can be";
  const DataNode* const right = next_;
  const size_t skip = view.shape.skip;
  if (own_head_ != key_head(anchor().key, skip)) return "the head of a node's anchor is wrong";
  if (right == nullptr) return skip == 0 ? "" : "a node without a neighbour has something in common with it";
  if (next_head_ != key_head(right->anchor().key, skip)) return "the head of a neighbour's anchor is wrong";
  return common_prefix(anchor().key, right->anchor().key) < skip ? "neighbours have less in common" : "";
}

}  // namespace indigo::storage
