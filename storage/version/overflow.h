// Row images that are too large for a leaf lie on the heap; the leaf holds their address.
// Thread safety: immutable once made. Owned by the version that names them; freed by epoch.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/bytes.h"
#include "storage/epoch.h"

namespace indigo::storage {

struct OverflowBody {
  uint64_t length;
  Bytes bytes() const { return {reinterpret_cast<const char*>(this + 1), length}; }

  // Null when there is no memory.
  static OverflowBody* create(Bytes image) {
    void* memory = std::malloc(sizeof(OverflowBody) + image.size());
    if (memory == nullptr) return nullptr;
    auto* body = new (memory) OverflowBody{image.size()};
    std::memcpy(body + 1, image.data(), image.size());
    return body;
  }
};

}  // namespace indigo::storage
