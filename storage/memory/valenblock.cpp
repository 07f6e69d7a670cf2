#include "storage/memory/valenblock.h"

#include <cstdlib>
#include <mutex>
#include <new>

#include "storage/memory/wait_for_memory.h"

namespace indigo::storage {

struct Valenblock::Chunk {
  uint32_t references = 0;
  uint32_t used_bytes = 64;
  size_t total_bytes = kChunkBytes;
};

Valenblock::~Valenblock() {
  if (active_ != nullptr) free_memory(active_, kChunkBytes);
  for (Chunk* chunk : spare_) free_memory(chunk, kChunkBytes);
}

void* Valenblock::new_memory(size_t bytes) {
  void* memory = std::aligned_alloc(kChunkBytes, bytes);
  if (memory != nullptr) account_.add(MemoryKind::kInnerNodes, static_cast<int64_t>(bytes));
  return memory;
}

void Valenblock::free_memory(void* memory, size_t bytes) {
  account_.add(MemoryKind::kInnerNodes, -static_cast<int64_t>(bytes));
  std::free(memory);
}

Valenblock::Chunk* Valenblock::take_chunk() {
  void* memory = nullptr;
  if (!spare_.empty()) {
    memory = spare_.back();
    spare_.pop_back();
  } else {
    memory = new_memory(kChunkBytes);
    if (memory == nullptr) return nullptr;
    chunks_++;
  }
  auto* chunk = new (memory) Chunk();
  chunk->references = 1;  // the allocator's own
  return chunk;
}

void Valenblock::release(Chunk* chunk) {
  if (--chunk->references > 0) return;
  if (spare_.size() < kSpareChunks) {
    spare_.push_back(chunk);
  } else {
    free_memory(chunk, kChunkBytes);
    chunks_--;
  }
}

void* Valenblock::try_allocate(size_t bytes) {
  std::lock_guard lock(lock_);
  if (bytes > kChunkBytes / 4) {
    // A chunk of its own; found by the same mask because nothing else lies in its first kChunkBytes.
    size_t total = (bytes + 64 + kChunkBytes - 1) / kChunkBytes * kChunkBytes;
    void* memory = new_memory(total);
    if (memory == nullptr) return nullptr;
    auto* chunk = new (memory) Chunk();
    chunk->used_bytes = 0;  // marks it
    chunk->total_bytes = total;
    return reinterpret_cast<char*>(chunk) + 64;
  }
  if (active_ == nullptr || active_->used_bytes + bytes > kChunkBytes) {
    Chunk* next = take_chunk();
    if (next == nullptr) return nullptr;
    if (active_ != nullptr) release(active_);
    active_ = next;
  }
  void* node = reinterpret_cast<char*>(active_) + active_->used_bytes;
  active_->used_bytes += static_cast<uint32_t>(bytes);
  active_->references++;
  return node;
}

void* Valenblock::allocate(size_t bytes) {
  bytes = (bytes + 63) & ~size_t{63};
  return allocate_or_wait([&] { return try_allocate(bytes); });
}

void Valenblock::free(void* node) {
  auto* chunk = reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(node) & ~(kChunkBytes - 1));
  std::lock_guard lock(lock_);
  if (chunk->used_bytes == 0) {
    free_memory(chunk, chunk->total_bytes);
    return;
  }
  release(chunk);
}

size_t Valenblock::chunk_bytes_total() {
  std::lock_guard lock(lock_);
  return chunks_ * kChunkBytes;
}

}  // namespace indigo::storage
