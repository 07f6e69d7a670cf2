// The one commit order: hands out stamps and knows the stable stamp, the newest such that all at or below it are decided
// (committed or void). Two sources behind one interface: CounterClock and TscClock.
//
// Thread safety: all functions. Invariants:
// 1. Every stamp taken is decided, soon and without a suspension between.
// 2. stable() never goes back; a thread that sees stable() >= c sees the outcome of c's transaction in its descriptor.
// 3. A stamp lies above every stable stamp that was answered before it was taken.
// 4. Of two stamps the one taken later need not be the greater, unless it was asked for above the other, or the other was
//    covered by the stable stamp (R5).
#pragma once

#include <cstdint>
#include <memory>

#include "base/ids.h"
#include "storage/txn/clock_source.h"
#include "storage/txn/counter_clock.h"
#include "storage/txn/tsc_clock.h"

namespace indigo::storage {

class CommitClock {
 public:
  static constexpr uint64_t kFirst = 1;  // stable at the beginning: what bulk loading may use as "before everything"

  explicit CommitClock(ClockSource source = ClockSource::kCounter)
      : counter_(kFirst),
        tsc_(source == ClockSource::kTsc ? std::make_unique<TscClock>(CommitStamp(kFirst)) : nullptr) {}

  // Above `above`, a stamp taken before.
  CommitStamp take(CommitStamp above = {}) { return tsc_ == nullptr ? counter_.take() : tsc_->take(above); }
  // The outcome is stored in the descriptor already.
  void decide(CommitStamp c) { return tsc_ == nullptr ? counter_.decide(c) : tsc_->decide(c); }
  // At or above all taken so far.
  CommitStamp taken() const { return tsc_ == nullptr ? counter_.taken() : tsc_->taken(); }
  CommitStamp stable() const { return tsc_ == nullptr ? counter_.stable() : tsc_->stable(); }
  void wait_stable(CommitStamp c) const;
  // Before the first take(): as if all stamps up to this had been taken and decided.
  void start_at(CommitStamp c) { return tsc_ == nullptr ? counter_.start_at(c) : tsc_->start_at(c); }

 private:
  CounterClock counter_;
  std::unique_ptr<TscClock> tsc_;  // null: the counter
};

}  // namespace indigo::storage
