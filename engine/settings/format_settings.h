// DateStyle, IntervalStyle, TimeZone and client_encoding: their values normalised, and kept as types::FormatSettings.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "types/function/context.h"

namespace indigo::engine {

// SettingBehavior::normalise of the settings of these names.
Result<std::string> normalise_date_style(const std::string& value, const types::FormatSettings& now);
Result<std::string> normalise_time_zone(const std::string& value, const types::FormatSettings& now);
Result<std::string> normalise_client_encoding(const std::string& value, const types::FormatSettings& now);
// TimeZone as INTERVAL 'text', which is what SET TIME ZONE INTERVAL sets.
bool is_interval_zone(std::string_view value);
Result<std::string> check_interval_zone(catalog::SessionContext& session, const std::string& value);
// Take over an already normalised value.
void apply_client_encoding(std::string_view value, types::FormatSettings& format);
void apply_date_style(std::string_view value, types::FormatSettings& format);
void apply_interval_style(std::string_view value, types::FormatSettings& format);

}  // namespace indigo::engine
