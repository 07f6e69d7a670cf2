#include "engine/settings/format_settings.h"

#include <strings.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "types/datetime/time_zone.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/text/encodings.h"

namespace indigo::engine {

namespace {

using types::FormatSettings;
using Style = FormatSettings::DateStyle;
using Order = FormatSettings::DateOrder;

Error invalid(std::string_view name, std::string_view value) {
  return Error(sqlstate::kInvalidParameterValue,
               "invalid value for parameter \"" + std::string(name) + "\": \"" + std::string(value) + "\"");
}

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool begins(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && strncasecmp(text.data(), prefix.data(), prefix.size()) == 0;
}

// Reads the words of a DateStyle value into style and order; false: `unknown` is none of them.
bool parse_date_style(std::string_view value, Style& style, Order& order, std::string_view& unknown) {
  while (!value.empty()) {
    size_t comma = value.find(',');
    std::string_view word = value.substr(0, comma);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    if (same(word, "iso")) {
      style = Style::kIso;
    } else if (same(word, "sql")) {
      style = Style::kSql;
    } else if (begins(word, "postgres")) {
      style = Style::kPostgres;
    } else if (same(word, "german")) {
      style = Style::kGerman;
      if (comma == std::string_view::npos) order = Order::kDmy;
    } else if (same(word, "ymd")) {
      order = Order::kYmd;
    } else if (same(word, "dmy") || begins(word, "euro")) {
      order = Order::kDmy;
    } else if (same(word, "mdy") || same(word, "us") || begins(word, "noneuro")) {
      order = Order::kMdy;
    } else if (same(word, "default")) {
      style = Style::kIso;
      order = Order::kMdy;
    } else {
      unknown = word;
      return false;
    }
    value = comma == std::string_view::npos ? std::string_view() : value.substr(comma + 1);
  }
  return true;
}

std::string date_style_text(Style style, Order order) {
  static constexpr const char* kStyles[] = {"ISO", "Postgres", "SQL", "German"};
  static constexpr const char* kOrders[] = {"MDY", "DMY", "YMD"};
  return std::string(kStyles[static_cast<int>(style)]) + ", " + kOrders[static_cast<int>(order)];
}

Error invalid_zone(std::string_view value, const char* detail) {
  Error error = invalid("TimeZone", value);
  return *detail == '\0' ? error : std::move(error).with_detail(detail);
}

Result<std::string> zone_of_hours(double hours, const std::string& value) {
  if (!(hours > -168 && hours < 168)) return invalid_zone(value, "UTC timezone offset is out of range.");
  return types::fixed_time_zone(static_cast<int32_t>(std::trunc(hours * 3600)))->name();
}

}  // namespace

bool is_interval_zone(std::string_view value) { return begins(value, "interval"); }

Result<std::string> check_interval_zone(catalog::SessionContext& session, const std::string& value) {
  const size_t open = value.find_first_not_of(' ', 8), close = value.rfind('\'');
  if (open == std::string::npos || value[open] != '\'' || close != value.size() - 1 || close == open)
    return invalid_zone(value, "");
  Arena arena;
  types::FuncContext context(session);
  context.set_arena(&arena);
  const Datum zone = types::type_input(context, {oid::kInterval, -1, kInvalidOid},
                                       std::string_view(value).substr(open + 1, close - open - 1));
  if (context.failed()) return std::move(*context.take_error());
  if (zone.interval.months != 0) return invalid_zone(value, "Cannot specify months in time zone interval.");
  if (zone.interval.days != 0) return invalid_zone(value, "Cannot specify days in time zone interval.");
  return zone_of_hours(std::trunc(static_cast<double>(zone.interval.microseconds) / 1e6) / 3600, value);
}

Result<std::string> normalise_date_style(const std::string& value, const FormatSettings& now) {
  Style style = now.date_style;
  Order order = now.date_order;
  std::string_view unknown;
  if (parse_date_style(value, style, order, unknown)) return date_style_text(style, order);
  return invalid("DateStyle", value).with_detail("Unrecognized key word: \"" + std::string(unknown) + "\".");
}

// Hours east, or a zone's name.
Result<std::string> normalise_time_zone(const std::string& value, const FormatSettings&) {
  char* end = nullptr;
  const double hours = std::strtod(value.c_str(), &end);
  if (end != value.c_str() && *end == '\0') return zone_of_hours(hours, value);
  const auto zone = types::find_time_zone(value);
  return zone == nullptr ? Result<std::string>(invalid_zone(value, "")) : zone->name();
}

Result<std::string> normalise_client_encoding(const std::string& value, const FormatSettings&) {
  const int32_t number = types::encoding_number(value);
  if (number < 0) return invalid("client_encoding", value);
  const std::string name = types::encoding_name(number);
  if (types::TextConverter::open(name).ok()) return name;
  Error error = invalid("client_encoding", value);
  error.state = sqlstate::kFeatureNotSupported;
  return std::move(error).with_detail("Conversion between " + name + " and UTF8 is not supported.");
}

void apply_client_encoding(std::string_view value, FormatSettings& format) {
  auto converter = types::TextConverter::open(value);  // its check has opened one, too
  format.client_text = converter.ok() ? std::move(*converter) : nullptr;
}

void apply_date_style(std::string_view value, FormatSettings& format) {
  std::string_view unknown;
  parse_date_style(value, format.date_style, format.date_order, unknown);
}

void apply_interval_style(std::string_view value, FormatSettings& format) {
  using I = FormatSettings::IntervalStyle;
  format.interval_style = value == "sql_standard"       ? I::kSqlStandard
                          : value == "postgres_verbose" ? I::kPostgresVerbose
                          : value == "iso_8601"         ? I::kIso8601
                                                        : I::kPostgres;
}

}  // namespace indigo::engine
