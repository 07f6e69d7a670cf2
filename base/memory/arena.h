// Bump allocator: many small allocations, freed together. Not thread-safe; one owner.
// reset() keeps the first block, so that a statement that runs again allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace indigo {

class Arena {
 public:
  explicit Arena(size_t first_block_bytes = 4096) : first_block_bytes_(first_block_bytes) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Alignment is 16 bytes at most.
  void* allocate(size_t bytes, size_t alignment = 16) {
    auto at = (reinterpret_cast<uintptr_t>(next_) + alignment - 1) & ~(uintptr_t{alignment} - 1);
    if (at + bytes > reinterpret_cast<uintptr_t>(end_) || next_ == nullptr) return allocate_slow(bytes);
    next_ = reinterpret_cast<char*>(at + bytes);
    return reinterpret_cast<void*>(at);
  }
  template <class T>
  T* allocate_array(size_t count) {
    return static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
  }
  std::string_view copy(std::string_view s) {
    auto* p = static_cast<char*>(allocate(s.size(), 1));
    if (!s.empty()) std::memcpy(p, s.data(), s.size());
    return {p, s.size()};
  }
  void reset();
  size_t allocated_bytes() const { return allocated_bytes_; }

 private:
  struct Block {
    std::unique_ptr<char[]> data;
    size_t size;
  };
  void* allocate_slow(size_t bytes);

  size_t first_block_bytes_;
  size_t allocated_bytes_ = 0;
  char* next_ = nullptr;
  char* end_ = nullptr;
  std::vector<Block> blocks_;
};

}  // namespace indigo
