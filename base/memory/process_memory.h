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

// Whether the process should take no more memory: it has nearly all that the machine or a control group has; or others have much
// of that, little is left, and of what is not theirs the process has nearly all. Looked up every other millisecond, others' use
// every tenth.
bool process_memory_is_short();
bool process_memory_is_very_short();

// ---- what the above are made of
// `groups_file`: which control groups the process is in (/proc/self/cgroup); `root`: where their files are (/sys/fs/cgroup).
// Versions 1 and 2; for version 2 the limits of all groups above count, too.
// The least limit. UINT64_MAX: none.
uint64_t control_group_limit_bytes(const std::string& groups_file, const std::string& root);
// The least that a group with a limit still gives, with what the system may take back of its files. UINT64_MAX: no limit.
uint64_t control_group_spare_bytes(const std::string& groups_file, const std::string& root);
// What the machine still gives, swap included. `file`: /proc/meminfo. UINT64_MAX: it does not say.
uint64_t machine_spare_bytes(const std::string& file);

enum class MemoryLeft : uint8_t { kEnough, kLittle, kVeryLittle };
// `own`: of the process; `spare`: what is left for it; `whole`: of the machine.
MemoryLeft memory_left(uint64_t own, uint64_t spare, uint64_t whole);

}  // namespace indigo
