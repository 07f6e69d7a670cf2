// How much memory the process has and may have, so that what would make the system end the process is refused before.
// Thread safety: safe.
#pragma once

#include <cstdint>

namespace indigo {

// Resident now. A few microseconds.
uint64_t process_memory_bytes();

// The least of the machine's memory and the limits of the control groups the process runs in, read once.
uint64_t machine_memory_bytes();

}  // namespace indigo
