// The setting of auth_delay, PostgreSQL's module that lets those wait who have not been let in.
// Thread safety: values.
#pragma once

#include <span>

#include "engine/settings/setting_table.h"

namespace indigo::engine {

inline constexpr const char* kAuthenticationDelay = "auth_delay.milliseconds";

// Known to sessions that have loaded the module.
std::span<const SettingDefinition> authentication_delay_settings();

}  // namespace indigo::engine
