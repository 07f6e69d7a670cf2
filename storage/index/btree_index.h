// The synchronous B+-tree behind Index: optimistic lock coupling, prefix truncation, no links between leaves.
//
// Thread safety: Index's. Every descent reads versions and validates each parent after it has its child's version;
// a reader that meets a change starts again at the root. Writers latch the leaf alone; splits and merges latch the parent
// (by upgrading its version, never waiting) and the nodes concerned, and replace these by new ones: the old nodes are
// retired by epoch. No thread waits for a latch above one that it holds.
//
// Cloning. A clone shares the root; both continue with generations of their own. A tree changes only nodes of its generation,
// which it has for itself with all that is above them; the first shared node on a writer's way is copied (btree_sharing.cpp),
// and the writer starts again. A reader may still be in the node that was copied: it is in the state of when it came there.
//
// Leaves of an image (storage/image/mapped_blocks.h) are shared nodes that count no references and are never freed; a descent
// examines them before it reads them.
//
// Invariants: those of btree_node.h, and
// 1. The root's pointer is guarded by root_latch_ as a child's pointer is by its parent's latch.
// 2. A node's prefix is common to all keys that its place in the tree admits, not only to those it has.
// 3. No guard, latch or pointer to a node outlives a call.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "storage/epoch.h"
#include "storage/image/mapped_blocks.h"
#include "storage/index/btree_node.h"
#include "storage/index/index.h"
#include "storage/index/index_factory.h"
#include "storage/memory/memory_account.h"
#include "storage/pause_points.h"

namespace indigo::storage {

// A place in key order between entries: before everything that is not less than `at`, or the index's end.
struct BtreePlace {
  std::string key, primary_key;
  bool unbounded = false;

  EntryKey at() const { return {key, primary_key}; }
  void set(const EntryKey& place) {
    key.assign(place.key);
    primary_key.assign(place.primary_key);
    unbounded = false;
  }
};

// Leaves of an image (storage/index/btree_mapped.cpp).
struct MappedEntries {
  std::vector<BtreeNode*> leaves;
  std::vector<uint32_t> capacities;    // of the leaves
  std::vector<BtreePlace> separators;  // before each of the leaves but the first
  uint64_t entries = 0, next_id = 1;
  bool inverted = false;
};

class BtreeIndex final : public Index {
 public:
  BtreeIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses, bool inverted = false);
  // Over leaves of an image, with a generation greater than any before.
  BtreeIndex(EpochManager& epochs, const PauseHook& pauses, const MappedBlocks& mapped, const MappedEntries& entries,
             uint64_t generation);
  ~BtreeIndex() override;  // it must not be in use
  std::unique_ptr<Index> clone(uint64_t generation, uint64_t clone_generation) override;

  StorageStatus insert(Bytes key, Bytes primary_key) override;
  StorageStatus insert_ascending(std::span<const IndexEntry> entries) override;
  bool erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) override;
  size_t lookup(Bytes key, std::vector<std::string>& primary_keys) override;
  void lookup_many(std::span<const Bytes> keys, IndexMatches& out) override;
  std::unique_ptr<IndexScan> scan(const KeyRange& range, Direction direction) override;
  bool inverted() const override { return inverted_; }
  void set_fill(uint8_t percent) override { fill_percent_.store(percent, std::memory_order_relaxed); }
  uint64_t entry_count() const override;
  bool counts_exactly() const override { return true; }  // an entry is counted off after it has gone
  uint64_t memory_bytes() const override { return memory_bytes_.load(std::memory_order_relaxed); }
  std::string check() const override;

  // The leaves from left to right, each with the separator before it (of the first: nothing); only without concurrent writers.
  void for_each_leaf(const std::function<void(const BtreeNode& leaf, const BtreePlace& separator)>& visit) const;
  uint64_t next_id() const { return next_id_.load(std::memory_order_relaxed); }

  // ---- for a structure that has this one as a part (indexlet/indexlet_index.h): changes under its own WriteGuard and lock.
  // `restarts` is told how often another writer's change of the leaf came in between; may be null.
  void insert_guarded(const EntryKey& entry, uint32_t* restarts = nullptr);  // neither key is too large
  bool erase_guarded(const EntryKey& entry, const std::function<bool()>& still_needed, uint32_t* restarts = nullptr);
  bool contains(const EntryKey& entry) const;
  // The leaves where some keys' changes will be, found side by side. A change that is told which of them is its own needs no
  // descent, if the epoch is the same and nothing has happened to the leaf meanwhile; else it makes one.
  static constexpr size_t kLookupBatch = 16;
  class Ahead;
  void look_ahead(std::span<const Bytes> keys, Ahead& ahead) const;  // at most kLookupBatch keys
  void insert_guarded(const EntryKey& entry, const Ahead& ahead, size_t i);
  bool erase_guarded(const EntryKey& entry, const Ahead& ahead, size_t i);

  // Reads at most `max` entries that are at or after `from` and before `end`, all from one leaf, and moves `from`
  // behind what it read. False at the end of the range (the batch may have entries then). A batch without entries
  // that answers true means: continue.
  bool read_forward(BtreePlace& from, const BtreePlace& end, size_t max, BtreeNode::Batch& batch) const;
  // The same backwards: entries before `from` that are at or after `end`, in descending order.
  bool read_backward(BtreePlace& from, const BtreePlace& end, size_t max, BtreeNode::Batch& batch) const;

 private:
  static constexpr uint32_t kMaxDepth = 24;
  static constexpr uint32_t kMinFanout = 8;  // a node with fewer entries grows instead of splitting

  // The way from the root to a node, with the versions seen. steps[0] is the root.
  struct Path {
    struct Step {
      BtreeNode* node;
      uint64_t version;
      uint32_t child;  // which child was taken; of the last step: nothing
    };
    std::array<Step, kMaxDepth> steps;
    uint32_t depth = 0;
    uint64_t root_version = 0;
    bool rightmost = true;  // every child taken was its parent's last

    Step& last() { return steps[depth - 1]; }
  };
  // Where a descent goes at an inner node.
  enum class Toward : uint8_t { kAt, kBefore, kFirst, kLast };  // kBefore: to what is less than the place

  // One attempt; false when something changed on the way.
  bool try_descend(Toward toward, const EntryKey& place, uint32_t level, Path& path) const;
  void descend(Toward toward, const EntryKey& place, uint32_t level, Path& path) const;
  // A descent of several keys side by side, at most kLookupBatch. A leaf that is null has to be looked for again.
  struct LeafFound {
    BtreeNode* leaf = nullptr;
    uint64_t version = 0;
  };
  void find_leaves(std::span<const Bytes> keys, std::span<LeafFound> leaves) const;
  // The leaf is latched, and it is the entry's.
  bool latch_there(const LeafFound& at, const EntryKey& entry, BtreeNode::Found& found) const;
  // The nearest separator right (left) of the way that the path took: where the next leaf begins (this one begins).
  // False when there is none; *valid false when something changed.
  bool upper_fence(const Path& path, BtreePlace& fence, bool* valid) const;
  bool lower_fence(const Path& path, BtreePlace& fence, bool* valid) const;

  // Is there room for an entry at this position of the path's last node? An ascending one leaves some (fill_percent_).
  bool has_room(const Path& path, uint32_t position, Bytes key, Bytes primary_key) const;

  // ---- restructuring, btree_restructure.cpp
  // Splits or grows the node of `level` on the way to `key`, which may be inserted there then, if it lacks room.
  void make_room(const EntryKey& key, uint32_t level);
  bool try_make_room(const EntryKey& key, uint32_t level);
  void split(Path& path, uint32_t position, BtreePlace& separator, BtreeNode*& left, BtreeNode*& right) const;
  // Merges nodes on the way to `key` that have become too empty.
  void shrink(const EntryKey& key);
  enum class Merge : uint8_t { kNothingToDo, kMerged, kAlone, kDoesNotFit, kRetry };
  Merge try_merge(const EntryKey& key, uint32_t level);
  BtreeNode* merged(const BtreeNode& left, const BtreeNode& right, const EntryKey& separator) const;

  OptimisticLatch& parent_latch(const Path& path, uint32_t step) const;
  uint64_t parent_version(const Path& path, uint32_t step) const;
  void replace_child(const Path& path, uint32_t step, BtreeNode* node);

  // ---- sharing, btree_sharing.cpp
  BtreeIndex(BtreeIndex& source, uint64_t generation);
  bool mine(const BtreeNode& node) const { return node.generation() == generation_.load(std::memory_order_relaxed); }
  // Is the path's last node this tree's own? If not, something is done about it: descend again.
  bool make_private(Path& path);
  void release(BtreeNode* node);
  static void release(BtreeNode* node, MemoryAccount* account, const MappedBlocks* mapped);
  bool is_mapped(const BtreeNode* node) const { return mapped_ != nullptr && mapped_->has(node); }
  void examine(const BtreeNode* node) const {
    if (mapped_ != nullptr) mapped_->examine(node);
  }
  void add_reference(BtreeNode* node) const {
    if (!is_mapped(node)) node->references().fetch_add(1, std::memory_order_relaxed);
  }
  // btree_mapped.cpp: the level above these nodes.
  void build_level(std::vector<BtreeNode*>& nodes, std::vector<BtreePlace>& separators, uint32_t level);
  static void visit_leaves(const BtreeNode& node, BtreePlace& separator,
                           const std::function<void(const BtreeNode& leaf, const BtreePlace& separator)>& visit);

  BtreeNode* create_node(uint32_t capacity, uint32_t level, Bytes prefix) const;
  void retire(BtreeNode* node);
  void count_memory(int64_t bytes) const;
  void count_entries(int64_t change);

  EpochManager& epochs_;
  MemoryAccount* const account_;                // may be null
  const MappedBlocks* const mapped_ = nullptr;  // where some of its leaves may lie; then account_ is that one's
  const PauseHook& pauses_;
  const bool inverted_;
  std::atomic<uint8_t> fill_percent_{100};
  std::atomic<uint64_t> generation_{0};  // changes while writers are kept out
  mutable std::atomic<uint64_t> next_id_{1};
  mutable std::atomic<uint64_t> memory_bytes_{0};
  mutable OptimisticLatch root_latch_;  // guards root_
  BtreeNode* root_;
  struct alignas(64) Counter {
    std::atomic<int64_t> value{0};
  };
  std::array<Counter, 8> entries_;  // their sum is the number of entries; by thread, to keep the cache line local
};

class BtreeIndex::Ahead {
  friend class BtreeIndex;
  uint64_t epoch_ = 0;
  std::array<LeafFound, kLookupBatch> leaves_;
};

std::unique_ptr<Index> create_btree_index(EpochManager& epochs, const PauseHook& pauses);
// Counts its memory in `account` too.
std::unique_ptr<Index> create_btree_index(EpochManager& epochs, const PauseHook& pauses, MemoryAccount& account);
inline std::unique_ptr<Index> create_btree_index(const IndexEnvironment& e) {
  return create_btree_index(e.epochs, e.pauses, e.account);
}
// A tree over any number of keys of each row.
std::unique_ptr<Index> create_inverted_index(const IndexEnvironment& environment);

}  // namespace indigo::storage
