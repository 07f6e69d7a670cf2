// How much memory the process has and may have, so that what would make the system end the process is refused before.
// Thread safety: safe.
#pragma once

#include <cstdint>
#include <string>

namespace indigo {

// Resident now. A few microseconds.
uint64_t process_memory_bytes();

// The least of the machine's memory and the limits of the control groups the process runs in, read once.
uint64_t machine_memory_bytes();

// The least limit of control groups. `groups_file`: which ones the process is in (/proc/self/cgroup); `root`: where their
// files are (/sys/fs/cgroup). Versions 1 and 2; for version 2 the limits of all groups above count, too. UINT64_MAX: none.
uint64_t control_group_limit_bytes(const std::string& groups_file, const std::string& root);

}  // namespace indigo
