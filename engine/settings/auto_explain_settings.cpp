#include "engine/settings/auto_explain_settings.h"

#include <cstdlib>

#include "engine/settings/applied_settings.h"
#include "engine/settings/setting_session.h"

namespace indigo::engine {

namespace {

using Session = SettingSession;
using sql::ExplainOptions;

constexpr const char* kModule = "auto_explain";
constexpr const char* kCategory = "Customized Options";

constexpr SettingDefinition setting(const char* name, SettingKind kind, const char* boot_value, const char* description,
                                    void (*apply)(Session&, const std::string&)) {
  return {.name = name,
          .kind = kind,
          .context = SettingContext::kSuperuser,
          .boot_value = boot_value,
          .unit = "",
          .minimum = "",
          .maximum = "",
          .enum_values = "",
          .category = kCategory,
          .description = description,
          .no_reset_all = false,
          .behavior = {.keeps_plans = true, .apply = apply},
          .module = kModule};
}

constexpr SettingDefinition number(SettingDefinition d, const char* unit, const char* minimum, const char* maximum) {
  d.unit = unit;
  d.minimum = minimum;
  d.maximum = maximum;
  return d;
}

constexpr SettingDefinition one_of(SettingDefinition d, const char* values) {
  d.enum_values = values;
  return d;
}

template <bool ExplainOptions::*kOption>
void set_option(Session& s, const std::string& value) {
  s.applied.auto_explain.options.*kOption = value == "on";
}

void set_format(Session& s, const std::string& value) {
  using Format = ExplainOptions::Format;
  s.applied.auto_explain.options.format = value == "json"   ? Format::kJson
                                          : value == "yaml" ? Format::kYaml
                                          : value == "xml"  ? Format::kXml
                                                            : Format::kText;
}

constexpr SettingDefinition kSettings[] = {
    setting("auto_explain.log_analyze", SettingKind::kBool, "off", "Use EXPLAIN ANALYZE for plan logging.",
            [](Session& s, const std::string& v) { s.applied.auto_explain.analyze = v == "on"; }),
    setting("auto_explain.log_buffers", SettingKind::kBool, "off", "Log buffers usage.",
            set_option<&ExplainOptions::buffers>),
    one_of(setting("auto_explain.log_format", SettingKind::kEnum, "text", "EXPLAIN format to be used for plan logging.",
                   set_format),
           "text,xml,json,yaml"),
    one_of(setting("auto_explain.log_level", SettingKind::kEnum, "log", "Log level for the plan.",
                   [](Session& s, const std::string& v) { s.applied.auto_explain.level = severity_named(v); }),
           "debug5,debug4,debug3,debug2,debug1,info,notice,warning,log"),
    number(setting("auto_explain.log_min_duration", SettingKind::kInteger, "-1",
                   "Sets the minimum execution time above which plans will be logged.",
                   [](Session& s, const std::string& v) {
                     s.applied.auto_explain.least_duration_ms = std::strtoll(v.c_str(), nullptr, 10);
                   }),
           "ms", "-1", "2147483647"),
    setting("auto_explain.log_nested_statements", SettingKind::kBool, "off", "Log nested statements.",
            [](Session& s, const std::string& v) { s.applied.auto_explain.nested = v == "on"; }),
    setting("auto_explain.log_settings", SettingKind::kBool, "off",
            "Log modified configuration parameters affecting query planning.", set_option<&ExplainOptions::settings>),
    setting("auto_explain.log_timing", SettingKind::kBool, "on", "Collect timing data, not just row counts.",
            set_option<&ExplainOptions::timing>),
    setting("auto_explain.log_triggers", SettingKind::kBool, "off", "Include trigger statistics in plans.",
            set_option<&ExplainOptions::triggers>),
    setting("auto_explain.log_verbose", SettingKind::kBool, "off", "Use EXPLAIN VERBOSE for plan logging.",
            set_option<&ExplainOptions::verbose>),
    setting("auto_explain.log_wal", SettingKind::kBool, "off", "Log WAL usage.", set_option<&ExplainOptions::wal>),
    number(setting("auto_explain.sample_rate", SettingKind::kReal, "1", "Fraction of queries to process.",
                   [](Session& s, const std::string& v) {
                     s.applied.auto_explain.sample_rate = std::strtod(v.c_str(), nullptr);
                   }),
           "", "0", "1"),
};

}  // namespace

std::span<const SettingDefinition> auto_explain_settings() { return kSettings; }

}  // namespace indigo::engine
