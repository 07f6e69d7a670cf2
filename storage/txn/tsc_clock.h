// Commit stamps from the counter that the processors have in common: x86-64's invariant time-stamp counter, 64-bit Arm's virtual
// count of the generic timer, which count alike on all cores.
//
// Time is cut into ticks of 64 units. A unit is a count of the time-stamp counter; Arm's counter may be much slower, as one of
// 24 MHz, and its counts are taken for several units, so that a tick is a few dozen nanoseconds there, too (one count at most).
// A stamp is its tick and the number of the slot that its commit holds from take() to decide(), and above what the slot had
// before; so stamps are unique, and commits write no common cacheline. The stable stamp is not stored: a reader looks at the slots.
//
// Thread safety: all functions. Invariants:
// 1. A commit marks its slot as taking before it reads the counter; then the slot has the stamp until it is decided.
// 2. stable() reads the counter before it looks at the slots, and answers the end of the tick before, or what lies below the
//    least stamp in a slot; it waits for slots that are taking. A stamp that it does not meet was decided before (then the
//    load that met the free slot, or its next user, saw the outcome), or is read later, from a tick that is not below.
// 3. So all stamps at or below stable() are decided, and stable() never goes back: a call that begins after another has
//    ended meets only stamps which that one met too, or which lie above its answer.
// Reads of the counter are fenced: they take place between what comes before and after them in the program.
// Source: ScaleDB 5.4 (system-wide timestamps); the slots, and so the stable stamp, are ours.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "storage/processor_slots.h"

namespace indigo::storage {

class TscClock {
 public:
  // Stamps lie above `first`.
  explicit TscClock(CommitStamp first) { start_at(first); }

  // Above `above`, which is not in the future.
  CommitStamp take(CommitStamp above);
  void decide(CommitStamp c) { slots_[c.value % kTick].value.store(0, std::memory_order_release); }
  // At or above all stamps taken so far, below those that are taken after it has returned.
  CommitStamp taken() const;
  CommitStamp stable() const;
  void start_at(CommitStamp c);

 private:
  static constexpr uint64_t kTick = 64;
  static constexpr uint64_t kTaking = 1;  // no stamp: those lie above the first tick

  // A count is two to the power of this units.
  static uint32_t counter_shift();
  uint64_t now() const;
  uint64_t tick() const { return now() & ~(kTick - 1); }  // its beginning

  const uint32_t shift_ = counter_shift();
  uint64_t offset_ = 0;  // set before the clock is used
  ProcessorSlots<kTick, 2> slots_;
};

}  // namespace indigo::storage
