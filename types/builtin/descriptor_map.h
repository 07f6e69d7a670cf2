// Descriptors of built-in objects by OID, each made when it is first asked for and never changed.
// Thread safety: all members may be called at once; find takes no lock.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "types/oids.h"

namespace indigo::types {

template <class T>
class DescriptorMap {
 public:
  DescriptorMap() = default;
  DescriptorMap(const DescriptorMap&) = delete;
  DescriptorMap& operator=(const DescriptorMap&) = delete;
  ~DescriptorMap() {
    for (auto& block : blocks_) delete block.load(std::memory_order_relaxed);
  }

  // Null: not made yet.
  const std::shared_ptr<const T>* find(Oid oid) const {
    if (oid >= oid::kFirstUserOid) return nullptr;
    const Block* block = blocks_[oid / kBlock].load(std::memory_order_acquire);  // pairs with the store in insert
    return block == nullptr ? nullptr : block->slots[oid % kBlock].load(std::memory_order_acquire);
  }
  // The one that was there first.
  const std::shared_ptr<const T>& insert(Oid oid, std::shared_ptr<const T> made) {
    const std::scoped_lock guard(mutex_);
    auto& place = blocks_[oid / kBlock];
    Block* block = place.load(std::memory_order_relaxed);
    if (block == nullptr) {
      block = new Block;
      place.store(block, std::memory_order_release);  // pairs with find
    }
    auto& slot = block->slots[oid % kBlock];
    if (const auto* there = slot.load(std::memory_order_relaxed)) return *there;
    owned_.push_back(std::move(made));
    slot.store(&owned_.back(), std::memory_order_release);  // pairs with find
    return owned_.back();
  }

 private:
  static constexpr size_t kBlock = 128;
  struct Block {
    std::array<std::atomic<const std::shared_ptr<const T>*>, kBlock> slots{};
  };
  std::mutex mutex_;  // guards insert
  std::deque<std::shared_ptr<const T>> owned_;
  std::array<std::atomic<Block*>, oid::kFirstUserOid / kBlock> blocks_{};
};

}  // namespace indigo::types
