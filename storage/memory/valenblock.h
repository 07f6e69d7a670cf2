// The Valenblock allocator: memory of variable size for immutable inner nodes. Nodes are cut from chunks one after the
// other and never reused singly; a chunk counts its living nodes and is recycled when none is left.
//
// Thread safety: all functions. Invariants:
// 1. A chunk's count covers each allocation between allocate() and free(), and the allocator while it is active.
// 2. Addresses are aligned to 64 bytes.
// Source: Index-Organized 5.1. Recycling is done by the last free instead of a background scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/memory/memory_account.h"
#include "storage/spin_lock.h"

namespace indigo::storage {

class Valenblock {
 public:
  explicit Valenblock(MemoryAccount& account) : account_(account) {}
  ~Valenblock();
  Valenblock(const Valenblock&) = delete;
  Valenblock& operator=(const Valenblock&) = delete;

  // Never null: above the memory limit too, by the rule of operator new when the system has none (wait_for_memory.h).
  void* allocate(size_t bytes);
  void free(void* node);
  size_t chunk_bytes_total();

 private:
  struct Chunk;
  static constexpr size_t kChunkBytes = 256 * 1024;
  static constexpr size_t kSpareChunks = 1;

  void* try_allocate(size_t bytes);
  Chunk* take_chunk();
  void* new_memory(size_t bytes);
  void free_memory(void* memory, size_t bytes);
  void release(Chunk* chunk);

  MemoryAccount& account_;
  SpinLock lock_;  // guards everything below and the chunks' headers
  Chunk* active_ = nullptr;
  std::vector<Chunk*> spare_;  // empty chunks kept for reuse, few
  size_t chunks_ = 0;
};

}  // namespace indigo::storage
