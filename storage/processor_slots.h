// Words that threads take for a moment, each in a cacheline of its own, near to the processor's others: what every operation
// or commit announces without a contended write.
//
// Thread safety: all functions; a slot belongs to who took it, until it stores 0.
// Invariant: a thread that loads used() and then the slots (seq_cst) and does not meet one that is taken, has loaded before it
// was taken.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/full_fence.h"
#include "storage/spin_lock.h"

namespace indigo::storage {

template <uint32_t kSlots, uint32_t kPerProcessor>
class ProcessorSlots {
 public:
  struct alignas(64) Slot {
    std::atomic<uint64_t> value{0};  // 0: free
    uint64_t last = 0;               // for the use of who has taken it: what the one before has left
  };

  // Takes a free slot, with the value that value() answers, not 0. Waits while none is free.
  template <class Value>
  Slot& take(Value value) {
    uint32_t i = thread_shard() * kPerProcessor % kSlots;
    Backoff backoff;
    for (uint32_t tried = 1;; tried++) {
      uint64_t none = 0;
      if (used_.load(std::memory_order_relaxed) <= i) use(i);
      if (slots_[i].value.load(std::memory_order_relaxed) == 0 &&
          slots_[i].value.compare_exchange_strong(none, value())) {
        fence_after_exchange();  // before whatever the thread does next, for those who look at the slots
        return slots_[i];
      }
      i = (i + 1) % kSlots;
      if (tried % kSlots == 0) backoff.pause();
    }
  }
  // The slots from this one on have never been taken.
  uint32_t used() const { return used_.load(); }
  Slot& operator[](uint32_t i) { return slots_[i]; }
  const Slot& operator[](uint32_t i) const { return slots_[i]; }
  uint32_t index_of(const Slot& slot) const { return static_cast<uint32_t>(&slot - slots_.data()); }

 private:
  void use(uint32_t i) {
    uint32_t used = used_.load();
    while (used <= i && !used_.compare_exchange_weak(used, i + 1)) {
    }
  }

  std::atomic<uint32_t> used_{0};
  std::array<Slot, kSlots> slots_;
};

}  // namespace indigo::storage
