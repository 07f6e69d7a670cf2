// Row images that are too large for a leaf lie on the heap; the leaf holds their address.
// Thread safety: immutable once made. Owned by the versions and leaves that name them: one version, and each leaf that
// trees share or one of them has left (storage/btree/node_memory.h). Given back by epoch.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/bytes.h"
#include "storage/epoch.h"

namespace indigo::storage {

struct OverflowBody {
  uint64_t length;
  std::atomic<uint32_t> references;
  // What the allocator has taken for it: up to a fifth more than was asked for.
  size_t total_bytes() const { return malloc_usable_size(const_cast<OverflowBody*>(this)); }
  Bytes bytes() const { return {reinterpret_cast<const char*>(this + 1), length}; }

  // Null when there is no memory.
  static OverflowBody* create(Bytes image) {
    void* memory = std::malloc(sizeof(OverflowBody) + image.size());
    if (memory == nullptr) return nullptr;
    auto* body = new (memory) OverflowBody{image.size(), 1};
    std::memcpy(static_cast<void*>(body + 1), image.data(), image.size());
    return body;
  }
};

}  // namespace indigo::storage
