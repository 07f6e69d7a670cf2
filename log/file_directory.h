// A Directory of the file system, and the lock that one process at a time holds on it.
// Thread safety: all functions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "log/device.h"

namespace indigo::log {

// The file within the directory that carries the lock; list() leaves it out.
inline constexpr const char* kLockName = "lock";

// kRead: nothing in it is changed, and others may read it, too.
enum class DirectoryUse : uint8_t { kOwn, kRead };

// Makes the directory when it is missing, and locks it: 55006 when another process has it. The lock is the kernel's
// (flock): it dies with its owner, however that ends.
Result<std::unique_ptr<Directory>> open_file_directory(const std::string& path, DirectoryUse use = DirectoryUse::kOwn);

}  // namespace indigo::log
