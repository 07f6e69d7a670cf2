// DateStyle, IntervalStyle, TimeZone, client_encoding and their kin: checked, normalised, and kept as types::FormatSettings.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "types/function/context.h"

namespace indigo::engine {

// The value as it is stored and shown ("german" -> "German, DMY"). 22023 when invalid.
Result<std::string> check_format_setting(std::string_view name, std::string value, const types::FormatSettings& now);
// TimeZone as INTERVAL 'text', which is what SET TIME ZONE INTERVAL sets.
bool is_interval_zone(std::string_view value);
Result<std::string> check_interval_zone(catalog::SessionContext& session, const std::string& value);
// Takes over an already checked value; other settings are ignored.
void apply_format_setting(std::string_view name, std::string_view value, types::FormatSettings& format);

}  // namespace indigo::engine
