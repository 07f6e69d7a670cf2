#include "base/fiber/long_work.h"

#include <new>

#include "base/memory/memory_account.h"
#include "base/memory/memory_reserve.h"

namespace indigo::long_work {

void look() {
  units_left() = kUnitsBetweenLooks;
  if (MustNotFail::active()) return;
  const InterruptReason reason = Waiter::current().interrupted();
  if (reason != InterruptReason::kNone) throw InterruptedWork{reason};
  if (MemoryAccount::must_stop()) throw std::bad_alloc();
}

}  // namespace indigo::long_work
