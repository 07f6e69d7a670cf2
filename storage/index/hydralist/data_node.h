// A data node of HydraList: up to 64 entries in no order, with a fingerprint each, and neighbours to both sides. Its anchor
// never changes: it holds what is not less than its own anchor and less than its right neighbour's.
//
// A look-up reads the first two lines and that of its entry (node_shape.h); of a mixed block one more. Whether it is the right
// node the heads of both anchors say, which are in the first line: the neighbour is looked at when they are equal.
//
//   bytes   what
//   0       latch, slots in use, right neighbour, its anchor's head and this one's, block, shape, left neighbour
//   64      fingerprints
//   128     order of the slots, anchor (up to 24 bytes of it)
//   256     the block that a node was made with, when its entries are small and even
//
// Thread safety: readers look at a node without its latch and trust what they copied when its version is the same
// afterwards; all their reads are bounded, whatever a writer leaves in their way. What is "latched" needs the latch, or a node
// that no other thread can reach. The anchor is a constant.
// Memory order: a reader's loads lie between latch.read_begin() and latch.validate(), which pair with the writer's unlock() and
// its first store; they are relaxed. What it follows (the neighbour, the block) it validates before, not only afterwards: so it has
// seen all that was written to that place before a writer of this node let go of the latch.
//
// Invariants:
// 1. A node's right neighbour changes under the node's latch, and so does that neighbour's left one. So there is one writer
//    of each. `skip` and both heads are of the anchors of this node and that neighbour: they change with it.
// 2. `deleted` is set once, under the latches of the node and of its left neighbour, when its entries are in the latter.
// 3. Block and shape change together, under the latch. A block that was replaced is retired; the one inside of the node stays.
// 4. The order (permutation array) is that of one version: readers who find it older sort for themselves, and publish the
//    result unless another reader is doing so. All that sort for one version agree.
//
// Source: Mathew and Min, HydraList (PVLDB 13(9), 2020), 4.1, 4.2.3, 4.3, 4.7.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "storage/btree/latch.h"
#include "storage/index/hydralist/fingerprints.h"
#include "storage/index/hydralist/node_shape.h"

namespace indigo::storage {

class alignas(64) DataNode {
 public:
  static constexpr uint32_t kSlots = NodeShape::kSlots;

  // What was in a node at one moment, in order.
  class Copy {
   public:
    uint32_t count() const { return count_; }
    EntryKey at(uint32_t i) const { return view_.at(order_[i]).entry(); }
    uint32_t lower_bound(const EntryKey& place) const;

   private:
    friend class DataNode;
    char* room(size_t bytes);
    uint32_t count_ = 0;
    BlockView view_{};  // of bytes_
    uint8_t order_[kSlots];
    std::unique_ptr<char[]> bytes_;
    size_t capacity_ = 0;
  };

  // With room for so much, at least.
  static DataNode* create(const EntryKey& anchor, const BlockNeeds& needs);
  static void destroy(DataNode* node);
  static void free_block(void* block) { ::operator delete(block); }
  DataNode(const DataNode&) = delete;
  DataNode& operator=(const DataNode&) = delete;

  // ---- line 0
  mutable OptimisticLatch latch;

 private:
  uint64_t used_ = 0;  // a bit for each slot
  DataNode* next_ = nullptr;
  uint64_t next_head_ = 0, own_head_ = 0;  // of the anchors' keys, behind what they have in common
  char* block_ = nullptr;
  uint64_t shape_ = 0;
  std::atomic<DataNode*> prev_{nullptr};

 public:
  EntryKey anchor() const {
    return {{anchor_, anchor_key_length_}, {anchor_ + anchor_key_length_, anchor_primary_length_}};
  }
  size_t memory_bytes() const;

  // ---- optimistic
  DataNode* next() const { return load_shared(&next_); }
  DataNode* prev() const { return prev_.load(std::memory_order_acquire); }  // pairs with set_prev()
  bool deleted() const { return shape().deleted != 0; }
  uint32_t count() const { return static_cast<uint32_t>(std::popcount(load_shared(&used_))); }

  // What says whether a place is in this node.
  struct Range {
    DataNode* next;
    uint64_t own_head, next_head;
    NodeShape shape;
  };
  Range range() const { return {next(), load_shared(&own_head_), load_shared(&next_head_), shape()}; }
  // How a key lies to the anchor and to the right neighbour's: less, greater, or (0) that has to be looked at.
  struct Sides {
    int own, next;
  };
  Sides sides(const Range& range, Bytes key) const;

  // The slot of an entry, to be validated; kSlots when it is not there. kChanged: the node is another than at this version, or
  // latched; who latched it may let it go unchanged, so this is no answer, whatever a later look says of the version.
  static constexpr uint32_t kChanged = kSlots + 1;
  uint32_t find(const EntryKey& entry, uint8_t print, uint64_t version) const;
  // Appends the primary keys of all entries of a key, in no order; strings from `count` on are reused. False, and nothing that
  // counts, when the node is not what it was at this version.
  bool read_key(Bytes key, uint8_t print, uint64_t version, std::vector<std::string>& primary_keys,
                size_t& count) const;
  // False when the node is no longer what it was at this version.
  bool copy(uint64_t version, Copy& out) const;
  void prefetch() const {
    const char* const from = reinterpret_cast<const char*>(this);
    __builtin_prefetch(from);
    __builtin_prefetch(from + 64);
    __builtin_prefetch(anchor_room_);
  }
  // For a look-up and for a scan that will come: what they read behind that.
  void prefetch_key(uint8_t print) const;
  void prefetch_entries() const;

  // ---- latched
  void set_next(DataNode* node);
  void set_prev(DataNode* node) { prev_.store(node, std::memory_order_release); }  // pairs with prev()
  void set_deleted();
  bool full() const { return used_ == ~uint64_t{0}; }
  // Is there room for an entry, or for all of another node's, in the block as it is?
  bool has_room(const EntryKey& entry) const;
  bool has_room(const BlockNeeds& more) const;
  uint32_t live_bytes() const { return live_bytes_; }
  // Of all that is in it.
  BlockNeeds needs() const;
  // A new block, with what is live and room for `more`; answers what others may be reading and nobody will find, or null.
  [[nodiscard]] void* replace_block(const BlockNeeds& more);
  void insert(const EntryKey& entry, uint8_t print);  // it is not there, and there is room
  void remove(uint32_t slot);
  bool all_before(const EntryKey& place) const { return used_ == 0 || compare_places(entry(greatest()), place) < 0; }
  // Its block is much larger than what is in it.
  bool oversized() const;
  // What are to be two nodes, from eight entries or more, and the anchor of the upper one.
  struct Parts {
    uint64_t upper = 0;
    std::string anchor_key, anchor_primary;
  };
  Parts divide() const;
  static EntryKey separator(const EntryKey& left, const EntryKey& right);
  uint32_t greatest() const;  // its slot; the node is not empty
  EntryKey entry(uint32_t slot) const { return view().at(slot).entry(); }
  void copy_to(DataNode& to, uint64_t slots) const;  // which has room
  void move_to(DataNode& to, uint64_t slots) {
    copy_to(to, slots);
    remove_all(slots);
  }
  uint64_t used() const { return used_; }
  BlockNeeds needs_of(uint64_t slots) const;
  // Empty, or what is wrong.
  std::string check_latched() const;

 private:
  // The order of entries at one version.
  struct Order {
    std::atomic<uint64_t> sequence{0};  // odd while it is written, by one thread
    uint64_t version = UINT64_MAX;
    uint8_t slots[kSlots];

    bool read(uint64_t wanted, uint8_t* out) const;
    void publish(uint64_t of, const uint8_t* from);
  };

  explicit DataNode(const EntryKey& anchor);
  ~DataNode() = default;

  NodeShape shape() const { return NodeShape::of(load_shared(&shape_)); }
  BlockView view() const { return {load_shared(&used_), load_shared(&block_), shape()}; }
  char* inside() { return reinterpret_cast<char*>(this + 1); }
  const char* inside() const { return reinterpret_cast<const char*>(this + 1); }
  bool block_inside() const { return block_ == inside(); }
  static void prefetch_room(const BlockView& view);  // for an insert
  void set_block(char* block, NodeShape shape);
  void put(uint32_t slot, const EntryKey& entry, uint8_t fingerprint);
  void remove_all(uint64_t slots);

  Fingerprints fingerprints_;
  mutable Order order_;
  const char* anchor_;  // anchor_room_, or a block of its own
  const uint16_t anchor_key_length_, anchor_primary_length_;
  uint32_t used_bytes_ = 0;  // of a mixed block's heap
  uint32_t live_bytes_ = 0;
  uint32_t inside_bytes_ = 0;  // a constant
  char anchor_room_[24];
};
static_assert(sizeof(DataNode) == 256);

[[gnu::always_inline]] inline DataNode::Sides DataNode::sides(const Range& range, Bytes key) const {
  const size_t skip = range.shape.skip;
  if (skip != 0) {
    // Both anchors begin so.
    const size_t most = std::min(skip, key.size());
    int c = same_shared(anchor_, key.data(), most) ? 0 : std::memcmp(key.data(), anchor_, most);
    if (c == 0 && key.size() < skip) c = -1;
    if (c != 0) return {c, range.next == nullptr ? -1 : c};
  }
  const uint64_t head = key_head(key, skip);
  const auto to = [head](uint64_t other) { return head < other ? -1 : static_cast<int>(head > other); };
  return {to(range.own_head), range.next == nullptr ? -1 : to(range.next_head)};
}

}  // namespace indigo::storage
