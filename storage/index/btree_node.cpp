#include "storage/index/btree_node.h"

#include <algorithm>
#include <memory>
#include <new>

#include "base/check.h"

namespace indigo::storage {

BtreeNode* BtreeNode::create(uint64_t id, uint32_t capacity, uint32_t level, Bytes prefix) {
  void* memory = ::operator new (capacity, std::align_val_t{64});
  auto* node = new (memory) BtreeNode(id, capacity, level);
  node->prefix_length_ = static_cast<uint32_t>(prefix.size());
  node->prefix_offset_ = node->heap_begin_ = capacity - node->prefix_length_;
  node->heap_live_ = node->prefix_length_;
  if (!prefix.empty()) std::memcpy(node->bytes() + node->prefix_offset_, prefix.data(), prefix.size());
  return node;
}

void BtreeNode::destroy(BtreeNode* node) {
  node->~BtreeNode();
  ::operator delete (node, std::align_val_t{64});
}

void BtreeNode::copy_detached(void* to) const {
  std::memcpy(to, static_cast<const void*>(this), capacity);
  auto* copy = static_cast<BtreeNode*>(to);
  new (&copy->latch) OptimisticLatch();
  copy->first_child_ = nullptr;
  new (&copy->references_) std::atomic<uint32_t>(1);
  copy->generation_ = 0;
  std::memset(copy->bytes() + header_bytes() + count_ * sizeof(Slot), 0, free_bytes());
}

uint64_t BtreeNode::head_of(Bytes suffix) {
  if (suffix.size() >= 8) return big_endian(load_unaligned<uint64_t>(suffix.data()));
  uint64_t head = 0;
  std::memcpy(&head, suffix.data(), suffix.size());
  return big_endian(head);
}

// ---- optimistic

uint32_t BtreeNode::count() const { return std::min(load_shared(&count_), max_slots()); }

BtreeNode::Slot BtreeNode::load(uint32_t position) const {
  const Slot& slot = slots()[position];
  return {load_shared(&slot.head), load_shared(&slot.offset), load_shared(&slot.key_length),
          load_shared(&slot.primary_length)};
}

const char* BtreeNode::stored(const Slot& slot) const {
  uint64_t end = uint64_t{slot.offset} + child_bytes() + slot.key_length + slot.primary_length;
  return end <= capacity ? bytes() + slot.offset + child_bytes() : nullptr;
}

bool BtreeNode::load_prefix(uint32_t& offset, uint32_t& length) const {
  offset = load_shared(&prefix_offset_);
  length = load_shared(&prefix_length_);
  return uint64_t{offset} + length <= capacity;
}

int BtreeNode::compare_equal_heads(const Slot& slot, Bytes suffix, Bytes primary_key) const {
  const char* mine = stored(slot);
  if (!mine) return -1;
  size_t common = std::min<size_t>(slot.key_length, suffix.size());
  if (common > 8) {
    if (int c = compare_shared(mine + 8, suffix.data() + 8, common - 8)) return c;
  }
  if (slot.key_length != suffix.size()) return slot.key_length < suffix.size() ? -1 : 1;
  common = std::min<size_t>(slot.primary_length, primary_key.size());
  if (common > 0) {
    if (int c = compare_shared(mine + slot.key_length, primary_key.data(), common)) return c;
  }
  if (slot.primary_length == primary_key.size()) return 0;
  return slot.primary_length < primary_key.size() ? -1 : 1;
}

BtreeNode::Found BtreeNode::lower_bound(const EntryKey& key) const {
  uint32_t n = count();
  uint32_t prefix_offset, prefix_length;
  if (!load_prefix(prefix_offset, prefix_length)) return {0, false};
  Bytes suffix = key.key;
  if (prefix_length > 0) {
    size_t common = std::min<size_t>(prefix_length, suffix.size());
    int c = common == 0 ? 0 : compare_shared(bytes() + prefix_offset, suffix.data(), common);
    if (c != 0) return {c > 0 ? 0 : n, false};
    if (suffix.size() < prefix_length) return {0, false};
    suffix.remove_prefix(prefix_length);
  }
  if (n == 0) return {0, false};
  uint64_t head = head_of(suffix);
  const Slot* all = slots();
  auto [low, length] = narrow(head, n);
  while (length > 1) {
    uint32_t half = length / 2;
    low = load_shared(&all[low + half - 1].head) < head ? low + half : low;
    length -= half;
  }
  if (low < n && load_shared(&all[low].head) < head) low++;
  // Slots before `low` are less. Those with an equal head need the whole key; they are few unless keys share much.
  uint32_t step = 1, high = low;
  while (high < n) {  // gallop to the first that is not less
    Slot slot = load(high);
    int c = slot.head != head ? 1 : compare_equal_heads(slot, suffix, key.primary_key);
    if (c == 0) return {high, true};
    if (c > 0) break;
    low = high + 1;
    high = std::min(n, high + step);
    step *= 2;
  }
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    Slot slot = load(middle);
    int c = slot.head != head ? 1 : compare_equal_heads(slot, suffix, key.primary_key);
    if (c == 0) return {middle, true};
    c < 0 ? low = middle + 1 : high = middle;
  }
  return {low, false};
}

BtreeNode* BtreeNode::child(uint32_t i) const {
  if (i == 0) return load_shared(&first_child_);
  Slot slot = load(i - 1);
  if (!stored(slot)) return nullptr;
  BtreeNode* child;
  copy_from_shared(&child, bytes() + slot.offset, sizeof child);
  return child;
}

void BtreeNode::read(uint32_t position, std::string& key, std::string& primary_key) const {
  key.clear();
  primary_key.clear();
  Slot slot = load(position);
  uint32_t prefix_offset, prefix_length;
  const char* mine = stored(slot);
  if (!mine || !load_prefix(prefix_offset, prefix_length)) return;
  key.resize(prefix_length + slot.key_length);
  primary_key.resize(slot.primary_length);
  copy_from_shared(key.data(), bytes() + prefix_offset, prefix_length);
  copy_from_shared(key.data() + prefix_length, mine, slot.key_length);
  copy_from_shared(primary_key.data(), mine + slot.key_length, slot.primary_length);
}

bool BtreeNode::has_key(uint32_t position, Bytes key) const {
  Slot slot = load(position);
  uint32_t prefix_offset, prefix_length;
  const char* mine = stored(slot);
  if (!mine || !load_prefix(prefix_offset, prefix_length)) return false;
  if (key.size() != prefix_length + slot.key_length) return false;
  if (slot.head != head_of(key.substr(prefix_length))) return false;
  if (slot.key_length > 8 && compare_shared(mine + 8, key.data() + prefix_length + 8, slot.key_length - 8u) != 0) {
    return false;
  }
  return prefix_length == 0 || compare_shared(bytes() + prefix_offset, key.data(), prefix_length) == 0;
}

void BtreeNode::read_primary(uint32_t position, std::string& primary_key) const {
  Slot slot = load(position);
  const char* mine = stored(slot);
  primary_key.resize(mine ? slot.primary_length : 0);
  if (mine) copy_from_shared(primary_key.data(), mine + slot.key_length, slot.primary_length);
}

void BtreeNode::read_many(uint32_t first, uint32_t count, bool downward, Batch& batch) const {
  constexpr size_t kAtOnce = 16;  // short entries are copied by two words, over the end of what they need
  batch.lengths.resize(count);
  uint32_t prefix_offset, prefix_length;
  if (!load_prefix(prefix_offset, prefix_length)) prefix_length = 0;
  const char* prefix = bytes() + prefix_offset;
  size_t used = 0;
  auto copy = [&](const char* from, size_t n) {
    if (n == 0) return;  // `from` may be null then: a torn slot
    if (!kThreadSanitizer && n <= kAtOnce && from + kAtOnce <= bytes() + capacity) {
      std::memcpy(batch.bytes.data() + used, from, kAtOnce);
    } else {
      copy_from_shared(batch.bytes.data() + used, from, n);
    }
    used += n;
  };
  for (uint32_t i = 0; i < count; i++) {
    Slot slot = load(downward ? first - i : first + i);
    const char* mine = stored(slot);
    if (!mine) slot.key_length = slot.primary_length = 0;
    size_t room = used + prefix_length + slot.key_length + slot.primary_length + kAtOnce;
    if (batch.bytes.size() < room) batch.bytes.resize(std::max<size_t>(2 * room, 256));
    copy(prefix, prefix_length);
    copy(mine, size_t{slot.key_length} + slot.primary_length);
    batch.lengths[i] = {prefix_length + slot.key_length, slot.primary_length};
  }
}

// ---- hints

BtreeNode::Narrowed BtreeNode::narrow(uint64_t head, uint32_t count) const {
  if (count < kHints * 2) return {0, count};
  uint32_t distance = count / (kHints + 1);
  uint32_t less = 0;  // hints less than the head
  for (uint32_t step = kHints / 2; step > 0; step /= 2) {
    if (load_shared(&hints_[less + step - 1]) < head) less += step;
  }
  if (less == kHints - 1 && load_shared(&hints_[less]) < head) less++;
  uint32_t low = less * distance;
  return {low, less == kHints ? count - low : distance};
}

void BtreeNode::prefetch_slots(Bytes key) const {
  constexpr uint32_t kMostLines = 8;
  uint32_t prefix_offset, prefix_length;
  if (!load_prefix(prefix_offset, prefix_length)) return;
  key.remove_prefix(std::min<size_t>(prefix_length, key.size()));
  const Narrowed part = narrow(head_of(key), count());
  const char* at = reinterpret_cast<const char*>(slots() + part.low);
  for (uint32_t line = 0; line < kMostLines && line * 64 < part.length * sizeof(Slot); line++) {
    __builtin_prefetch(at + line * 64);
  }
}

void BtreeNode::prefetch_entry(uint32_t position) const {
  if (position >= count()) return;
  const Slot slot = load(position);
  if (const char* entry = stored(slot); entry != nullptr) __builtin_prefetch(entry);
}

void BtreeNode::update_hints(uint32_t changed_from, uint32_t old_count) {
  if (count_ < kHints * 2) return;
  uint32_t distance = count_ / (kHints + 1);
  bool same = old_count >= kHints * 2 && old_count / (kHints + 1) == distance;
  for (uint32_t i = same && changed_from > 0 ? (changed_from - 1) / distance : 0; i < kHints; i++) {
    store_shared(&hints_[i], slots()[(i + 1) * distance].head);
  }
}

// ---- latched

bool BtreeNode::has_room(size_t key_length, size_t primary_length) const {
  size_t needed = bytes_needed(is_leaf(), key_length - prefix_length_, primary_length);
  return header_bytes() + live_bytes() + needed <= capacity;
}

void BtreeNode::store_entry(uint32_t position, Bytes key_begin, Bytes key_end, Bytes primary_key, BtreeNode* child) {
  auto key_length = static_cast<uint32_t>(key_begin.size() + key_end.size());
  auto size = static_cast<uint32_t>(child_bytes() + key_length + primary_key.size());
  store_shared(&heap_begin_, heap_begin_ - size);
  store_shared(&heap_live_, heap_live_ + size);
  char* to = bytes() + heap_begin_;
  if (!is_leaf()) copy_to_shared(to, &child, sizeof child);
  to += child_bytes();
  for (Bytes piece : {key_begin, key_end, primary_key}) {
    if (!piece.empty()) copy_to_shared(to, piece.data(), piece.size());
    to += piece.size();
  }
  to = bytes() + heap_begin_ + child_bytes();
  Slot& slot = slots()[position];
  store_shared(&slot.head, head_of({to, key_length}));
  store_shared(&slot.offset, heap_begin_);
  store_shared(&slot.key_length, static_cast<uint16_t>(key_length));
  store_shared(&slot.primary_length, static_cast<uint16_t>(primary_key.size()));
}

void BtreeNode::move_slots(uint32_t from, uint32_t to) {
  if constexpr (kThreadSanitizer) {  // word by word: byte by byte, as move_shared does it there, takes ten times longer
    auto* source = reinterpret_cast<uint64_t*>(slots() + from);
    auto* target = reinterpret_cast<uint64_t*>(slots() + to);
    size_t words = (count_ - from) * sizeof(Slot) / sizeof(uint64_t);
    for (size_t i = 0; i < words; i++) {
      size_t at = to < from ? i : words - 1 - i;
      store_shared(target + at, load_shared(source + at));
    }
  } else {
    std::memmove(slots() + to, slots() + from, (count_ - from) * sizeof(Slot));
  }
}

void BtreeNode::insert(uint32_t position, const EntryKey& key, BtreeNode* child) {
  Bytes suffix = key.key.substr(prefix_length_);
  if (free_bytes() < bytes_needed(is_leaf(), suffix.size(), key.primary_key.size())) compact();
  INDIGO_CHECK(free_bytes() >= bytes_needed(is_leaf(), suffix.size(), key.primary_key.size()));
  move_slots(position, position + 1);
  store_entry(position, suffix, {}, key.primary_key, child);
  store_shared(&count_, count_ + 1);
  update_hints(position, count_ - 1);
}

void BtreeNode::remove(uint32_t position) {
  Slot slot = slots()[position];
  store_shared(&heap_live_, heap_live_ - (child_bytes() + slot.key_length + slot.primary_length));
  move_slots(position + 1, position);
  store_shared(&count_, count_ - 1);
  update_hints(position, count_ + 1);
}

void BtreeNode::set_child(uint32_t i, BtreeNode* child) {
  if (i == 0) {
    store_shared(&first_child_, child);
  } else {
    copy_to_shared(bytes() + slots()[i - 1].offset, &child, sizeof child);
  }
}

void BtreeNode::compact() {
  uint32_t heap_bytes = capacity - heap_begin_;
  auto old = std::make_unique_for_overwrite<char[]>(heap_bytes);
  std::memcpy(old.get(), bytes() + heap_begin_, heap_bytes);
  uint32_t old_begin = heap_begin_;
  uint32_t to = capacity;
  auto move = [&](uint32_t offset, uint32_t size) {
    to -= size;
    copy_to_shared(bytes() + to, old.get() + (offset - old_begin), size);
    return to;
  };
  store_shared(&prefix_offset_, move(prefix_offset_, prefix_length_));
  for (uint32_t i = 0; i < count_; i++) {
    Slot& slot = slots()[i];
    store_shared(&slot.offset, move(slot.offset, child_bytes() + slot.key_length + slot.primary_length));
  }
  store_shared(&heap_begin_, to);
}

size_t BtreeNode::bytes_of(uint32_t first, uint32_t end, size_t prefix_length) const {
  size_t bytes = 0;
  for (uint32_t i = first; i < end; i++) {
    const Slot& slot = slots()[i];
    bytes += bytes_needed(is_leaf(), prefix_length_ + slot.key_length - prefix_length, slot.primary_length);
  }
  return bytes;
}

void BtreeNode::append(const BtreeNode& from, uint32_t first, uint32_t end) {
  Bytes from_prefix = from.prefix();
  // What of the other node's prefix is not in this one's, or how much of its suffixes this one's prefix has.
  Bytes begin = from_prefix.substr(std::min<size_t>(prefix_length_, from_prefix.size()));
  size_t skip = prefix_length_ > from_prefix.size() ? prefix_length_ - from_prefix.size() : 0;
  for (uint32_t i = first; i < end; i++) {
    const Slot& slot = from.slots()[i];
    const char* stored = from.bytes() + slot.offset + from.child_bytes();
    store_entry(count_, begin, Bytes(stored, slot.key_length).substr(skip),
                Bytes(stored + slot.key_length, slot.primary_length), is_leaf() ? nullptr : from.child(i + 1));
    count_++;
  }
  update_hints(0, 0);
}

}  // namespace indigo::storage
