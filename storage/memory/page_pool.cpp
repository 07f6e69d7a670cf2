#include "storage/memory/page_pool.h"

#include <sys/mman.h>

#include <mutex>
#include <new>

#include "base/memory/memory_reserve.h"
#include "base/memory/process_memory.h"
#include "storage/memory/wait_for_memory.h"

namespace indigo::storage {

namespace {
constexpr size_t kChunkBytes = 2 << 20;
constexpr int64_t kAccountBytes = 64 * 1024;
}  // namespace

// Stands in the chunk's first bytes; blocks find it by masking their address.
struct PagePool::Chunk {
  Chunk* next = nullptr;
  Chunk* previous = nullptr;
  FreeBlock* free = nullptr;
  size_t fresh_offset = 64;  // blocks from here on were never used
  uint32_t used = 0;
};

PagePool::PagePool(size_t block_bytes, MemoryAccount& account, MemoryKind kind)
    : block_bytes_((block_bytes + 63) & ~size_t{63}),
      stride_bytes_(block_bytes_ % 4096 == 0 ? block_bytes_ + 64 : block_bytes_),
      account_(account),
      kind_(kind) {
  static_assert(sizeof(Chunk) <= 64);
}

PagePool::~PagePool() {
  count(0, 1);
  while (with_space_ != nullptr) {
    Chunk* chunk = with_space_;
    unlink(chunk);
    unmap_chunk(chunk);
  }
}

PagePool::Chunk* PagePool::map_chunk() {
  // Twice the size, to cut out an aligned chunk.
  auto* raw = static_cast<char*>(
      mmap(nullptr, 2 * kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (raw == MAP_FAILED) return nullptr;
  auto address = reinterpret_cast<uintptr_t>(raw);
  uintptr_t aligned = (address + kChunkBytes - 1) & ~(kChunkBytes - 1);
  if (aligned > address) munmap(raw, aligned - address);
  uintptr_t end = address + 2 * kChunkBytes;
  if (end > aligned + kChunkBytes) munmap(reinterpret_cast<void*>(aligned + kChunkBytes), end - aligned - kChunkBytes);
  auto* at = reinterpret_cast<void*>(aligned);
  // The first chunk stays on small pages: a small database should not cost 2 MB at once.
  if (chunks_ > 0) madvise(at, kChunkBytes, MADV_HUGEPAGE);
  auto* chunk = new (at) Chunk();
  chunks_++;
  return chunk;
}

void PagePool::unmap_chunk(Chunk* chunk) {
  munmap(chunk, kChunkBytes);
  chunks_--;
}

void PagePool::link(Chunk* chunk) {
  chunk->previous = nullptr;
  chunk->next = with_space_;
  if (with_space_ != nullptr) with_space_->previous = chunk;
  with_space_ = chunk;
}

void PagePool::unlink(Chunk* chunk) {
  if (chunk->previous != nullptr) chunk->previous->next = chunk->next;
  if (chunk->next != nullptr) chunk->next->previous = chunk->previous;
  if (with_space_ == chunk) with_space_ = chunk->next;
}

bool PagePool::full(const Chunk& chunk) const {
  return chunk.free == nullptr && chunk.fresh_offset + block_bytes_ > kChunkBytes;
}

void PagePool::count(int64_t bytes, int64_t step) {
  uncounted_bytes_ += bytes;
  if (uncounted_bytes_ < step && uncounted_bytes_ > -step) return;
  account_.add(kind_, uncounted_bytes_);
  uncounted_bytes_ = 0;
}

void* PagePool::try_allocate(Need need) {
  std::lock_guard lock(lock_);
  Chunk* chunk = with_space_;
  if (need == Need::kMayFail && account_.full(block_bytes_)) return nullptr;
  if (chunk == nullptr) {
    if (need == Need::kMayFail && (memory_reserve_out() || process_memory_is_very_short())) return nullptr;
    chunk = map_chunk();
    if (chunk == nullptr) return nullptr;
    link(chunk);
    empty_chunks_++;
  }
  void* block;
  if (chunk->free != nullptr) {
    block = chunk->free;
    chunk->free = chunk->free->next;
  } else {
    block = reinterpret_cast<char*>(chunk) + chunk->fresh_offset;
    chunk->fresh_offset += stride_bytes_;
  }
  if (chunk->used++ == 0) empty_chunks_--;
  if (full(*chunk)) unlink(chunk);
  count(static_cast<int64_t>(block_bytes_), kAccountBytes);
  return block;
}

void* PagePool::allocate(Need need) {
  if (need != Need::kMust) {
    void* block = try_allocate(need);
    if (block != nullptr || (need == Need::kMayFail && account_.full(block_bytes_)) || !return_free_memory())
      return block;
    return try_allocate(need);
  }
  return allocate_or_wait([&] { return try_allocate(need); });
}

void PagePool::free(void* block) {
  auto* chunk = reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(block) & ~(kChunkBytes - 1));
  std::lock_guard lock(lock_);
  bool was_full = full(*chunk);
  auto* f = static_cast<FreeBlock*>(block);
  f->next = chunk->free;
  chunk->free = f;
  if (was_full) link(chunk);
  count(-static_cast<int64_t>(block_bytes_), kAccountBytes);
  if (--chunk->used > 0) return;
  if (empty_chunks_ == 0) {
    empty_chunks_++;
    return;
  }
  unlink(chunk);
  unmap_chunk(chunk);
}

void PagePool::trim() {
  std::lock_guard lock(lock_);
  count(0, 1);
  for (Chunk* chunk = with_space_; chunk != nullptr && empty_chunks_ > 0;) {
    Chunk* next = chunk->next;
    if (chunk->used == 0) {
      unlink(chunk);
      unmap_chunk(chunk);
      empty_chunks_--;
    }
    chunk = next;
  }
}

size_t PagePool::chunk_bytes_total() {
  std::lock_guard lock(lock_);
  return chunks_ * kChunkBytes;
}

}  // namespace indigo::storage
