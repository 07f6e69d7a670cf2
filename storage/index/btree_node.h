// A node of the synchronous B+-tree: sorted slots with 8-byte key heads, entries in a heap that grows from the end.
//
// Thread safety: readers look at a node without a latch and trust what they read only after latch.validate(version);
// every read is therefore bounded by `capacity`, whatever garbage a concurrent writer leaves in its way. Functions
// below "latched" need the latch held exclusively, or a node that other threads cannot reach yet.
//
// Invariants:
// 1. Slots ascend by (key, primary key). All keys of a node begin with its prefix; only what follows is stored.
// 2. A slot's head is the first 8 bytes after the prefix, big-endian, padded with zeros: heads that differ order their
//    slots.
// 3. An inner node has count + 1 children: child 0 holds what is less than slot 0, child i + 1 what is at least slot i
//    and less than slot i + 1. Separators are shortened keys, not entries.
// 4. With kHints * 2 slots or more, hint i is the head of slot (i + 1) * (count / (kHints + 1)): a search loads the
//    header, two lines of hints and one or two of slots, all but the last at once.
// 5. id, capacity and level never change. A node that leaves the tree is latched once after its parent forgot it, unless
//    trees share it: then it does not change any more.
//
//   bytes   what
//   0       latch (8), id (8), capacity (4), level (4), child 0 (8; inner nodes)
//   32      count (4), heap_begin (4), heap_live (4), prefix_offset (4), prefix_length (4), references (4), generation (8)
//   64      hints: the heads of 16 slots at equal distances
//   192     slots: head (8), offset (4), key length (2), primary key length (2)
//   ...     free space
//   heap    child (8; inner nodes), key after the prefix, primary key
//
// Source: Leis et al., Optimistic lock coupling; Bayer and Unterauer, Prefix B-trees; Graefe, Modern B-tree techniques.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "storage/btree/latch.h"
#include "storage/shared_bytes.h"

namespace indigo::storage {

// An entry, or a place between entries: compares by key, then by primary key.
struct EntryKey {
  Bytes key, primary_key;
  friend bool operator==(const EntryKey&, const EntryKey&) = default;
  friend bool operator<(const EntryKey& a, const EntryKey& b) {
    return a.key != b.key ? a.key < b.key : a.primary_key < b.primary_key;
  }
};

class alignas(64) BtreeNode {
 public:
  static constexpr uint32_t kDefaultBytes = 4096;
  static constexpr uint32_t kHints = 16;
  static constexpr uint32_t kChildBytes = sizeof(BtreeNode*);

  static BtreeNode* create(uint64_t id, uint32_t capacity, uint32_t level, Bytes prefix);
  static void destroy(BtreeNode* node);  // this one only, not its children
  // Of a leaf, as it lies in an image (storage/image/): `to` has its capacity.
  void copy_detached(void* to) const;
  BtreeNode(const BtreeNode&) = delete;
  BtreeNode& operator=(const BtreeNode&) = delete;

  mutable OptimisticLatch latch;
  const uint64_t id;  // unique in its tree, never reused
  const uint32_t capacity;
  const uint32_t level;  // 0: leaf

  bool is_leaf() const { return level == 0; }

  // ---- sharing (btree_index.h): how many child addresses and roots name it, and whose it is
  std::atomic<uint32_t>& references() { return references_; }
  uint64_t generation() const { return load_shared(&generation_); }
  void set_generation(uint64_t g) { store_shared(&generation_, g); }

  // ---- optimistic
  uint32_t count() const;
  struct Found {
    uint32_t position;  // of the first slot that is not less
    bool equal;         // and it is equal
  };
  Found lower_bound(const EntryKey& key) const;
  BtreeNode* child(uint32_t i) const;  // may be garbage: validate before following it
  // Appends the full key and the primary key of a slot. Sizes are bounded, contents may be garbage.
  void read(uint32_t position, std::string& key, std::string& primary_key) const;
  struct Lengths {
    uint32_t key, primary_key;  // of the full key
  };
  bool has_key(uint32_t position, Bytes key) const;
  void read_primary(uint32_t position, std::string& primary_key) const;
  // Many entries: each one's full key, then its primary key, one after the other.
  struct Batch {
    std::string bytes;  // may be longer than what the lengths add up to
    std::vector<Lengths> lengths;
  };
  // Replaces the batch by `count` slots, from `first` upward or downward.
  void read_many(uint32_t first, uint32_t count, bool downward, Batch& batch) const;
  // Loads ahead what a search will touch first.
  void prefetch() const {
    for (uint32_t line = 0; line < header_bytes(); line += 64) __builtin_prefetch(bytes() + line);
  }
  // All of a node of so many bytes that is too small for hints: nothing that is found in it is waited for then.
  void prefetch_small(uint32_t size) const {
    __builtin_prefetch(bytes());
    for (uint32_t line = header_bytes(); line < size; line += 64) __builtin_prefetch(bytes() + line);
  }

  // What a search for the key touches next, and what an entry found there needs.
  void prefetch_slots(Bytes key) const;
  void prefetch_entry(uint32_t position) const;
  // Where the next entry's bytes will be.
  void prefetch_heap() const { __builtin_prefetch(bytes() + std::max(load_shared(&heap_begin_), 1U) - 1, 1); }

  // ---- latched
  // Can one more entry with this full key length be inserted, after compacting if need be?
  bool has_room(size_t key_length, size_t primary_length) const;
  // The key begins with the node's prefix; `child` for inner nodes, right of the new separator.
  void insert(uint32_t position, const EntryKey& key, BtreeNode* child);
  void remove(uint32_t position);  // inner nodes: the separator and the child right of it
  void set_child(uint32_t i, BtreeNode* child);
  // Appends another node's slots [first, end) in order; the keys begin with this node's prefix.
  void append(const BtreeNode& from, uint32_t first, uint32_t end);
  // Bytes that slots [first, end) take in a node with a prefix of `prefix_length`.
  size_t bytes_of(uint32_t first, uint32_t end, size_t prefix_length) const;
  Bytes prefix() const { return {bytes() + prefix_offset_, prefix_length_}; }
  size_t live_bytes() const { return size_t{count_} * sizeof(Slot) + heap_live_; }
  bool underfull() const { return live_bytes() < capacity / 4 || (!is_leaf() && count_ == 0); }

  static size_t bytes_needed(bool leaf, size_t key_length, size_t primary_length) {
    return sizeof(Slot) + (leaf ? 0 : kChildBytes) + key_length + primary_length;
  }
  static constexpr size_t header_bytes() { return 64 + kHints * sizeof(uint64_t); }

 private:
  struct Slot {
    uint64_t head;
    uint32_t offset;
    uint16_t key_length;  // after the prefix
    uint16_t primary_length;
  };
  static_assert(sizeof(Slot) == 16);

  BtreeNode(uint64_t node_id, uint32_t bytes, uint32_t node_level) : id(node_id), capacity(bytes), level(node_level) {}

  static uint64_t head_of(Bytes suffix);
  char* bytes() { return reinterpret_cast<char*>(this); }
  const char* bytes() const { return reinterpret_cast<const char*>(this); }
  Slot* slots() { return reinterpret_cast<Slot*>(bytes() + header_bytes()); }
  const Slot* slots() const { return reinterpret_cast<const Slot*>(bytes() + header_bytes()); }
  uint32_t max_slots() const { return (capacity - header_bytes()) / sizeof(Slot); }
  uint32_t child_bytes() const { return is_leaf() ? 0 : kChildBytes; }
  Slot load(uint32_t position) const;
  // The stored part of a slot's key with the primary key behind it; nullptr when the slot is garbage.
  const char* stored(const Slot& slot) const;
  bool load_prefix(uint32_t& offset, uint32_t& length) const;
  int compare_equal_heads(const Slot& slot, Bytes suffix, Bytes primary_key) const;
  uint32_t free_bytes() const { return heap_begin_ - static_cast<uint32_t>(header_bytes() + count_ * sizeof(Slot)); }
  // The part of the slots where the first one with at least this head is.
  struct Narrowed {
    uint32_t low, length;
  };
  Narrowed narrow(uint64_t head, uint32_t count) const;
  void update_hints(uint32_t changed_from, uint32_t old_count);
  void compact();
  void move_slots(uint32_t from, uint32_t to);  // all slots from `from` on
  // Writes an entry to the heap, its key given in two pieces, and fills in the slot.
  void store_entry(uint32_t position, Bytes key_begin, Bytes key_end, Bytes primary_key, BtreeNode* child);

  BtreeNode* first_child_ = nullptr;
  uint32_t count_ = 0;
  uint32_t heap_begin_ = 0;
  uint32_t heap_live_ = 0;  // bytes of the heap in use, the prefix included
  uint32_t prefix_offset_ = 0;
  uint32_t prefix_length_ = 0;
  std::atomic<uint32_t> references_{1};
  uint64_t generation_ = 0;
  alignas(64) uint64_t hints_[kHints] = {};
};
static_assert(sizeof(BtreeNode) == BtreeNode::header_bytes());

}  // namespace indigo::storage
