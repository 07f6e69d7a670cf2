// Threads that are held at pause points (storage/pause_points.h) for a random while: most continue at once, some let others
// run once, a few stay until others have come by many points. So what takes a moment, a split that the parent does not know yet,
// a commit between stamp and install, is met by others in the middle.
//
// Thread safety: reached() is called by all threads. Nobody is held for long.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "storage/pause_points.h"

namespace indigo::storage {

class RandomPauses final : public PausePoints {
 public:
  explicit RandomPauses(uint32_t seed) : seed_(seed) {}

  uint64_t count(PausePoint point) const { return counts_[static_cast<size_t>(point)].load(); }
  uint64_t count() const { return arrivals_.load(); }

 private:
  static constexpr uint64_t kPassersBy = 20;
  static constexpr std::chrono::microseconds kLong{150};  // on a busy machine that is one yield

  void reached(PausePoint point) override {
    counts_[static_cast<size_t>(point)].fetch_add(1, std::memory_order_relaxed);
    const uint64_t arrived = arrivals_.fetch_add(1, std::memory_order_relaxed) + 1;
    const uint64_t dice = mixed(arrived + (uint64_t{seed_} << 32)) % 64;
    if (dice >= 8) return;
    std::this_thread::yield();
    if (dice >= 2) return;
    const auto end = std::chrono::steady_clock::now() + kLong;
    while (arrivals_.load(std::memory_order_relaxed) < arrived + kPassersBy && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
  }
  // splitmix64: no state of its own for each thread.
  static uint64_t mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  const uint32_t seed_;
  std::atomic<uint64_t> arrivals_{0};
  std::array<std::atomic<uint64_t>, kPausePoints> counts_{};
};

}  // namespace indigo::storage
