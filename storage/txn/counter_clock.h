// Commit stamps from an atomic counter.
//
// Thread safety: all functions. Invariant: stable_ is the newest stamp such that all at or below it are decided; decided
// stamps above it are marked in a window until the gap below them closes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/ids.h"

namespace indigo::storage {

class CounterClock {
 public:
  explicit CounterClock(uint64_t first) : next_(first), stable_(first) {}

  CommitStamp take() { return CommitStamp(next_.fetch_add(1, std::memory_order_relaxed) + 1); }
  void decide(CommitStamp c);
  CommitStamp taken() const { return CommitStamp(next_.load()); }
  CommitStamp stable() const { return CommitStamp(stable_.load()); }  // seq_cst: see SnapshotRegistry
  void start_at(CommitStamp c) {
    next_.store(c.value);
    stable_.store(c.value);
  }

 private:
  static constexpr uint64_t kWindow = 4096;
  alignas(64) std::atomic<uint64_t> next_;
  alignas(64) std::atomic<uint64_t> stable_;
  // decided_[c % kWindow] == c: stamp c is decided.
  std::unique_ptr<std::array<std::atomic<uint64_t>, kWindow>> decided_ =
      std::make_unique<std::array<std::atomic<uint64_t>, kWindow>>();
};

}  // namespace indigo::storage
