// The row-store's index: a B+-tree from 8-byte keys to record ids, with optimistic lock coupling.
//
// Thread safety: all functions. Readers take no latch; an insert latches a leaf, a split also its parent.
// Invariants: nodes are never freed nor merged while the tree lives, so no reclamation is needed; a full node is split on
// the way down, before an insert goes below it.
// Source: Leis et al., The ART of practical synchronization (DaMoN 2016), the B-tree of its section 3.
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/btree/latch.h"
#include "storage/memory/page_pool.h"

namespace indigo::bench {

class KeyTree {
 public:
  static constexpr size_t kNodeBytes = 4096;
  static constexpr uint64_t kNone = UINT64_MAX;

  explicit KeyTree(storage::PagePool& pages);
  KeyTree(const KeyTree&) = delete;
  KeyTree& operator=(const KeyTree&) = delete;

  // kNone when there is no such key.
  uint64_t find(uint64_t key) const;
  // The value that is there already, or kNone when `value` was inserted.
  uint64_t insert(uint64_t key, uint64_t value);
  void erase(uint64_t key);

  struct Entry {
    uint64_t key, value;
  };
  static constexpr size_t kLeafEntries = (kNodeBytes - 32) / 16;
  // The entries from `key` on in the leaf that covers it; `next` is where to continue, kNone at the end.
  size_t read_leaf(uint64_t key, Entry (&entries)[kLeafEntries], uint64_t& next) const;

 private:
  struct Node {
    storage::OptimisticLatch latch;
    uint32_t level = 0;
    uint32_t count = 0;
    Node* next = nullptr;   // of a leaf
    uint64_t high = kNone;  // all keys here are below it
    uint64_t keys[0];       // then values or children
  };
  static constexpr size_t kInnerKeys = kLeafEntries - 1;

  static uint64_t* values(const Node* n) { return const_cast<uint64_t*>(n->keys) + kLeafEntries; }
  static size_t lower_bound(const Node* n, size_t count, uint64_t key);
  static size_t child_index(const Node* n, size_t count, uint64_t key);
  Node* new_node(uint32_t level);
  // Splits `node`, latched, under its latched parent (null: the root). Unlatches both.
  void split(Node* parent, Node* node);
  const Node* leaf_of(uint64_t key, uint64_t& version) const;

  storage::PagePool& pages_;
  mutable storage::OptimisticLatch root_latch_;
  Node* root_;
};

}  // namespace indigo::bench
