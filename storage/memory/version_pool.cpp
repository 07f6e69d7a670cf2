#include "storage/memory/version_pool.h"

#include <cstdlib>

#include "storage/memory/wait_for_memory.h"

namespace indigo::storage {

VersionPool::VersionPool(MemoryAccount& account) : account_(account) {
  for (size_t i = 0; i < kClasses; i++) {
    classes_[i] = std::make_unique<PagePool>((i + 1) * kLine, account, MemoryKind::kVersions);
  }
}

VersionPool::~VersionPool() = default;

void* VersionPool::allocate(size_t bytes) {
  used_.fetch_add(1, std::memory_order_relaxed);
  size_t lines = (bytes + kLine - 1) / kLine;
  if (lines <= kClasses) return classes_[lines - 1]->allocate(Need::kMust);
  account_.add(MemoryKind::kVersions, static_cast<int64_t>(lines * kLine));
  return allocate_or_wait([&] { return std::aligned_alloc(kLine, lines * kLine); });
}

void VersionPool::free(void* block, size_t bytes) {
  used_.fetch_sub(1, std::memory_order_relaxed);
  size_t lines = (bytes + kLine - 1) / kLine;
  if (lines <= kClasses) {
    classes_[lines - 1]->free(block);
    return;
  }
  account_.add(MemoryKind::kVersions, -static_cast<int64_t>(lines * kLine));
  std::free(block);
}

void VersionPool::trim() {
  for (auto& c : classes_) c->trim();
}

size_t VersionPool::chunk_bytes_total() {
  size_t bytes = 0;
  for (auto& c : classes_) bytes += c->chunk_bytes_total();
  return bytes;
}

}  // namespace indigo::storage
