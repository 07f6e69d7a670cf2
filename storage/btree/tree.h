// The primary B+-tree: finds, splits and merges leaves. It knows records as keys with 32-byte metas and bodies; versions
// and transactions are above it (storage/table/).
//
// Thread safety: all functions; the caller holds an epoch guard for as long as it uses a leaf that it got.
// Invariants:
// 1. Descending with any key ends at the leaf that covers it or, while a split is not yet in the parent, at one from
//    which following successors leads there.
// 2. Latches are taken from left to right; structure_mutex_ is taken before any latch and never while holding one.
// 3. A leaf that leaves the tree is frozen first and retired by epoch.
// Source: Index-Organized 4.3 and 4.5; Lehman and Yao's link for the late writer.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "storage/btree/inner.h"
#include "storage/btree/leaf.h"
#include "storage/epoch.h"
#include "storage/memory/page_pool.h"

namespace indigo::storage {

class Valenblock;

// What the layer above must do when a record changes its leaf. Called under the latches of both leaves.
class RecordMover {
 public:
  virtual ~RecordMover() = default;
  virtual void record_moved(const RecordMeta& meta, Leaf* to) = 0;
  virtual void leaf_split(Leaf* from, Leaf* to) = 0;
};

class Tree {
 public:
  Tree(PagePool& pages, Valenblock& nodes, EpochManager& epochs, RecordMover& mover);
  ~Tree();  // frees all nodes; no guard may look at them
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  // The leaf that covers `key`, with the version its reading began at.
  Leaf* find_leaf(const KeyView& key, uint64_t& version) const;
  // The leaf with the greatest keys below `key` (its low fence is below `key`).
  Leaf* find_leaf_before(const KeyView& key, uint64_t& version) const;
  Leaf* last_leaf(uint64_t& version) const;
  // First step of a batched look-up: an address worth prefetching, to be given to continue_from.
  Leaf* locate(const KeyView& key) const;
  Leaf* continue_from(Leaf* leaf, const KeyView& key, uint64_t& version) const;

  // The leaf that covers `key`, latched.
  Leaf* lock_leaf(const KeyView& key) const;
  // Makes room in a latched leaf for `bytes` more at position `i` for `key`: compacts it, or splits it. Unlatches: the
  // caller looks for its leaf again. False when there is no memory (kMayFail only); then nothing has changed.
  bool make_room(Leaf* leaf, size_t i, const KeyView& key, size_t bytes, Need need);
  // Merges the successor into the leaf that covers `key` if both are small. True when it did.
  bool try_merge(const KeyView& key);

  uint64_t leaf_count() const { return leaf_count_.load(std::memory_order_relaxed); }
  uint64_t split_count() const { return split_count_.load(std::memory_order_relaxed); }
  uint64_t merge_count() const { return merge_count_.load(std::memory_order_relaxed); }
  size_t node_bytes() const { return node_bytes_; }
  // Checks every fence, order and size; empty when sound. Only while nobody writes.
  std::string check() const;
  // Every leaf from left to right; only while nobody splits or merges (destruction, checks).
  void for_each_leaf(const std::function<void(Leaf*)>& visit) const;

 private:
  // A child or the root: the address of a Leaf if bit 0 is set, else of an Inner.
  static void* tag(Leaf* leaf) { return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(leaf) | 1); }
  static bool is_leaf(void* p) { return (reinterpret_cast<uintptr_t>(p) & 1) != 0; }
  static Leaf* as_leaf(void* p) { return reinterpret_cast<Leaf*>(reinterpret_cast<uintptr_t>(p) & ~uintptr_t{1}); }
  static Inner* as_inner(void* p) { return static_cast<Inner*>(p); }

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
  void retire(Inner* node);
  void retire(Leaf* leaf);
  Leaf* new_leaf(void* memory, Bytes low, bool has_high, Bytes high);
  void free_nodes(void* node);

  PagePool& pages_;
  Valenblock& nodes_;
  EpochManager& epochs_;
  RecordMover& mover_;
  const size_t node_bytes_;
  std::mutex structure_mutex_;  // guards the inner nodes' structure and root_'s changes
  std::atomic<void*> root_;
  std::atomic<uint64_t> leaf_count_{0};
  std::atomic<uint64_t> split_count_{0}, merge_count_{0};
};

}  // namespace indigo::storage
