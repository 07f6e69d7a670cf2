// The last message to a client for which the server has no memory, no descriptor or no place: an ErrorResponse with FATAL, written
// without an allocation and without waiting. The socket is to be closed next.
// Thread safety: all functions.
#pragma once

#include <cstdint>

namespace indigo::wire {

enum class Refusal : uint8_t { kMemory, kConnections, kDescriptors };

void refuse_connection(int fd, Refusal refusal);

}  // namespace indigo::wire
