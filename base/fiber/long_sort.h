// std::sort of what a client chooses the length of: now and then it looks at interrupts, as note_work does (it throws
// InterruptedWork then; the elements are in some order), and lets others of the same worker run.
// Thread safety: as the elements. No latch may be held.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

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

// An order for std::sort and std::stable_sort where no turn may be given: comparing notes its work. What is thrown meanwhile
// leaves the elements in some order, some of them perhaps empty.
template <class Less = std::less<>>
auto noted_order(Less less = {}, uint64_t units = 16) {
  return [less, units](const auto& a, const auto& b) {
    note_work(units);
    return less(a, b);
  };
}

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
