// Planning may take long: each pull-up copies what it pulls up, and chains of subqueries are pulled up one by one.
// Thread safety: the running session's own.
#pragma once

#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"

namespace indigo::sql::planning {

// Lets others run, and answers an error when the session has been told to stop. No latch may be held.
inline Status check_interrupt() {
  Waiter& waiter = Waiter::current();
  waiter.yield_if_due();
  const InterruptReason reason = waiter.interrupted();
  return reason == InterruptReason::kNone ? Status() : Status(interrupt_error(reason));
}

}  // namespace indigo::sql::planning
