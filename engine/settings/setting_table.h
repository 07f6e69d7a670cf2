// The definitions of all settings: PostgreSQL 15's (generated/setting_data.inc) and Indigo's own, with what Indigo does
// with them (setting_rows.cpp), sorted by lower-case name.
// Immutable. Thread safety: all functions are safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace indigo::types {
struct FormatSettings;
}

namespace indigo::engine {

enum class SettingKind : uint8_t { kBool, kInteger, kReal, kString, kEnum };
enum class SettingContext : uint8_t { kInternal, kPostmaster, kSighup, kBackend, kSuperuserBackend, kSuperuser, kUser };
// In pg_settings and SHOW ALL; only by SHOW with its name; not at all.
enum class SettingShown : uint8_t { kListed, kByName, kNever };

struct SettingSession;

// What Indigo does with a setting. Functions may be null.
struct SettingBehavior {
  const char* boot_value = nullptr;  // where Indigo starts with another value than PostgreSQL
  bool reported = false;             // the client is told of each new value
  bool keeps_plans = false;          // neither plans nor folded constants depend on it
  bool octal = false;                // shown as a file's mode: 0777
  bool is_private = false;           // shown to superusers and members of pg_read_all_settings
  // The value as it is stored and shown ("german" -> "German, DMY"). 22023 when invalid.
  Result<std::string> (*normalise)(const std::string& value, const types::FormatSettings& now) = nullptr;
  // In place of `normalise` where there is a session: may refuse the value, or act on it.
  Result<std::string> (*check)(SettingSession& session, const std::string& value) = nullptr;
  // After the value has changed, also by roll-back.
  void (*apply)(SettingSession& session, const std::string& value) = nullptr;
};

struct SettingDefinition {
  const char* name;
  SettingKind kind;
  SettingContext context;
  const char* boot_value;  // in base units, as pg_settings.boot_val
  const char* unit;        // "", "ms", "s", "min", "kB", "8kB", "MB", "B"
  const char* minimum;
  const char* maximum;
  const char* enum_values;  // comma list
  const char* category;
  const char* description;
  bool no_reset_all;
  SettingShown shown = SettingShown::kListed;
  const char* puts_back = nullptr;  // the setting that each new value of this one puts back to its boot value
  SettingBehavior behavior = {};
  const char* module = nullptr;  // that has it: for sessions that have not loaded it the name is anybody's
};

// All definitions; index in this list names a setting everywhere else.
const std::vector<SettingDefinition>& setting_table();
// Case-insensitive, also by a name that a setting had before; nullopt when there is none.
std::optional<uint32_t> find_setting(std::string_view name);
// As the table spells it; a custom setting's as it is given.
std::string setting_name(std::string_view given);

// Checks and normalises a value as SET gets it ("64MB" -> "65536", "Yes" -> "on"). Errors: 22023 as PostgreSQL's.
Result<std::string> parse_setting(const SettingDefinition& definition, std::string_view text);
// Whether SET may change it, or what a session begins with. Errors: 55P02, 42501.
enum class SettingTime : uint8_t { kStart, kLater };
Status check_settable(const SettingDefinition& definition, bool superuser, SettingTime time = SettingTime::kLater);
// The value as SHOW prints it ("65536" kB -> "64MB").
std::string display_setting(const SettingDefinition& definition, std::string_view value);

}  // namespace indigo::engine
