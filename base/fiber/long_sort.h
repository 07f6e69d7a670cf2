// std::sort of what a client chooses the length of: now and then it looks at interrupts, as note_work does (it throws
// InterruptedWork then; the elements are in some order), and lets others of the same worker run.
// Thread safety: as the elements. No latch may be held.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/fiber/long_work.h"
#include "base/fiber/wait_point.h"

namespace indigo {

namespace long_work {
inline constexpr uint32_t kComparisonsBetweenTurns = 4096;
// Not inlined: what runs after it may be another thread.
[[gnu::noinline]] inline void take_turn(uint64_t units) {
  note_work(units);
  Waiter::current().yield_if_due();
}
}  // namespace long_work

// `units` of a comparison: base/fiber/long_work.h.
template <class Iterator, class Less>
void long_sort(Iterator first, Iterator last, uint64_t units, Less less) {
  uint32_t compared = 0;
  std::sort(first, last, [&](const auto& a, const auto& b) {
    if (++compared == long_work::kComparisonsBetweenTurns) [[unlikely]] {
      compared = 0;
      long_work::take_turn(units * long_work::kComparisonsBetweenTurns);
    }
    return less(a, b);
  });
}

}  // namespace indigo
