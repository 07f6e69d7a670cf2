// The nodes of the trees with one leaf size: where they come from, and who still has them.
//
// Trees that were cloned from each other share nodes. A node counts the places that name it: child addresses of inner
// nodes, and roots. Releasing the last reference frees it, and releases its children (an inner node) or of its
// large rows (a leaf).
//
// Leaves of an image (storage/image/mapped_blocks.h) are nobody's: they are neither counted nor freed, nor read here.
//
// Thread safety: all functions. Counts only go up through a node that is counted itself: a tree that finds 1 in a node
// below nodes of its own has it for itself.
#pragma once

#include "storage/btree/inner.h"
#include "storage/btree/leaf.h"
#include "storage/epoch.h"
#include "storage/image/mapped_blocks.h"
#include "storage/memory/page_pool.h"
#include "storage/memory/valenblock.h"
#include "storage/pause_points.h"

namespace indigo::storage {

// A child or a root: the address of a Leaf if bit 0 is set, else of an Inner.
class NodeLink {
 public:
  static void* of(Leaf* leaf) { return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(leaf) | 1); }
  static bool is_leaf(void* p) { return (reinterpret_cast<uintptr_t>(p) & 1) != 0; }
  static Leaf* leaf(void* p) { return reinterpret_cast<Leaf*>(reinterpret_cast<uintptr_t>(p) & ~uintptr_t{1}); }
  static Inner* inner(void* p) { return static_cast<Inner*>(p); }
};

class NodeMemory {
 public:
  // Lets go of the large rows that a leaf names.
  using LeafGone = void (*)(void* context, const Leaf& leaf);

  NodeMemory(size_t leaf_bytes, MemoryAccount& account, Valenblock& inner_nodes, EpochManager& epoch_manager,
             const PauseHook& pause_hook, LeafGone leaf_gone, void* context,
             const MappedBlocks& mapped_leaves = MappedBlocks::none())
      : leaves(leaf_bytes, account),
        inners(inner_nodes),
        epochs(epoch_manager),
        pauses(pause_hook),
        mapped(mapped_leaves),
        leaf_gone_(leaf_gone),
        context_(context) {}

  PagePool leaves;
  Valenblock& inners;
  EpochManager& epochs;
  const PauseHook& pauses;
  const MappedBlocks& mapped;

  bool is_mapped(void* link) const { return mapped.has(link); }
  void add_reference(void* link) {
    if (!is_mapped(link)) references(link).fetch_add(1, std::memory_order_relaxed);
  }
  // Is this the only reference (of a link that is not mapped)? What others have done with it before they let go has happened.
  static bool only_one(void* link) { return references(link).load(std::memory_order_acquire) == 1; }
  // No reader that got it through this reference still looks at it.
  void release(void* link);
  void release_later(void* link);

 private:
  static std::atomic<uint32_t>& references(void* link) {
    return NodeLink::is_leaf(link) ? NodeLink::leaf(link)->references() : NodeLink::inner(link)->references();
  }

  const LeafGone leaf_gone_;
  void* const context_;
};

}  // namespace indigo::storage
