// Memory of snapshot versions: cacheline-aligned blocks of some size classes, with a free list for each chunk.
//
// Thread safety: all functions. Emptied chunks return to the system (PagePool).
// Source: Index-Organized 5.1, "Free-list".
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "storage/memory/page_pool.h"

namespace indigo::storage {

class VersionPool {
 public:
  explicit VersionPool(MemoryAccount& account);
  ~VersionPool();
  VersionPool(const VersionPool&) = delete;
  VersionPool& operator=(const VersionPool&) = delete;

  // For commits: above the memory limit too, waiting for the system if it must. Sizes above the largest class come from
  // the heap.
  void* allocate(size_t bytes);
  void free(void* block, size_t bytes);  // the same `bytes`
  void trim();
  // What an allocation of `bytes` takes.
  static constexpr size_t block_bytes(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

  size_t used_blocks() const { return used_.load(std::memory_order_relaxed); }
  size_t chunk_bytes_total();

 private:
  static constexpr size_t kLine = 64;
  static constexpr size_t kClasses = 64;  // of 64, 128, ... 4096 bytes

  MemoryAccount& account_;
  std::array<std::unique_ptr<PagePool>, kClasses> classes_;
  std::atomic<size_t> used_{0};
};

}  // namespace indigo::storage
