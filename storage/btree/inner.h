// An inner node: separators and children. Immutable but for the child addresses: a change of separators builds a new
// node, and the parent's child address (or the root) is switched to it. One that trees share (node_memory.h) is immutable.
//
// Child i covers keys from separator i-1 (inclusive) to separator i (exclusive). Level 1 has leaves as children.
// Thread safety: readers need an epoch guard and nothing else; structure changes are made by one thread at a time
// (Tree::structure_mutex_).
// Layout: header, separator prefixes, separator (offset, length) pairs, children, bytes of separators over 8 bytes.
// Source: Index-Organized 4.3 and 5.1.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "storage/btree/key_view.h"

namespace indigo::storage {

class Valenblock;

class Inner {
 public:
  static constexpr size_t kMaxChildren = 256;
  static constexpr size_t kMaxKeyBytes = 16 * 1024;  // of long separators in one node

  // What a node is made of; for building the next one.
  struct Parts {
    uint32_t level = 1;
    std::vector<std::string> separators;  // one fewer than children
    std::vector<void*> children;
    bool too_large() const;
  };
  // With one reference.
  static Inner* create(Valenblock& memory, const Parts& parts, uint64_t generation);
  Parts parts() const;

  uint32_t level() const { return level_; }
  uint32_t child_count() const { return child_count_; }
  void* child(size_t i) const { return children()[i].load(std::memory_order_acquire); }  // pairs with set_child
  void set_child(size_t i, void* c) { children()[i].store(c, std::memory_order_release); }
  std::atomic<uint32_t>& references() { return references_; }
  uint64_t generation() const { return generation_; }
  uint32_t bytes() const { return bytes_; }             // of memory
  void set_generation(uint64_t g) { generation_ = g; }  // under structure_mutex_ of the only tree that has the node
  // The child that covers `key`.
  size_t find(const KeyView& key) const;
  // The child that covers the greatest keys below `key`.
  size_t find_before(const KeyView& key) const;

 private:
  struct Separator {
    uint32_t offset;  // of the full bytes, when longer than the prefix
    uint32_t length;
  };
  template <bool kInclusive>
  size_t search(const KeyView& key) const;
  int compare(size_t i, const KeyView& key) const;  // of separator i with key
  Bytes separator(size_t i, char (&buffer)[kPrefixBytes]) const;

  const uint64_t* prefixes() const { return reinterpret_cast<const uint64_t*>(this + 1); }
  const Separator* separators() const { return reinterpret_cast<const Separator*>(prefixes() + child_count_); }
  const std::atomic<void*>* children() const {
    return reinterpret_cast<const std::atomic<void*>*>(separators() + child_count_);
  }
  std::atomic<void*>* children() { return const_cast<std::atomic<void*>*>(std::as_const(*this).children()); }

  uint32_t level_ = 1;
  uint32_t child_count_ = 0;
  uint64_t generation_ = 0;
  std::atomic<uint32_t> references_{1};
  uint32_t bytes_ = 0;
};

}  // namespace indigo::storage
