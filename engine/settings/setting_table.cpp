#include "engine/settings/setting_table.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/sqlstate.h"
#include "engine/settings/authentication_delay_settings.h"
#include "engine/settings/auto_explain_settings.h"
#include "engine/settings/setting_rows.h"
#include "engine/settings/statement_statistics_settings.h"
#include "types/text/ascii.h"
#include "types/text/boolean_word.h"

namespace indigo::engine {

namespace {

constexpr SettingDefinition kPostgresSettings[] = {
#include "engine/settings/generated/setting_data.inc"
};

std::vector<SettingDefinition> make_table() {
  std::vector<SettingDefinition> all(std::begin(kPostgresSettings), std::end(kPostgresSettings));
  for (const auto more :
       {own_settings(), auto_explain_settings(), statement_statistics_settings(), authentication_delay_settings()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  std::map<std::string_view, const SettingBehavior*> behaviors;
  for (const SettingRow& row : postgres_setting_rows()) behaviors.emplace(row.name, &row.behavior);
  for (SettingDefinition& d : all) {
    if (const auto at = behaviors.find(d.name); at != behaviors.end()) d.behavior = *at->second;
    if (d.behavior.boot_value != nullptr) d.boot_value = d.behavior.boot_value;
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return strcasecmp(a.name, b.name) < 0; });
  return all;
}

struct Unit {
  const char* name;
  double factor;  // in the base unit below
};
// Memory in bytes, time in milliseconds.
constexpr Unit kMemoryUnits[] = {{"B", 1}, {"kB", 1024}, {"MB", 1048576}, {"GB", 1073741824}, {"TB", 1099511627776}};
constexpr Unit kTimeUnits[] = {{"us", 0.001}, {"ms", 1}, {"s", 1000}, {"min", 60000}, {"h", 3600000}, {"d", 86400000}};

bool is_time(std::string_view unit) { return unit == "ms" || unit == "s" || unit == "min"; }

double base_factor(std::string_view unit) {
  if (unit == "8kB") return 8192;
  for (const auto& u : kMemoryUnits) {
    if (unit == u.name) return u.factor;
  }
  for (const auto& u : kTimeUnits) {
    if (unit == u.name) return u.factor;
  }
  return 1;
}

Error invalid(const SettingDefinition& d, std::string_view text) {
  return Error(sqlstate::kInvalidParameterValue,
               "invalid value for parameter \"" + std::string(d.name) + "\": \"" + std::string(text) + "\"");
}

std::string number_text(double v) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%g", v);
  return buffer;
}

Result<std::string> parse_bool(const SettingDefinition& d, std::string_view text) {
  if (const std::optional<bool> value = types::boolean_word(text)) return std::string(*value ? "on" : "off");
  return Error(sqlstate::kInvalidParameterValue, "parameter \"" + std::string(d.name) + "\" requires a Boolean value");
}

Result<std::string> parse_number(const SettingDefinition& d, std::string_view text) {
  std::string_view unit = d.unit;
  std::string s(text);
  const char* begin = s.c_str();
  char* end = nullptr;
  double value = 0;
  if (d.kind == SettingKind::kInteger) {  // 0x10 and 010 are 16 and 8
    value = static_cast<double>(std::strtoll(begin, &end, 0));
  }
  if (end == nullptr || *end == '.' || *end == 'e' || *end == 'E' || std::abs(value) > 9e15)
    value = std::strtod(begin, &end);
  if (end == begin || std::isnan(value)) return invalid(d, text);
  while (*end == ' ' || *end == '\t' || *end == '\n') end++;
  std::string_view suffix(end);
  while (!suffix.empty() && (suffix.back() == ' ' || suffix.back() == '\t')) suffix.remove_suffix(1);
  if (!suffix.empty()) {
    double factor = 0;
    if (is_time(unit)) {
      for (const auto& u : kTimeUnits) factor = suffix == u.name ? u.factor : factor;
    } else if (!unit.empty()) {
      for (const auto& u : kMemoryUnits) factor = suffix == u.name ? u.factor : factor;
    }
    if (factor == 0) {
      Error e = invalid(d, text);
      if (is_time(unit)) {
        e.hint = "Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\".";
      } else if (!unit.empty()) {
        e.hint = "Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\".";
      }
      return e;
    }
    value = value * factor / base_factor(unit);
  }
  if (d.kind == SettingKind::kInteger) value = std::nearbyint(value);
  double low = std::strtod(d.minimum, nullptr);
  double high = std::strtod(d.maximum, nullptr);
  auto print = [&](double v) {
    return d.kind == SettingKind::kInteger ? std::to_string(static_cast<int64_t>(v)) : number_text(v);
  };
  if (value < low || value > high) {
    std::string with_unit = std::abs(value) < 9e18 ? print(value) : number_text(value);
    if (!unit.empty()) with_unit += " " + std::string(unit);
    return Error(sqlstate::kInvalidParameterValue, with_unit + " is outside the valid range for parameter \"" +
                                                       std::string(d.name) + "\" (" + d.minimum + " .. " + d.maximum +
                                                       ")");
  }
  return print(value);
}

// Values that are accepted and not listed.
std::string unhidden(const SettingDefinition& d, std::string wanted) {
  const std::string_view values = d.enum_values;
  if (values.starts_with("debug5,")) return wanted == "debug" ? "debug2" : wanted;
  if (values.find("on,off") == std::string_view::npos && values.find("off,on") == std::string_view::npos) return wanted;
  if (wanted == "true" || wanted == "yes" || wanted == "1") return "on";
  if (wanted == "false" || wanted == "no" || wanted == "0") return "off";
  return wanted;
}

Result<std::string> parse_enum(const SettingDefinition& d, std::string_view text) {
  std::string_view rest = d.enum_values;
  const std::string wanted = unhidden(d, types::to_lower(text));
  std::string list;
  // INFO is no level to ask for, yet it is accepted; the other levels that are kept from the list are above ERROR.
  if (wanted == "info" && rest.starts_with("debug5,")) return wanted;
  while (!rest.empty()) {
    auto comma = rest.find(',');
    std::string_view value = rest.substr(0, comma);
    if (wanted == "on" && value == "pglz") return std::string(value);  // wal_compression's, by another name
    if (wanted == types::to_lower(value)) return std::string(value);
    if (!value.empty()) list += (list.empty() ? "" : ", ") + std::string(value);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  Error e = invalid(d, text);
  e.hint = "Available values: " + list + ".";
  return e;
}

}  // namespace

const std::vector<SettingDefinition>& setting_table() {
  static const std::vector<SettingDefinition> table = make_table();
  return table;
}

std::optional<uint32_t> find_setting(std::string_view name) {
  std::string key(name);
  if (strcasecmp(key.c_str(), "sort_mem") == 0) key = "work_mem";
  if (strcasecmp(key.c_str(), "vacuum_mem") == 0) key = "maintenance_work_mem";
  const auto& table = setting_table();
  auto at = std::lower_bound(table.begin(), table.end(), key,
                             [](const auto& d, const std::string& k) { return strcasecmp(d.name, k.c_str()) < 0; });
  if (at == table.end() || strcasecmp(at->name, key.c_str()) != 0) return std::nullopt;
  return static_cast<uint32_t>(at - table.begin());
}

std::string setting_name(std::string_view given) {
  const auto index = find_setting(given);
  return index ? setting_table()[*index].name : std::string(given);
}

Result<std::string> parse_setting(const SettingDefinition& d, std::string_view text) {
  switch (d.kind) {
    case SettingKind::kBool: return parse_bool(d, text);
    case SettingKind::kInteger:
    case SettingKind::kReal: return parse_number(d, text);
    case SettingKind::kEnum: return parse_enum(d, text);
    case SettingKind::kString: return std::string(text);
  }
  return std::string(text);
}

Status check_settable(const SettingDefinition& d, bool superuser, SettingTime time) {
  const std::string quoted = "parameter \"" + std::string(d.name) + "\" ";
  const Error denied(sqlstate::kInsufficientPrivilege,
                     "permission denied to set parameter \"" + std::string(d.name) + "\"");
  switch (d.context) {
    case SettingContext::kInternal: return Error(sqlstate::kCantChangeRuntimeParam, quoted + "cannot be changed");
    case SettingContext::kPostmaster:
      return Error(sqlstate::kCantChangeRuntimeParam, quoted + "cannot be changed without restarting the server");
    case SettingContext::kSighup: return Error(sqlstate::kCantChangeRuntimeParam, quoted + "cannot be changed now");
    case SettingContext::kBackend:
    case SettingContext::kSuperuserBackend:
      if (time == SettingTime::kStart && (superuser || d.context == SettingContext::kBackend)) return {};
      if (time == SettingTime::kStart) return denied;
      return Error(sqlstate::kCantChangeRuntimeParam, quoted + "cannot be set after connection start");
    case SettingContext::kSuperuser:
      if (!superuser) return denied;
      return {};
    case SettingContext::kUser: return {};
  }
  return {};
}

std::string display_setting(const SettingDefinition& d, std::string_view value) {
  std::string_view unit = d.unit;
  if (d.behavior.octal) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%04o",
                  static_cast<unsigned>(std::strtoul(std::string(value).c_str(), nullptr, 10)));
    return text.data();
  }
  if (unit.empty() || d.kind == SettingKind::kString) return std::string(value);
  double v = std::strtod(std::string(value).c_str(), nullptr);
  if (v == 0 || v < 0) return std::string(value);
  double in_base = v * base_factor(unit);
  auto largest = [&](const auto& units) -> std::string {
    for (auto at = std::rbegin(units); at != std::rend(units); ++at) {
      double whole = in_base / at->factor;
      if (whole >= 1 && whole == std::floor(whole)) return std::to_string(static_cast<int64_t>(whole)) + at->name;
      if (d.kind != SettingKind::kReal) continue;
      const bool nearly = std::fabs(std::rint(whole) / whole - 1) <= 1e-8;  // 80.1 ms are 80100 us
      if (nearly || &*at == std::begin(units)) return number_text(whole) + at->name;
    }
    return std::string(value) + std::string(unit);
  };
  return is_time(unit) ? largest(kTimeUnits) : largest(kMemoryUnits);
}

}  // namespace indigo::engine
