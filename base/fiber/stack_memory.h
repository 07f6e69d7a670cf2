// Memory for a stack: reserved address space with a guard page below it, committed page by page as it is touched.
// Thread safety: none; one owner.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/fiber/stack.h"

namespace indigo {

class StackMemory {
 public:
  StackMemory() = default;
  // `bytes` is rounded up to pages; empty() when the system has no address space left.
  explicit StackMemory(size_t bytes);
  StackMemory(StackMemory&& other) noexcept : base_(std::exchange(other.base_, nullptr)), bytes_(other.bytes_) {}
  StackMemory& operator=(StackMemory&& other) noexcept;
  ~StackMemory();

  bool empty() const { return base_ == nullptr; }
  StackBounds bounds() const;
  // Gives back to the system all pages below the top `keep_bytes`. Their content is lost.
  void trim(size_t keep_bytes);

 private:
  void release();

  char* base_ = nullptr;  // the guard page; the stack begins one page above it
  size_t bytes_ = 0;      // without the guard
};

// Stacks of one size for reuse. A stack that comes back keeps its top kKeptBytes committed.
class StackPool {
 public:
  explicit StackPool(size_t stack_bytes, size_t max_spare = 64) : stack_bytes_(stack_bytes), max_spare_(max_spare) {}
  StackMemory take();
  void give(StackMemory stack);
  size_t spare() const { return spare_.size(); }

 private:
  static constexpr size_t kKeptBytes = 16 * 1024;

  size_t stack_bytes_;
  size_t max_spare_;
  std::vector<StackMemory> spare_;
};

}  // namespace indigo
