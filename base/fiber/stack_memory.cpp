#include "base/fiber/stack_memory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace indigo {

namespace {
size_t page_bytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
size_t round_to_pages(size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }
}  // namespace

StackMemory::StackMemory(size_t bytes) : bytes_(round_to_pages(bytes)) {
  size_t all = bytes_ + page_bytes();
  void* at = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (at == MAP_FAILED) return;
  if (mprotect(static_cast<char*>(at) + page_bytes(), bytes_, PROT_READ | PROT_WRITE) != 0) {
    munmap(at, all);
    return;
  }
  // A huge page would commit 2 MB for the first frame.
  madvise(at, all, MADV_NOHUGEPAGE);
  base_ = static_cast<char*>(at);
}

StackMemory& StackMemory::operator=(StackMemory&& other) noexcept {
  if (this != &other) {
    release();
    base_ = std::exchange(other.base_, nullptr);
    bytes_ = other.bytes_;
  }
  return *this;
}

StackMemory::~StackMemory() { release(); }

void StackMemory::release() {
  if (base_ != nullptr) munmap(base_, bytes_ + page_bytes());
  base_ = nullptr;
}

StackBounds StackMemory::bounds() const {
  auto low = reinterpret_cast<uintptr_t>(base_) + page_bytes();
  return {low, low + bytes_};
}

void StackMemory::trim(size_t keep_bytes) {
  keep_bytes = round_to_pages(keep_bytes);
  if (keep_bytes >= bytes_) return;
  madvise(base_ + page_bytes(), bytes_ - keep_bytes, MADV_DONTNEED);
}

StackMemory StackPool::take() {
  if (spare_.empty()) return StackMemory(stack_bytes_);
  StackMemory stack = std::move(spare_.back());
  spare_.pop_back();
  return stack;
}

void StackPool::give(StackMemory stack) {
  if (stack.empty() || spare_.size() >= max_spare_) return;
  stack.trim(kKeptBytes);
  spare_.push_back(std::move(stack));
}

}  // namespace indigo
