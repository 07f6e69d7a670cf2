// The key of a node of NeighbourGraph: one byte, the column's, and a vector (base/vector_space.h). It is shared by the graphs that
// have the node and by the searches that gave it, and lies so that the vector's image begins a cache line: its sums read no line
// twice, and wide loads none that they share.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "base/bytes.h"
#include "base/vector_space.h"

namespace indigo::storage {

class NodeKey {
 public:
  // Without a key.
  NodeKey() = default;
  explicit NodeKey(Bytes key) : size_(static_cast<uint32_t>(key.size())) {
    const std::shared_ptr<char> block(static_cast<char*>(::operator new(allocated_bytes(), kLine)),
                                      [](char* b) { ::operator delete(b, kLine); });
    char* start = block.get() + kStart;
    std::memcpy(start, key.data(), key.size());
    key_ = std::shared_ptr<const char>(block, start);
  }

  bool empty() const { return key_ == nullptr; }
  Bytes bytes() const { return {key_.get(), size_}; }
  // What the distance between vectors is measured by.
  Bytes vector() const { return size_ == 0 ? Bytes() : bytes().substr(1); }
  const char* image() const { return key_.get() + kHead; }
  // The image's first lines on their way into the cache; the processor fetches by itself what follows them.
  void prefetch_image() const {
    const size_t bytes = size_ < kFetched ? size_ : kFetched;
    for (size_t at = 0; at < bytes; at += static_cast<size_t>(kLine)) __builtin_prefetch(image() + at);
  }
  size_t allocated_bytes() const { return kStart + size_; }

 private:
  static constexpr std::align_val_t kLine{64};
  static constexpr size_t kHead = 1 + VectorKey::kHead, kStart = static_cast<size_t>(kLine) - kHead, kFetched = 1024;

  std::shared_ptr<const char> key_;
  uint32_t size_ = 0;
};

}  // namespace indigo::storage
