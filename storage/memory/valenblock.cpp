#include "storage/memory/valenblock.h"

#include <cstdlib>
#include <mutex>
#include <new>

namespace indigo::storage {

struct Valenblock::Chunk {
  uint32_t references = 0;
  uint32_t used_bytes = 64;
};

Valenblock::~Valenblock() {
  if (active_ != nullptr) std::free(active_);
  for (Chunk* chunk : spare_) std::free(chunk);
}

Valenblock::Chunk* Valenblock::take_chunk() {
  void* memory = nullptr;
  if (!spare_.empty()) {
    memory = spare_.back();
    spare_.pop_back();
  } else {
    memory = std::aligned_alloc(kChunkBytes, kChunkBytes);
    if (memory == nullptr) throw std::bad_alloc();
    chunks_++;
  }
  auto* chunk = new (memory) Chunk();
  chunk->references = 1;  // the allocator's own
  return chunk;
}

void Valenblock::release(Chunk* chunk) {
  if (--chunk->references > 0) return;
  if (spare_.size() < 4) {
    spare_.push_back(chunk);
  } else {
    std::free(chunk);
    chunks_--;
  }
}

void* Valenblock::allocate(size_t bytes) {
  bytes = (bytes + 63) & ~size_t{63};
  std::lock_guard lock(lock_);
  if (bytes > kChunkBytes / 4) {
    // A chunk of its own; found by the same mask because nothing else lies in its first kChunkBytes.
    size_t total = (bytes + 64 + kChunkBytes - 1) / kChunkBytes * kChunkBytes;
    void* memory = std::aligned_alloc(kChunkBytes, total);
    if (memory == nullptr) throw std::bad_alloc();
    auto* chunk = new (memory) Chunk();
    chunk->used_bytes = 0;  // marks it
    return reinterpret_cast<char*>(chunk) + 64;
  }
  if (active_ == nullptr || active_->used_bytes + bytes > kChunkBytes) {
    if (active_ != nullptr) release(active_);
    active_ = take_chunk();
  }
  void* node = reinterpret_cast<char*>(active_) + active_->used_bytes;
  active_->used_bytes += static_cast<uint32_t>(bytes);
  active_->references++;
  return node;
}

void Valenblock::free(void* node) {
  auto* chunk = reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(node) & ~(kChunkBytes - 1));
  std::lock_guard lock(lock_);
  if (chunk->used_bytes == 0) {
    std::free(chunk);
    return;
  }
  release(chunk);
}

size_t Valenblock::chunk_bytes_total() {
  std::lock_guard lock(lock_);
  return chunks_ * kChunkBytes;
}

}  // namespace indigo::storage
