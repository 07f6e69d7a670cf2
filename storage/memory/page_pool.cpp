#include "storage/memory/page_pool.h"

#include <sys/mman.h>

#include <mutex>
#include <new>

namespace indigo::storage {

namespace {
constexpr size_t kChunkBytes = 2 << 20;
}

// Stands in the chunk's first bytes; blocks find it by masking their address.
struct PagePool::Chunk {
  Chunk* next = nullptr;
  Chunk* previous = nullptr;
  FreeBlock* free = nullptr;
  size_t fresh_offset = 0;  // blocks from here on were never used
  uint32_t used = 0;
};

PagePool::PagePool(size_t block_bytes) : block_bytes_((block_bytes + 63) & ~size_t{63}) {
  static_assert(sizeof(Chunk) <= 64);
}

PagePool::~PagePool() {
  while (with_space_ != nullptr) {
    Chunk* chunk = with_space_;
    unlink(chunk);
    munmap(chunk, kChunkBytes);
  }
}

PagePool::Chunk* PagePool::map_chunk() {
  // Twice the size, to cut out an aligned chunk.
  auto* raw = static_cast<char*>(
      mmap(nullptr, 2 * kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (raw == MAP_FAILED) throw std::bad_alloc();
  auto address = reinterpret_cast<uintptr_t>(raw);
  uintptr_t aligned = (address + kChunkBytes - 1) & ~(kChunkBytes - 1);
  if (aligned > address) munmap(raw, aligned - address);
  uintptr_t end = address + 2 * kChunkBytes;
  if (end > aligned + kChunkBytes) munmap(reinterpret_cast<void*>(aligned + kChunkBytes), end - aligned - kChunkBytes);
  auto* at = reinterpret_cast<void*>(aligned);
  // The first chunk stays on small pages: a small database should not cost 2 MB at once.
  if (chunks_ > 0) madvise(at, kChunkBytes, MADV_HUGEPAGE);
  auto* chunk = new (at) Chunk();
  chunk->fresh_offset = 64;
  chunks_++;
  return chunk;
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

void* PagePool::allocate() {
  std::lock_guard lock(lock_);
  if (with_space_ == nullptr) {
    link(map_chunk());
    empty_chunks_++;
  }
  Chunk* chunk = with_space_;
  void* block;
  if (chunk->free != nullptr) {
    block = chunk->free;
    chunk->free = chunk->free->next;
  } else {
    block = reinterpret_cast<char*>(chunk) + chunk->fresh_offset;
    chunk->fresh_offset += block_bytes_;
  }
  if (chunk->used++ == 0) empty_chunks_--;
  if (chunk->free == nullptr && chunk->fresh_offset + block_bytes_ > kChunkBytes) unlink(chunk);
  return block;
}

void PagePool::free(void* block) {
  auto* chunk = reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(block) & ~(kChunkBytes - 1));
  std::lock_guard lock(lock_);
  bool was_full = chunk->free == nullptr && chunk->fresh_offset + block_bytes_ > kChunkBytes;
  auto* f = static_cast<FreeBlock*>(block);
  f->next = chunk->free;
  chunk->free = f;
  if (was_full) link(chunk);
  if (--chunk->used > 0) return;
  if (empty_chunks_ == 0) {
    empty_chunks_++;
    return;
  }
  unlink(chunk);
  munmap(chunk, kChunkBytes);
  chunks_--;
}

size_t PagePool::chunk_bytes_total() {
  std::lock_guard lock(lock_);
  return chunks_ * kChunkBytes;
}

}  // namespace indigo::storage
