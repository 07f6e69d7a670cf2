// A data node of HydraList: up to 64 entries in no order, with a fingerprint each, and neighbours to both sides. Its anchor
// never changes: it holds what is not less than its own anchor and less than its right neighbour's.
//
// Thread safety: readers look at a node without its latch and trust what they copied when its version is the same
// afterwards; all their reads are bounded, whatever a writer leaves in their way. What is "latched" needs the latch, or a node
// that no other thread can reach. The anchor and the block's size are constants.
//
// Invariants:
// 1. A node's right neighbour changes under the node's latch, and so does that neighbour's left one. So there is one writer
//    of each.
// 2. `deleted` is set once, under the latches of the node and of its left neighbour, when its entries are in the latter.
// 3. An entry's bytes are in the node's block, which is replaced by a new one and never moved in place.
// 4. The order (permutation array) is that of one version: readers who find it older sort for themselves, and publish the
//    result unless another reader is doing so. All that sort for one version agree.
//
// Source: Mathew and Min, HydraList (PVLDB 13(9), 2020), 4.1, 4.2.3, 4.3, 4.7.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/btree/latch.h"
#include "storage/index/btree_node.h"
#include "storage/index/hydralist/fingerprints.h"

namespace indigo::storage {

class DataNode {
 public:
  static constexpr uint32_t kSlots = Fingerprints::kCount;

  // The bytes of entries, one after the other.
  struct Block {
    uint32_t capacity;
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
    const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
    static Block* create(uint32_t capacity);
    static void destroy(Block* block);
  };
  struct Slot {
    uint32_t offset;
    uint16_t key_length, primary_length;
    size_t bytes() const { return size_t{key_length} + primary_length; }
  };

  // What was in a node at one moment, in order.
  class Copy {
   public:
    uint32_t count() const { return count_; }
    EntryKey at(uint32_t i) const { return slot(slots_[order_[i]]); }
    uint32_t lower_bound(const EntryKey& place) const;

   private:
    friend class DataNode;
    EntryKey slot(const Slot& s) const {
      const Bytes all(bytes_);
      return {all.substr(s.offset, s.key_length), all.substr(s.offset + s.key_length, s.primary_length)};
    }
    void sort();
    uint64_t used_ = 0;
    uint32_t count_ = 0;
    uint8_t order_[kSlots];
    Slot slots_[kSlots];
    std::string bytes_;
  };

  DataNode(const EntryKey& anchor, uint32_t block_bytes);
  ~DataNode();
  DataNode(const DataNode&) = delete;
  DataNode& operator=(const DataNode&) = delete;

  mutable OptimisticLatch latch;

  EntryKey anchor() const {
    const Bytes all(anchor_);
    return {all.substr(0, anchor_key_length_), all.substr(anchor_key_length_)};
  }
  size_t memory_bytes() const { return sizeof(DataNode) + anchor_.capacity() + sizeof(Block) + block()->capacity; }

  // ---- optimistic
  DataNode* next() const { return load_shared(&next_); }
  DataNode* prev() const { return prev_.load(std::memory_order_acquire); }  // pairs with set_prev()
  bool deleted() const { return load_shared(&deleted_); }
  uint32_t count() const { return static_cast<uint32_t>(std::popcount(load_shared(&used_))); }
  static uint8_t fingerprint(uint64_t hash) { return static_cast<uint8_t>(hash >> 56); }
  bool contains(const EntryKey& entry, uint64_t hash) const { return find(entry, hash) < kSlots; }
  // Appends the primary keys of all entries of a key, in no order; strings from `count` on are reused.
  size_t read_key(Bytes key, uint64_t hash, std::vector<std::string>& primary_keys, size_t count) const;
  // False when the node is no longer what it was at this version.
  bool copy(uint64_t version, Copy& out) const;
  void prefetch() const {
    const char* const from = reinterpret_cast<const char*>(this);
    for (size_t line = 0; line < kFirstLines; line += 64) __builtin_prefetch(from + line);
  }

  // ---- latched
  void set_next(DataNode* node) { store_shared(&next_, node); }
  void set_prev(DataNode* node) { prev_.store(node, std::memory_order_release); }  // pairs with prev()
  void set_deleted() { store_shared(&deleted_, true); }
  uint32_t find(const EntryKey& entry, uint64_t hash) const;  // kSlots: not there
  bool full() const { return count() == kSlots; }
  // Is there room for that many bytes, in the block as it is?
  bool has_room(size_t bytes) const { return used_bytes_ + bytes <= block()->capacity; }
  uint32_t live_bytes() const { return live_bytes_; }
  // A new block, with what is live and room for `bytes` more; answers the old one, which others may be reading.
  [[nodiscard]] Block* replace_block(size_t bytes);
  void insert(const EntryKey& entry, uint64_t hash);  // it is not there, and there is room
  void remove(uint32_t slot);
  bool all_before(const EntryKey& place) const;
  // Its block is much larger than what is in it.
  bool oversized() const {
    return block()->capacity > block_bytes_for(0) && size_t{live_bytes_} * 4 < block()->capacity;
  }
  void copy_to(DataNode& to) const;  // which has room
  // Empty, or what is wrong.
  std::string check_latched() const;
  // Copies all entries, under the latch or not reachable.
  void copy_latched(Copy& out) const;
  // Moves what is at these places of the copy, which was taken under this latch, to a node with room for it.
  void move_to(DataNode& to, const Copy& copy, uint32_t from, uint32_t end);

  static uint32_t block_bytes_for(size_t live);

 private:
  static constexpr size_t kFirstLines = 256;  // what comes before the slots

  Block* block() const { return load_shared(&block_); }
  EntryKey entry(uint32_t slot) const;  // latched
  bool equals(uint32_t slot, const EntryKey& entry) const;
  void put(uint32_t slot, const EntryKey& entry, uint8_t fingerprint);

  // The order of entries at one version.
  struct Order {
    std::atomic<uint64_t> sequence{0};  // odd while it is written, by one thread
    uint64_t version = UINT64_MAX;
    uint8_t slots[kSlots];

    bool read(uint64_t wanted, uint8_t* out) const;
    void publish(uint64_t of, const uint8_t* from);
  };

  const uint32_t anchor_key_length_;
  bool deleted_ = false;
  const std::string anchor_;
  uint64_t used_ = 0;  // a bit for each slot
  DataNode* next_ = nullptr;
  std::atomic<DataNode*> prev_{nullptr};
  Block* block_;
  uint32_t used_bytes_ = 0, live_bytes_ = 0;  // of the block; reads of the first are bounded by its capacity
  Fingerprints fingerprints_;
  Slot slots_[kSlots];
  mutable Order order_;
};

}  // namespace indigo::storage
