// The handshake of a stream's TLS channel.
// Thread safety: none; the session's fiber.
#pragma once

#include "base/error.h"
#include "wire/net/stream.h"
#include "wire/runtime/blocking_calls.h"

namespace indigo::wire {

// Call it after Stream::start_tls. Its steps run on `calls`, since one of them signs with the private key. Errors: what the
// log is to say (08006, 08P01); the client has had its alert, and no message would reach it.
Status shake_hands(Stream& stream, Task& task, BlockingCalls& calls, Deadline deadline);

}  // namespace indigo::wire
