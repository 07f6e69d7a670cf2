#include "base/memory/arena.h"

#include <algorithm>

#include "base/fiber/long_work.h"

namespace indigo {

namespace {

constexpr size_t kKeptBytesMax = 1 << 20;

}  // namespace

void* Arena::allocate_slow(size_t bytes) {
  size_t size = blocks_.empty() ? first_block_bytes_ : std::min<size_t>(blocks_.back().size * 2, 1 << 20);
  size = std::max(size, bytes + 16);
  note_work(size / 2);  // the system gives its pages one by one, when they are written
  blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
  allocated_bytes_ += size;
  auto at = (reinterpret_cast<uintptr_t>(blocks_.back().data.get()) + 15) & ~uintptr_t{15};
  next_ = reinterpret_cast<char*>(at + bytes);
  end_ = blocks_.back().data.get() + size;
  return reinterpret_cast<void*>(at);
}

void Arena::reset() {
  if (blocks_.empty()) return;
  if (blocks_[0].size > kKeptBytesMax) {  // one huge value must not stay for as long as the session lives
    blocks_.clear();
    allocated_bytes_ = 0;
    next_ = end_ = nullptr;
    return;
  }
  blocks_.resize(1);
  allocated_bytes_ = blocks_[0].size;
  next_ = blocks_[0].data.get();
  end_ = next_ + blocks_[0].size;
}

}  // namespace indigo
