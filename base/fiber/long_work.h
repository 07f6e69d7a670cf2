// Work whose length a client chooses (digits of a number, elements of an array, a pattern) looks now and then whether the flow that
// does it has been told to stop: cancelled, out of time, its client gone.
//
// note_work(units) counts, a unit being about a nanosecond; every kUnitsBetweenLooks of a thread it looks, and throws
// InterruptedWork when the flow is to stop. That ends at the message's edge as the statement's error
// (base/exception_error.h), as a failed allocation does. It never gives the thread away: it may be called wherever memory
// may be asked for. In a MustNotFail scope it does nothing. Thread safety: all functions.
#pragma once

#include <cstdint>

#include "base/fiber/own_variable.h"
#include "base/fiber/wait_point.h"

namespace indigo {

struct InterruptedWork {
  InterruptReason reason;
};

namespace long_work {
inline constexpr int64_t kUnitsBetweenLooks = int64_t{1} << 21;
inline thread_local int64_t left = kUnitsBetweenLooks;
INDIGO_OWN_VARIABLE int64_t& units_left() {
  address_is_found_anew();
  return left;
}
void look();
}  // namespace long_work

inline void note_work(uint64_t units) {
  if ((long_work::units_left() -= static_cast<int64_t>(units)) < 0) [[unlikely]] {
    long_work::look();
  }
}

}  // namespace indigo
