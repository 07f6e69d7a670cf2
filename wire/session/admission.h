// Whether a client that has sent its startup packet may come in: the rule that fits it, what the rule asks, and whether the
// client has shown it.
// Thread safety: none; the session's fiber.
#pragma once

#include "base/error.h"
#include "wire/session/connection.h"
#include "wire/session/startup.h"

namespace indigo::wire {

// Ok: AuthenticationOk is written (not sent). Errors are FATAL (28000, 28P01, 08P01, 57014); kConnectionFailure: the client
// has gone.
Status admit(SharedState& shared, const Door::Knowledge& door, Stream& stream, Task& task, const ClientAddress& address,
             const StartupRequest& request, Deadline deadline);

}  // namespace indigo::wire
