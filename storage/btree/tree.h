// The primary B+-tree: finds, splits and merges leaves. It knows records as keys with 32-byte metas and bodies; versions
// and transactions are above it (storage/table/).
//
// Thread safety: all functions; the caller holds an epoch guard for as long as it uses a leaf that it got.
// Invariants:
// 1. Descending with any key ends at the leaf that covers it or, while a split is not yet in the parent, at one from
//    which following successors leads there.
// 2. Latches are taken from left to right; structure_mutex_ is taken before any latch and never while holding one.
// 3. A leaf that leaves the tree is frozen first and retired by epoch; frozen means nothing in a foreign leaf.
//
// Cloning. A clone shares the root, and both trees continue with generations of their own, greater than all before. Of the
// nodes that a tree can reach, it may change those of its generation (`writable`), in which case it has them, and all
// above them, for itself. A leaf from before its first generation is foreign: another tree's, which this one reads as it was
// when they were parted. Between the two are leaves that this tree made and shares with its clones.
// make_private copies what has to be written, and the path above it; the rest of the tree never meets a shared node there.
// 4. The successor of a leaf that is not foreign is its right neighbour, or null while that one is foreign (or none); the
//    successor of a foreign leaf is not looked at.
// 5. A leaf of an image is foreign to every tree, and has been examined (storage/image/mapped_blocks.h) before it is read; only
//    whose it is can be asked before.
// 6. Cloning finds no split or merge under way: it keeps writers out (EpochManager::pause_writers).
// Source: Index-Organized 4.3 and 4.5; Lehman and Yao's link for the late writer.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/mutation.h"
#include "storage/btree/node_memory.h"
#include "storage/thresholds.h"

namespace indigo::storage {

// What the layer above must do when a record changes its leaf. Called under the latches of both leaves.
class RecordMover {
 public:
  virtual ~RecordMover() = default;
  virtual void record_moved(const RecordMeta& meta, Leaf* to) = 0;
  virtual void leaf_split(Leaf* from, Leaf* to) = 0;
  // This record of a foreign leaf has come to a leaf of one's own; or a record of one's own stays in a shared leaf, too.
  virtual void record_copied(const Leaf& from, const RecordMeta& meta) = 0;
};

// Leaves of an image, one behind the other.
struct MappedLeaves {
  Leaf* first = nullptr;
  size_t stride = 0;                    // from one to the next, in bytes
  std::vector<std::string> low_fences;  // of all; the first is empty
};

class Tree {
 public:
  Tree(NodeMemory& memory, RecordMover& mover);
  // A clone of `source`; no writer is active in it. Generations are greater than any before, the clone's the greatest.
  Tree(Tree& source, RecordMover& mover, uint64_t source_generation, uint64_t generation);
  // Over leaves of an image (storage/btree/mapped.cpp), with a generation greater than any before.
  Tree(NodeMemory& memory, RecordMover& mover, const MappedLeaves& leaves, uint64_t generation);
  ~Tree();  // releases all nodes; no guard may look at them
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  // The leaf that covers `key`, with the version its reading began at.
  Leaf* find_leaf(const KeyView& key, uint64_t& version) const;
  // The leaf with the greatest keys below `key` (its low fence is below `key`).
  Leaf* find_leaf_before(const KeyView& key, uint64_t& version) const;
  Leaf* last_leaf(uint64_t& version) const;
  // Is the leaf with the greatest keys below `key` one of an image? Does not read it.
  bool mapped_before(const KeyView& key) const;
  // First step of a batched look-up: an address worth prefetching, to be given to continue_from.
  Leaf* locate(const KeyView& key) const;
  Leaf* continue_from(Leaf* leaf, const KeyView& key, uint64_t& version) const;

  // The leaf that covers `key`, latched, and writable. Null when there is no memory for that (kMayFail only).
  Leaf* lock_leaf(const KeyView& key, Need need);
  bool writable(const Leaf* leaf) const {
    return leaf->generation() == generation_.load(std::memory_order_relaxed) || mutated(Mutation::kWriteShared);
  }
  bool foreign(const Leaf* leaf) const { return leaf->generation() < first_generation_; }
  uint64_t first_generation() const { return first_generation_; }
  // Makes the leaf that covers `key` writable. Under no latch. False when there is no memory (kMayFail only).
  bool make_private(const KeyView& key, Need need);
  // The last mention of a leaf that make_private has replaced while it was queued (Leaf::queued).
  void release_replaced(Leaf* leaf) { memory_.release_later(NodeLink::of(leaf)); }
  // How many nodes were copied because they were shared.
  uint64_t copy_count() const { return copy_count_.load(std::memory_order_relaxed); }
  // Makes room in a latched leaf for `bytes` more at position `i` for `key`: compacts it, or splits it. Unlatches: the
  // caller looks for its leaf again. False when there is no memory (kMayFail only); then nothing has changed.
  bool make_room(Leaf* leaf, size_t i, const KeyView& key, size_t bytes, Need need);
  // Merges the successor into the leaf that covers `key` if both are small. True when it did.
  bool try_merge(const KeyView& key);

  // Given ones (inline_bytes 0: the default) from now on, as this leaf size allows them.
  void set_thresholds(LeafThresholds thresholds);
  LeafThresholds thresholds() const { return thresholds_.load(std::memory_order_relaxed); }
  // May the leaf be worth a merge; is it worth to be looked at for that reason alone? Under its latch.
  bool small(const Leaf& leaf) const { return leaf.used_bytes() < thresholds().small_bytes(node_bytes_); }
  bool emptied(const Leaf& leaf) const { return leaf.used_bytes() < thresholds().emptied_bytes(node_bytes_); }
  // What a new last record, at position `i` of the last leaf, has to leave free there.
  size_t kept_free(const Leaf& leaf, size_t i, size_t count) const {
    if (i < count || count == 0 || leaf.has_high_fence()) return 0;
    const size_t usable = node_bytes_ - Leaf::kHeaderBytes;
    return usable - thresholds().fill_bytes(usable);
  }

  uint64_t leaf_count() const { return leaf_count_.load(std::memory_order_relaxed); }
  uint64_t split_count() const { return split_count_.load(std::memory_order_relaxed); }
  uint64_t merge_count() const { return merge_count_.load(std::memory_order_relaxed); }
  size_t node_bytes() const { return node_bytes_; }
  uint64_t inner_bytes() const { return inner_bytes_.load(std::memory_order_relaxed); }
  // Checks every fence, order and size, and the counts of nodes; empty when sound. Only without concurrent writers.
  std::string check() const;
  // Every leaf from left to right; only without concurrent splits and merges (destruction, checks).
  void for_each_leaf(const std::function<void(Leaf*)>& visit) const;
  // Without subtrees that are foreign as a whole.
  void for_each_own_leaf(const std::function<void(Leaf*)>& visit) const;

 private:
  static void* tag(Leaf* leaf) { return NodeLink::of(leaf); }
  static bool is_leaf(void* p) { return NodeLink::is_leaf(p); }
  static Leaf* as_leaf(void* p) { return NodeLink::leaf(p); }
  static Inner* as_inner(void* p) { return NodeLink::inner(p); }
  // That can be read; raises XX001 when it is a damaged one of an image.
  Leaf* readable(void* link) const {
    Leaf* leaf = as_leaf(link);
    memory_.mapped.examine(leaf);
    return leaf;
  }
  void* link_to(const KeyView& key) const;
  void* link_before(const KeyView& key) const;

  struct Step {
    Inner* node;
    size_t child;
  };
  std::vector<Step> path(const KeyView& key) const;
  class Scratch;
  // Makes the right half of `page` and unlatches; false when a split is of no use.
  bool split(Leaf* leaf, size_t i, const KeyView& key, Scratch& scratch, void* page);
  void insert_separator(const std::string& separator, Leaf* right);
  // Puts `parts` in the place of path[depth].node, splitting it and its ancestors as needed.
  void replace(std::vector<Step>& path, size_t depth, Inner::Parts parts);
  void set_link(const std::vector<Step>& path, size_t depth, void* node);
  Inner* new_inner(const Inner::Parts& parts);
  void retire(Inner* node);
  void retire(Leaf* leaf);
  Leaf* new_leaf(void* memory, Bytes low, bool has_high, Bytes high);
  static uint64_t inner_bytes_below(void* node);
  void visit_leaves(void* node, uint64_t from_generation, const std::function<void(Leaf*)>& visit) const;

  // mapped.cpp: the level above these nodes.
  void build_level(std::vector<void*>& nodes, std::vector<std::string>& low_fences, uint32_t level);

  // sharing.cpp; all under structure_mutex_
  uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }
  void make_path_private(std::vector<Step>& path);
  // Puts a copy where the path ends, and behind `left` (latched, or null), which it unlatches.
  void put_in_place(const std::vector<Step>& path, Leaf* left, Leaf* copy);
  void replace_foreign(const std::vector<Step>& path, Leaf* leaf, void* page);
  void replace_shared(const std::vector<Step>& path, Leaf* leaf, void* page);
  // The leaf whose successor is this one or, if that is foreign, null; latched.
  Leaf* lock_left_neighbour(Bytes low) const;
  Leaf* right_neighbour(const Leaf* leaf) const;  // null when it is foreign, or there is none

  NodeMemory& memory_;
  PagePool& pages_;
  Valenblock& nodes_;
  EpochManager& epochs_;
  RecordMover& mover_;
  const uint64_t first_generation_;
  std::atomic<uint64_t> generation_;  // changes while writers are kept out
  const size_t node_bytes_;
  std::atomic<LeafThresholds> thresholds_;
  static_assert(std::atomic<LeafThresholds>::is_always_lock_free);
  std::mutex structure_mutex_;  // guards the inner nodes' structure and root_'s changes
  std::atomic<void*> root_;
  std::atomic<uint64_t> leaf_count_{0};
  std::atomic<uint64_t> inner_bytes_{0};  // changes under structure_mutex_
  std::atomic<uint64_t> split_count_{0}, merge_count_{0}, copy_count_{0};
};

}  // namespace indigo::storage
