// Which bucket has which number: a root of segments of bucket addresses. Indexes that were cloned share roots, segments and
// buckets, and copy what they write, with the way to it (hash_sharing.cpp).
//
// Thread safety: addresses are read by everyone under an epoch guard, and written under HashIndex's structure mutex.
// Invariants:
// 1. Each part counts who names it: an index its root, a root its segments, a segment its buckets.
// 2. A part is written only by the index whose generation it has.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "storage/index/btree_node.h"

namespace indigo::storage {

struct HashSegment {
  static constexpr uint32_t kBuckets = 256;
  explicit HashSegment(uint64_t g) : generation(g) {}

  const uint64_t generation;
  std::atomic<uint32_t> references{1};
  std::array<std::atomic<BtreeNode*>, kBuckets> buckets{};
};

struct HashRoot {
  static constexpr uint32_t kFirstCapacity = 8;
  HashRoot(uint64_t g, uint32_t n) : generation(g), capacity(n), segments(new std::atomic<HashSegment*>[n]()) {}
  size_t bytes() const { return sizeof(HashRoot) + capacity * sizeof(std::atomic<HashSegment*>); }

  const uint64_t generation;
  const uint32_t capacity;  // in segments
  std::atomic<uint32_t> references{1};
  const std::unique_ptr<std::atomic<HashSegment*>[]> segments;
};

}  // namespace indigo::storage
