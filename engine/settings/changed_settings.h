// The planner's settings that a session has changed.
// Thread safety: a pure function of the session's settings.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace indigo::engine {

class Settings;

// Those that differ from their start value, as EXPLAIN (SETTINGS) names them.
std::vector<std::pair<std::string, std::string>> changed_settings(const Settings& settings);

}  // namespace indigo::engine
