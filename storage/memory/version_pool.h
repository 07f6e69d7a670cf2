// Memory of snapshot versions: cacheline-aligned blocks of some size classes, with a free list each.
//
// Thread safety: all functions. Freed blocks are reused by their class and returned to the system with the pool.
// Source: Index-Organized 5.1, "Free-list".
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/spin_lock.h"

namespace indigo::storage {

class VersionPool {
 public:
  VersionPool() = default;
  ~VersionPool();  // frees all chunks; blocks still in use die with them
  VersionPool(const VersionPool&) = delete;
  VersionPool& operator=(const VersionPool&) = delete;

  // Sizes above the largest class come from the heap.
  void* allocate(size_t bytes);
  void free(void* block, size_t bytes);  // the same `bytes`

  size_t used_blocks() const { return used_.load(std::memory_order_relaxed); }
  size_t chunk_bytes_total() const { return chunk_bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kLine = 64;
  static constexpr size_t kClasses = 64;  // of 64, 128, ... 4096 bytes
  static constexpr size_t kChunkBytes = 64 * 1024;

  struct FreeBlock {
    FreeBlock* next;
  };
  struct alignas(64) Class {
    SpinLock lock;  // guards the members below
    FreeBlock* free = nullptr;
    char* fresh = nullptr;
    char* fresh_end = nullptr;
  };

  char* new_chunk();

  std::array<Class, kClasses> classes_;
  SpinLock chunks_lock_;  // guards chunks_
  std::vector<void*> chunks_;
  std::atomic<size_t> used_{0}, chunk_bytes_{0};
};

}  // namespace indigo::storage
