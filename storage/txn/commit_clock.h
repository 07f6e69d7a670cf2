// The one commit order: hands out stamps and knows the stable stamp, the newest such that all at or below it are decided
// (committed or void).
//
// Thread safety: all functions. Invariants:
// 1. Every stamp taken is decided, soon and without a suspension between.
// 2. stable() never goes back; whoever sees stable() >= c sees the outcome of c's transaction in its descriptor.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/ids.h"

namespace indigo::storage {

class CommitClock {
 public:
  static constexpr uint64_t kFirst = 1;  // stable at the beginning: what bulk loading may use as "before everything"

  CommitStamp take() { return CommitStamp(next_.fetch_add(1, std::memory_order_relaxed) + 1); }
  // The outcome is stored in the descriptor already.
  void decide(CommitStamp c);
  CommitStamp taken() const { return CommitStamp(next_.load()); }  // the newest
  // Before the first take(): as if all stamps up to this had been taken and decided.
  void start_at(CommitStamp c) {
    next_.store(c.value);
    stable_.store(c.value);
  }
  CommitStamp stable() const { return CommitStamp(stable_.load()); }  // seq_cst: see SnapshotRegistry
  void wait_stable(CommitStamp c) const;

 private:
  static constexpr uint64_t kWindow = 4096;
  alignas(64) std::atomic<uint64_t> next_{kFirst};
  alignas(64) std::atomic<uint64_t> stable_{kFirst};
  // decided_[c % kWindow] == c: stamp c is decided.
  std::unique_ptr<std::array<std::atomic<uint64_t>, kWindow>> decided_ =
      std::make_unique<std::array<std::atomic<uint64_t>, kWindow>>();
};

}  // namespace indigo::storage
