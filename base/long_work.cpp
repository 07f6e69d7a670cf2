#include "base/long_work.h"

#include "base/memory_reserve.h"

namespace indigo::long_work {

void look() {
  units_left = kUnitsBetweenLooks;
  if (MustNotFail::active()) return;
  const InterruptReason reason = Waiter::current().interrupted();
  if (reason != InterruptReason::kNone) throw InterruptedWork{reason};
}

}  // namespace indigo::long_work
