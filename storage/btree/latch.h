// The latch of a leaf: readers check its version before and after, writers hold it exclusively.
//
// Thread safety: all functions. Invariants:
// 1. The word is odd while a writer holds it, and even otherwise; each unlock makes it larger.
// 2. A reader whose validate() succeeds has seen no byte of a writer that came in between.
// Source: Leis et al., Optimistic lock coupling (IEEE Data Eng. Bull. 42(1), 2019).
#pragma once

#include <atomic>
#include <cstdint>

#include "storage/shared_bytes.h"
#include "storage/spin_lock.h"

namespace indigo::storage {

class OptimisticLatch {
 public:
  // Waits while a writer holds it.
  uint64_t read_begin() const {
    Backoff backoff;
    for (;;) {
      uint64_t v = word_.load(std::memory_order_acquire);  // pairs with unlock()
      if ((v & 1) == 0) return v;
      backoff.pause();
    }
  }
  bool validate(uint64_t version) const {
    if constexpr (kThreadSanitizer) return word_.load(std::memory_order_acquire) == version;
    std::atomic_thread_fence(std::memory_order_acquire);  // the reads before it stay before the load below
    return word_.load(std::memory_order_relaxed) == version;
  }

  void lock() {
    Backoff backoff;
    for (;;) {
      uint64_t v = word_.load(std::memory_order_relaxed);
      if ((v & 1) == 0 && word_.compare_exchange_weak(v, v + 1, std::memory_order_acquire)) break;
      backoff.pause();
    }
    writer_fence();
  }
  // From an optimistic read to a write, if nothing changed meanwhile.
  bool try_upgrade(uint64_t version) {
    if (!word_.compare_exchange_strong(version, version + 1, std::memory_order_acquire)) return false;
    writer_fence();
    return true;
  }
  void unlock() { word_.store(word_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  // Unlocks without telling readers: nothing was changed.
  void unlock_unchanged() { word_.store(word_.load(std::memory_order_relaxed) - 1, std::memory_order_release); }

 private:
  // The odd word becomes visible before the writer's first store.
  static void writer_fence() {
    if constexpr (!kThreadSanitizer) std::atomic_thread_fence(std::memory_order_release);
  }

  std::atomic<uint64_t> word_{0};
};

}  // namespace indigo::storage
