#include "engine/settings/statement_statistics_settings.h"

#include "engine/settings/applied_settings.h"
#include "engine/settings/setting_session.h"

namespace indigo::engine {

namespace {

using Session = SettingSession;
using Tracked = StatementStatisticsSettings::Track;

constexpr SettingDefinition statistics_setting(const char* name, SettingKind kind, SettingContext context,
                                               const char* boot_value, const char* description,
                                               void (*apply)(Session&, const std::string&) = nullptr) {
  return {.name = name,
          .kind = kind,
          .context = context,
          .boot_value = boot_value,
          .unit = "",
          .minimum = "",
          .maximum = "",
          .enum_values = "",
          .category = "Customized Options",
          .description = description,
          .no_reset_all = false,
          .behavior = {.keeps_plans = true, .apply = apply},
          .module = "pg_stat_statements"};
}

constexpr SettingDefinition most_statements() {
  SettingDefinition d =
      statistics_setting("pg_stat_statements.max", SettingKind::kInteger, SettingContext::kPostmaster, "5000",
                         "Sets the maximum number of statements tracked by pg_stat_statements.");
  d.minimum = "100";
  d.maximum = "1073741823";
  return d;
}

constexpr SettingDefinition track_setting() {
  SettingDefinition d = statistics_setting(
      "pg_stat_statements.track", SettingKind::kEnum, SettingContext::kSuperuser, "top",
      "Selects which statements are tracked by pg_stat_statements.", [](Session& s, const std::string& value) {
        s.applied.statistics.track = value == "none" ? Tracked::kNone : value == "all" ? Tracked::kAll : Tracked::kTop;
      });
  d.enum_values = "none,top,all";
  return d;
}

constexpr SettingDefinition kStatisticsSettings[] = {
    most_statements(),
    statistics_setting("pg_stat_statements.save", SettingKind::kBool, SettingContext::kSighup, "on",
                       "Save pg_stat_statements statistics across server shutdowns."),
    track_setting(),
    statistics_setting("pg_stat_statements.track_planning", SettingKind::kBool, SettingContext::kSuperuser, "off",
                       "Selects whether planning duration is tracked by pg_stat_statements.",
                       [](Session& s, const std::string& value) { s.applied.statistics.planning = value == "on"; }),
    statistics_setting("pg_stat_statements.track_utility", SettingKind::kBool, SettingContext::kSuperuser, "on",
                       "Selects whether utility commands are tracked by pg_stat_statements.",
                       [](Session& s, const std::string& value) { s.applied.statistics.utility = value == "on"; }),
};

}  // namespace

std::span<const SettingDefinition> statement_statistics_settings() { return kStatisticsSettings; }

}  // namespace indigo::engine
