// How the entries of a data node lie in its block (data_node.h).
//
// Even: all keys have one length, all primary keys one, and slot i begins at i times their sum. So a fingerprint leads to an
// entry's bytes, without a look at anything else. Mixed: there are 64 offsets with lengths, and behind them a heap.
//
// Thread safety: values. A reader follows a block with the shape that the node had at the same version (DataNode::view());
// whatever a writer does to the bytes then, it reads inside of the block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "storage/index/btree_node.h"
#include "storage/index/hydralist/fingerprints.h"
#include "storage/shared_bytes.h"

namespace indigo::storage {

// In one word, with two things that have nothing to do with blocks.
struct NodeShape {
  static constexpr uint32_t kSlots = Fingerprints::kCount;
  static constexpr size_t kMostEven = 1024;  // bytes of an entry

  uint32_t entries = 0;  // even: a key's length, and a primary key's in the upper half; mixed: bytes of the heap
  uint16_t skip = 0;     // of the keys of the node's anchor and its right neighbour's: what comes before their heads
  uint8_t room = 0;      // even: slots; mixed: 0
  uint8_t deleted = 0;

  bool even() const { return room != 0; }
  uint32_t key_length() const { return entries & 0xffff; }
  uint32_t primary_length() const { return entries >> 16; }
  size_t stride() const { return size_t{key_length()} + primary_length(); }
  size_t block_bytes() const;

  uint64_t word() const { return std::bit_cast<uint64_t>(*this); }
  static NodeShape of(uint64_t word) { return std::bit_cast<NodeShape>(word); }
  static uint32_t lengths(const EntryKey& entry) {
    return static_cast<uint32_t>(entry.key.size() | entry.primary_key.size() << 16);
  }
};
static_assert(sizeof(NodeShape) == sizeof(uint64_t));

// Of a mixed block.
struct DataSlot {
  uint32_t offset;
  uint16_t key_length, primary_length;
  size_t bytes() const { return size_t{key_length} + primary_length; }
};

inline size_t NodeShape::block_bytes() const {
  if (even()) return room * stride();
  return entries == 0 ? 0 : kSlots * sizeof(DataSlot) + entries;
}

// What entries need of a block together.
struct BlockNeeds {
  uint32_t count = 0;
  uint32_t lengths = 0;  // of each of them, if
  bool even = true;      // they are the same
  size_t bytes = 0;

  static BlockNeeds of(const EntryKey& entry) {
    return {1, NodeShape::lengths(entry), true, entry.key.size() + entry.primary_key.size()};
  }
  BlockNeeds& operator+=(const BlockNeeds& more) {
    if (more.count == 0) return *this;
    if (count == 0) return *this = more;
    even = even && more.even && lengths == more.lengths;
    count += more.count;
    bytes += more.bytes;
    return *this;
  }
};

// Where an entry's bytes are; nowhere, when its slot is garbage.
struct StoredEntry {
  const char* bytes = nullptr;
  uint32_t key_length = 0, primary_length = 0;

  EntryKey entry() const { return {{bytes, key_length}, {bytes + key_length, primary_length}}; }
};

// What a reader takes of a node before it follows the block.
struct BlockView {
  uint64_t used;
  const char* block;
  NodeShape shape;

  // Slots that there are and that are in use.
  uint64_t slots() const { return shape.even() && shape.room < 64 ? used & ((uint64_t{1} << shape.room) - 1) : used; }
  [[gnu::always_inline]] StoredEntry at(uint32_t slot) const {
    if (shape.even()) return {block + slot * shape.stride(), shape.key_length(), shape.primary_length()};
    const auto* const slots = reinterpret_cast<const DataSlot*>(block);
    const DataSlot s{load_shared(&slots[slot].offset), load_shared(&slots[slot].key_length),
                     load_shared(&slots[slot].primary_length)};
    if (s.offset + s.bytes() > shape.entries) return {};
    return {block + NodeShape::kSlots * sizeof(DataSlot) + s.offset, s.key_length, s.primary_length};
  }
};

template <class Word>
bool same_word(const char* a, const char* b) {
  return load_unaligned<Word>(a) == load_unaligned<Word>(b);
}

// Are these bytes the same? Short ones by words, without a call.
[[gnu::always_inline]] inline bool same_shared(const char* shared, const char* own, size_t n) {
  if (kThreadSanitizer || n > 64) return compare_shared(shared, own, n) == 0;
  if (n >= 8) {
    for (size_t at = 0; at + 8 < n; at += 8) {
      if (!same_word<uint64_t>(shared + at, own + at)) return false;
    }
    return same_word<uint64_t>(shared + n - 8, own + n - 8);
  }
  if (n >= 4) return same_word<uint32_t>(shared, own) && same_word<uint32_t>(shared + n - 4, own + n - 4);
  if (n >= 2) return same_word<uint16_t>(shared, own) && same_word<uint16_t>(shared + n - 2, own + n - 2);
  return n == 0 || *shared == *own;
}

inline size_t common_prefix(Bytes a, Bytes b) {
  const size_t most = std::min(a.size(), b.size());
  size_t n = 0;
  while (n < most && a[n] == b[n]) n++;
  return n;
}

// The eight bytes of a key behind the first `skip`, with zeros behind its end: keys that begin alike and have different heads
// compare as these do.
[[gnu::always_inline]] inline uint64_t key_head(Bytes key, size_t skip) {
  if (key.size() <= skip) return 0;
  const size_t rest = key.size() - skip;
  if (rest >= 8) return big_endian(load_unaligned<uint64_t>(key.data() + skip));
  if (key.size() >= 8) return big_endian(load_unaligned<uint64_t>(key.data() + key.size() - 8)) << (64 - 8 * rest);
  uint64_t head = 0;
  for (size_t i = skip; i < key.size(); i++) head = head << 8 | static_cast<uint8_t>(key[i]);
  return head << (64 - 8 * rest);
}

inline int compare_places(const EntryKey& a, const EntryKey& b) {
  const int by_key = a.key.compare(b.key);
  return by_key != 0 ? by_key : a.primary_key.compare(b.primary_key);
}

}  // namespace indigo::storage
