// What a client is told when its statement, or its session, is stopped: 57014, 57P01 and so on.
// Thread safety: pure functions.
#pragma once

#include "base/error.h"
#include "base/fiber/wait_point.h"

namespace indigo {

Error interrupt_error(InterruptReason reason);

}  // namespace indigo
