// HydraList's search layer: a radix tree from anchors to data nodes. It says where to begin a search, not where an entry is:
// it is updated later, by one thread at a time (operation_log.h), and an index may have several of them.
//
// Each node has what its anchors have in common, and a child for each next byte, found by a bitmap and the number of bits before
// it: a node is as large as its children need. A subtree of one anchor is that anchor's data node.
//
// Thread safety: floor() by anyone under an epoch guard, without waiting; the others by one thread at a time. A node never
// changes but for the addresses of its children: one that gets or loses a child is replaced by another, in its parent, by one
// store.
//
// Invariants:
// 1. An address that is stored (release) is of a node that is complete; a thread that loads it (acquire) reads constants.
// 2. What is replaced is retired after that.
// 3. A node has two children or more, counting the anchor that ends in it.
// 4. A data node is named here from its insert() to its remove(), and no other node here has its anchor.
//
// Source: Leis et al., The adaptive radix tree (ICDE 2013), and The ART of practical synchronization (DaMoN 2016), of whose ROWEX
// this is the case of one writer; Mathew and Min, HydraList, 4.2.1, 4.6.1.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "storage/epoch.h"
#include "storage/index/hydralist/data_node.h"

namespace indigo::storage {

class SearchLayer {
 public:
  explicit SearchLayer(EpochManager& epochs) : epochs_(epochs) {}
  ~SearchLayer();  // it must not be in use; data nodes stay
  SearchLayer(const SearchLayer&) = delete;
  SearchLayer& operator=(const SearchLayer&) = delete;

  // The data node here with the greatest anchor that is not greater than the place; null when there is none. `key` is the
  // place's AnchorKey.
  DataNode* floor(const EntryKey& place, Bytes key) const;

  // The data node here with the greatest anchor of all; null when there is none.
  DataNode* last() const {
    const Child root = root_.load(std::memory_order_acquire);  // pairs with insert() and remove()
    return root == 0 ? nullptr : rightmost(root);
  }

  void insert(DataNode* node);
  void remove(DataNode* node);

  uint64_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }
  // Empty, or what is wrong; `count` data nodes are expected. Only without concurrent changes.
  std::string check(uint64_t count) const;

 private:
  struct Node;
  // Null, the address of a Node, or that of a data node and kLeaf; with kEnds when its anchor ends here, so that whatever leads
  // here is not less.
  using Child = uintptr_t;
  using Place = std::atomic<Child>;  // of a child's address

  static constexpr Child kLeaf = 1, kEnds = 2;

  static bool is_leaf(Child c) { return (c & kLeaf) != 0; }
  static DataNode* leaf(Child c) { return reinterpret_cast<DataNode*>(c & ~(kLeaf | kEnds)); }
  static bool is_leaf_of(Child c, const DataNode* node) { return is_leaf(c) && leaf(c) == node; }
  static Node* node(Child c) { return reinterpret_cast<Node*>(c); }
  // `rest`: how much of the anchor's bytes is behind this place. A key's end is two bytes; no key's bytes in their place are less.
  static Child child_of(DataNode* node, size_t rest) {
    return reinterpret_cast<uintptr_t>(node) | kLeaf | (rest <= 2 && node->anchor().primary_key.empty() ? kEnds : 0);
  }
  static Child child_of(Node* node) { return reinterpret_cast<uintptr_t>(node); }
  static DataNode* rightmost(Child c);

  Node* create(Bytes prefix, uint32_t children);
  void retire(Node* node);
  // A node for two anchors below it, or one and a node, that have `prefix` in common.
  void branch(Place& place, Bytes prefix, Bytes a, Child a_child, Bytes b, DataNode* b_node);
  static void add(Node& node, Bytes rest, Child child);
  Node* with(const Node& from, uint8_t byte, Child child);
  void drop(Place& place, Node& from, int byte);

  EpochManager& epochs_;
  Place root_{0};
  std::atomic<uint64_t> memory_bytes_{0};
};

}  // namespace indigo::storage
