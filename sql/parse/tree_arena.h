// Memory of an unpacked parse tree.
// Thread safety: one owner.
#pragma once

#include "base/arena.h"
#include "sql/parse/parse_tree.h"

namespace indigo::sql {

// The tree lives in one arena: it is freed without walking it.
class TreeArena {
 public:
  TreeArena() : arena_(16 * 1024) {
    allocator_.alloc = [](void* self, size_t bytes) { return static_cast<Arena*>(self)->allocate(bytes); };
    allocator_.free = [](void*, void*) {};
    allocator_.allocator_data = &arena_;
  }
  ProtobufCAllocator* allocator() { return &allocator_; }

 private:
  Arena arena_;
  ProtobufCAllocator allocator_{};
};

}  // namespace indigo::sql
