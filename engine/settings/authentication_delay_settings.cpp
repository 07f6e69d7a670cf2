#include "engine/settings/authentication_delay_settings.h"

namespace indigo::engine {

namespace {

constexpr SettingDefinition kDelaySettings[] = {
    {.name = kAuthenticationDelay,
     .kind = SettingKind::kInteger,
     .context = SettingContext::kSighup,
     .boot_value = "0",
     .unit = "ms",
     .minimum = "0",
     .maximum = "2147483",
     .enum_values = "",
     .category = "Customized Options",
     .description = "Milliseconds to delay before reporting authentication failure",
     .no_reset_all = false,
     .behavior = {.keeps_plans = true},
     .module = "auth_delay"}};

}  // namespace

std::span<const SettingDefinition> authentication_delay_settings() { return kDelaySettings; }

}  // namespace indigo::engine
