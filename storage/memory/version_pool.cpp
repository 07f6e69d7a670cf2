#include "storage/memory/version_pool.h"

#include <cstdlib>
#include <mutex>
#include <new>

namespace indigo::storage {

VersionPool::~VersionPool() {
  for (void* chunk : chunks_) std::free(chunk);
}

char* VersionPool::new_chunk() {
  void* chunk = std::aligned_alloc(kLine, kChunkBytes);
  if (chunk == nullptr) throw std::bad_alloc();
  std::lock_guard lock(chunks_lock_);
  chunks_.push_back(chunk);
  chunk_bytes_.fetch_add(kChunkBytes, std::memory_order_relaxed);
  return static_cast<char*>(chunk);
}

void* VersionPool::allocate(size_t bytes) {
  used_.fetch_add(1, std::memory_order_relaxed);
  size_t lines = (bytes + kLine - 1) / kLine;
  if (lines > kClasses) {
    void* block = std::aligned_alloc(kLine, lines * kLine);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  Class& c = classes_[lines - 1];
  std::lock_guard lock(c.lock);
  if (c.free != nullptr) {
    FreeBlock* block = c.free;
    c.free = block->next;
    return block;
  }
  if (c.fresh == nullptr || c.fresh + lines * kLine > c.fresh_end) {
    c.fresh = new_chunk();
    c.fresh_end = c.fresh + kChunkBytes;
  }
  char* block = c.fresh;
  c.fresh += lines * kLine;
  return block;
}

void VersionPool::free(void* block, size_t bytes) {
  used_.fetch_sub(1, std::memory_order_relaxed);
  size_t lines = (bytes + kLine - 1) / kLine;
  if (lines > kClasses) {
    std::free(block);
    return;
  }
  Class& c = classes_[lines - 1];
  std::lock_guard lock(c.lock);
  auto* f = static_cast<FreeBlock*>(block);
  f->next = c.free;
  c.free = f;
}

}  // namespace indigo::storage
