// Errors of the file system as the log reports them, and their SQLSTATEs. Thread safety: pure.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/sqlstate.h"

namespace indigo::sqlstate {

inline constexpr SqlState kIoError{"58030"};
inline constexpr SqlState kDataCorrupted{"XX001"};

}  // namespace indigo::sqlstate

namespace indigo::log {

// "could not open file "X": reason"; 53100 when the disk (or the process's limit) is full, else 58030.
inline Error file_error(std::string_view path, std::string_view what, int error_number) {
  bool full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
  return Error(
      full ? sqlstate::kDiskFull : sqlstate::kIoError,
      std::string(what) + " file \"" + std::string(path) + "\": " + std::generic_category().message(error_number));
}

}  // namespace indigo::log
