// Waiting for a few instructions of another thread: pause, then give the processor away.
// Never held across a suspension, an allocation that may block, or user code.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

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

// A small number that tells the threads of now apart; for choosing among shards, never for identity.
inline uint32_t thread_shard() {
  thread_local const char here = 0;
  auto address = reinterpret_cast<uintptr_t>(&here);
  return static_cast<uint32_t>((address >> 12) * 0x9e3779b97f4a7c15ULL >> 40);
}

}  // namespace indigo::storage
