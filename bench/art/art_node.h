// Nodes of an adaptive radix tree: 4, 16, 48 or 256 children, path compression, keys in leaves of their own.
//
// Thread safety: readers look without a latch and trust what latch.validate() confirms; changes need the latch. Leaves never
// change. Invariants:
// 1. Children of the two small kinds ascend by their bytes.
// 2. A node's prefix is what all keys below have in common behind the byte that leads to it. Its first kStored bytes are in the
// node; the rest is read from a key below.
//
// Source: Leis, Kemper, Neumann, The adaptive radix tree (ICDE 2013); Leis et al., The ART of practical synchronization (DaMoN
// 2016).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/byte_block.h"
#include "base/bytes.h"
#include "storage/btree/latch.h"
#include "storage/shared_bytes.h"

namespace indigo::bench::art {

using storage::load_shared;
using storage::store_shared;

struct Leaf {
  uint16_t key_length, primary_length;

  static Leaf* create(Bytes key, Bytes primary_key) {
    auto* leaf = new (std::malloc(sizeof(Leaf) + key.size() + primary_key.size())) Leaf;
    leaf->key_length = static_cast<uint16_t>(key.size());
    leaf->primary_length = static_cast<uint16_t>(primary_key.size());
    std::memcpy(leaf->bytes(), key.data(), key.size());
    std::memcpy(leaf->bytes() + key.size(), primary_key.data(), primary_key.size());
    return leaf;
  }
  Bytes key() const { return {bytes(), key_length}; }
  Bytes primary_key() const { return {bytes() + key_length, primary_length}; }

 private:
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
};

struct Node;

// A node, a leaf, or nothing.
class Child {
 public:
  Child() = default;
  explicit Child(const Node* node) : word_(reinterpret_cast<uintptr_t>(node)) {}
  explicit Child(const Leaf* leaf) : word_(reinterpret_cast<uintptr_t>(leaf) | 1) {}
  explicit Child(uintptr_t word) : word_(word) {}
  explicit operator bool() const { return word_ != 0; }
  bool is_leaf() const { return (word_ & 1) != 0; }
  Leaf* leaf() const { return reinterpret_cast<Leaf*>(word_ & ~uintptr_t{1}); }
  Node* node() const { return reinterpret_cast<Node*>(word_); }
  uintptr_t word() const { return word_; }

 private:
  uintptr_t word_ = 0;
};

enum class Kind : uint8_t { k4, k16, k48, k256 };

struct Node {
  static constexpr uint32_t kStored = 8;
  static constexpr uint8_t kNone = 0xff;

  storage::OptimisticLatch latch;
  const Kind kind;
  uint16_t count = 0;
  uint32_t prefix_length = 0;
  char prefix[kStored] = {};

  explicit Node(Kind k) : kind(k) {}
  static Node* create(Kind kind);
  static void destroy(Node* node) { std::free(node); }
  static constexpr uint32_t capacity(Kind kind) {
    constexpr uint32_t kAll[] = {4, 16, 48, 256};
    return kAll[static_cast<size_t>(kind)];
  }
  static size_t size(Kind kind);

  bool full() const { return load_shared(&count) >= capacity(kind); }
  void set_prefix(Bytes whole) {
    store_shared(&prefix_length, static_cast<uint32_t>(whole.size()));
    storage::copy_to_shared(prefix, whole.data(), std::min<size_t>(whole.size(), kStored));
  }
  Child find(uint8_t byte) const;
  // Calls visit(byte, child) in order, from `first` on, until it answers false.
  template <class Visit>
  bool for_each(uint8_t first, Visit visit) const;
  // With the latch, or unseen by others. There is room, and no child of that byte; or there is one.
  void add(uint8_t byte, Child child);
  void replace(uint8_t byte, Child child);
  void remove(uint8_t byte);
};

struct Small4 : Node {
  Small4() : Node(Kind::k4) {}
  uint8_t bytes[4] = {};
  uintptr_t children[4] = {};
};
struct Small16 : Node {
  Small16() : Node(Kind::k16) {}
  alignas(16) uint8_t bytes[16] = {};
  uintptr_t children[16] = {};
};
struct Indexed48 : Node {
  Indexed48() : Node(Kind::k48) { std::memset(places, kNone, sizeof places); }
  uint8_t places[256];
  uintptr_t children[48] = {};
};
struct Full256 : Node {
  Full256() : Node(Kind::k256) {}
  uintptr_t children[256] = {};
};

namespace detail {
// The sorted arrays of the two small kinds.
struct Sorted {
  uint8_t* bytes;
  uintptr_t* children;
};
inline Sorted sorted(const Node& node) {
  auto& n = const_cast<Node&>(node);
  if (node.kind == Kind::k4) return {static_cast<Small4&>(n).bytes, static_cast<Small4&>(n).children};
  return {static_cast<Small16&>(n).bytes, static_cast<Small16&>(n).children};
}
}  // namespace detail

inline size_t Node::size(Kind kind) {
  switch (kind) {
    case Kind::k4: return sizeof(Small4);
    case Kind::k16: return sizeof(Small16);
    case Kind::k48: return sizeof(Indexed48);
    case Kind::k256: break;
  }
  return sizeof(Full256);
}

inline Node* Node::create(Kind kind) {
  void* memory = std::aligned_alloc(64, (size(kind) + 63) / 64 * 64);
  switch (kind) {
    case Kind::k4: return new (memory) Small4;
    case Kind::k16: return new (memory) Small16;
    case Kind::k48: return new (memory) Indexed48;
    case Kind::k256: break;
  }
  return new (memory) Full256;
}

inline Child Node::find(uint8_t byte) const {
  switch (kind) {
    case Kind::k256: return Child(load_shared(&static_cast<const Full256*>(this)->children[byte]));
    case Kind::k48: {
      const auto& n = static_cast<const Indexed48&>(*this);
      const uint8_t place = load_shared(&n.places[byte]);
      return place == kNone ? Child() : Child(load_shared(&n.children[place]));
    }
    case Kind::k16: {
      const auto& n = static_cast<const Small16&>(*this);
      const uint32_t used = std::min<uint32_t>(load_shared(&count), 16);
#if defined(INDIGO_BYTE_BLOCKS)
      if constexpr (!storage::kThreadSanitizer) {
        const uint32_t equal = ByteBlock::load(n.bytes).equal(ByteBlock::all(byte)).bits() & ((1U << used) - 1);
        return equal == 0 ? Child() : Child(load_shared(&n.children[__builtin_ctz(equal)]));
      }
#endif
      for (uint32_t i = 0; i < used; i++) {
        if (load_shared(&n.bytes[i]) == byte) return Child(load_shared(&n.children[i]));
      }
      return {};
    }
    case Kind::k4: break;
  }
  const auto& n = static_cast<const Small4&>(*this);
  const uint32_t used = std::min<uint32_t>(load_shared(&count), 4);
  for (uint32_t i = 0; i < used; i++) {
    if (load_shared(&n.bytes[i]) == byte) return Child(load_shared(&n.children[i]));
  }
  return {};
}

template <class Visit>
bool Node::for_each(uint8_t first, Visit visit) const {
  if (kind == Kind::k4 || kind == Kind::k16) {
    const detail::Sorted all = detail::sorted(*this);
    const uint32_t used = std::min<uint32_t>(load_shared(&count), capacity(kind));
    for (uint32_t i = 0; i < used; i++) {
      const uint8_t byte = load_shared(&all.bytes[i]);
      if (byte >= first && !visit(byte, Child(load_shared(&all.children[i])))) return false;
    }
    return true;
  }
  for (uint32_t byte = first; byte < 256; byte++) {
    const Child child = find(static_cast<uint8_t>(byte));
    if (child && !visit(static_cast<uint8_t>(byte), child)) return false;
  }
  return true;
}

inline void Node::add(uint8_t byte, Child child) {
  if (kind == Kind::k256) {
    store_shared(&static_cast<Full256*>(this)->children[byte], child.word());
  } else if (kind == Kind::k48) {
    auto& n = static_cast<Indexed48&>(*this);
    uint8_t place = 0;
    while (n.children[place] != 0) place++;
    store_shared(&n.children[place], child.word());
    store_shared(&n.places[byte], place);
  } else {
    const detail::Sorted all = detail::sorted(*this);
    uint32_t i = count;
    for (; i > 0 && all.bytes[i - 1] > byte; i--) {
      store_shared(&all.bytes[i], all.bytes[i - 1]);
      store_shared(&all.children[i], all.children[i - 1]);
    }
    store_shared(&all.bytes[i], byte);
    store_shared(&all.children[i], child.word());
  }
  store_shared(&count, static_cast<uint16_t>(count + 1));
}

inline void Node::replace(uint8_t byte, Child child) {
  if (kind == Kind::k256) {
    store_shared(&static_cast<Full256*>(this)->children[byte], child.word());
  } else if (kind == Kind::k48) {
    auto& n = static_cast<Indexed48&>(*this);
    store_shared(&n.children[n.places[byte]], child.word());
  } else {
    const detail::Sorted all = detail::sorted(*this);
    const uint8_t* at = std::find(all.bytes, all.bytes + count, byte);
    store_shared(&all.children[at - all.bytes], child.word());
  }
}

inline void Node::remove(uint8_t byte) {
  if (kind == Kind::k256) {
    store_shared(&static_cast<Full256*>(this)->children[byte], uintptr_t{0});
  } else if (kind == Kind::k48) {
    auto& n = static_cast<Indexed48&>(*this);
    store_shared(&n.children[n.places[byte]], uintptr_t{0});
    store_shared(&n.places[byte], kNone);
  } else {
    const detail::Sorted all = detail::sorted(*this);
    for (auto i = static_cast<uint32_t>(std::find(all.bytes, all.bytes + count, byte) - all.bytes); i + 1 < count;
         i++) {
      store_shared(&all.bytes[i], all.bytes[i + 1]);
      store_shared(&all.children[i], all.children[i + 1]);
    }
  }
  store_shared(&count, static_cast<uint16_t>(count - 1));
}

}  // namespace indigo::bench::art
