// Waiting for a few instructions of another thread: pause, then give the processor away.
// Never held across a suspension, an allocation that may block, or user code.
#pragma once

#include <sched.h>
#include <sys/rseq.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "base/fiber/own_variable.h"

namespace indigo::storage {

class Backoff {
 public:
  void pause() {
    if (++rounds_ < kSpins) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#elif defined(__aarch64__)
      asm volatile("yield");
#endif
    } else {
      std::this_thread::yield();
    }
  }

 private:
  static constexpr int kSpins = 64;
  int rounds_ = 0;
};

class SpinLock {
 public:
  void lock() {
    Backoff backoff;
    while (locked_.exchange(true, std::memory_order_acquire)) {  // pairs with unlock's release
      while (locked_.load(std::memory_order_relaxed)) backoff.pause();
    }
  }
  bool try_lock() { return !locked_.exchange(true, std::memory_order_acquire); }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

// A small number that differs between threads that run at the same time, mostly: the processor's. For choosing among
// shards, never for identity; a thread may get another one at any moment.
inline uint32_t thread_shard() {
  // What the kernel keeps up to date in each thread (glibc 2.35 registers it), without a call.
  const auto* area = reinterpret_cast<const rseq*>(own_thread_pointer() + __rseq_offset);
  auto cpu = static_cast<int>(__atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED));
  if (cpu < 0) cpu = std::max(0, sched_getcpu());  // not registered
  return static_cast<uint32_t>(cpu);
}

}  // namespace indigo::storage
