// log_destination: in which forms the server's log is written. All of them go to stderr; there is no collector, and so no files.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "types/function/context.h"

namespace indigo::engine {

// SettingBehavior::normalise: the value as it is. 22023 when it is none; 0A000 for syslog.
Result<std::string> check_log_destination(const std::string& value, const types::FormatSettings& now);
// As set_log_forms takes them, of a value that has been checked.
uint8_t log_forms_of(std::string_view log_destination);

}  // namespace indigo::engine
