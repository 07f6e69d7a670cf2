// A loop whose length a client chooses and which holds nothing that others of its thread may wait for (no latch, lock or guard):
// it notes its work (base/fiber/long_work.h), and lets others run about every millisecond.
// Thread safety: belongs to the loop, which may go on as another thread.
#pragma once

#include <cstdint>

#include "base/fiber/long_work.h"

namespace indigo {

class Turns {
 public:
  // A unit is about a nanosecond.
  void work(uint64_t units) {
    note_work(units);
    if ((done_ += units) >= kUnitsBetweenTurns) [[unlikely]]
      give();
  }

 private:
  static constexpr uint64_t kUnitsBetweenTurns = uint64_t{1} << 20;
  // Not inlined: what runs after it may be another thread.
  [[gnu::noinline]] void give() {
    done_ = 0;
    Waiter::current().yield_if_due();
  }

  uint64_t done_ = 0;
};

}  // namespace indigo
