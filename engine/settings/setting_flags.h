// What PostgreSQL notes of its settings beside their values (pg_settings_get_flags).
// Thread safety: pure functions.
#pragma once

#include <string_view>
#include <vector>

namespace indigo::engine {

// Of a setting by its name in the table of settings: EXPLAIN, NO_SHOW_ALL, NO_RESET_ALL, NOT_IN_SAMPLE, RUNTIME_COMPUTED.
std::vector<std::string_view> setting_flags(std::string_view name);

}  // namespace indigo::engine
