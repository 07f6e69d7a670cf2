// Blocks of one size, cut from 2 MB chunks that ask for transparent huge pages: leaves, and versions of one size class.
// Random access to 4 KB pages costs 1.6 times as much (measured: 241 against 150 ns).
//
// Blocks that are multiples of a 4 KB page lie a cacheline further apart than that: headers at the same place of every
// block would all fall into the same few sets of each cache, and push each other out.
//
// Thread safety: all functions. Invariants:
// 1. Blocks are aligned to 64 bytes; their content is what the last user left, or zero.
// 2. A chunk without used blocks is returned to the system, except one, which trim() returns.
// 3. The account has the blocks in use, in steps of 64 KB. Free blocks between used ones are not there: they are for
//    the next one that needs memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/memory/memory_account.h"
#include "storage/spin_lock.h"

namespace indigo::storage {

class PagePool {
 public:
  PagePool(size_t block_bytes, MemoryAccount& account, MemoryKind kind = MemoryKind::kLeaves);
  ~PagePool();  // blocks still in use in chunks with space die with them
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  // kMayFail: null at the memory limit and when the system has none; kAboveLimit: when the system has none. kMust: never, by
  // the rule of operator new (wait_for_memory.h).
  void* allocate(Need need);
  void free(void* block);
  // Returns the spare chunk to the system.
  void trim();
  size_t block_bytes() const { return block_bytes_; }
  size_t chunk_bytes_total();

 private:
  struct Chunk;
  struct FreeBlock {
    FreeBlock* next;
  };

  // Null when there is no memory.
  void* try_allocate(Need need);
  Chunk* map_chunk();
  void unmap_chunk(Chunk* chunk);
  void unlink(Chunk* chunk);
  void link(Chunk* chunk);
  bool full(const Chunk& chunk) const;
  // Counts, and tells the account when `step` has come together.
  void count(int64_t bytes, int64_t step);

  const size_t block_bytes_;
  const size_t stride_bytes_;
  MemoryAccount& account_;
  const MemoryKind kind_;
  SpinLock lock_;                // guards everything below and the chunks' headers
  Chunk* with_space_ = nullptr;  // doubly linked
  size_t chunks_ = 0;
  size_t empty_chunks_ = 0;
  int64_t uncounted_bytes_ = 0;
};

}  // namespace indigo::storage
