#include "engine/settings/log_destination.h"

#include <absl/strings/match.h>

#include "base/server_log.h"
#include "base/sqlstate.h"
#include "engine/settings/identifier_list.h"

namespace indigo::engine {

namespace {

bool is(const std::string& word, std::string_view name) {
  return absl::EqualsIgnoreCase(word, {name.data(), name.size()});
}

// 0: it is no form.
uint8_t form_named(const std::string& word) {
  if (is(word, "stderr")) return kLogText;
  if (is(word, "csvlog")) return kLogCsv;
  return is(word, "jsonlog") ? kLogJson : 0;
}

}  // namespace

Result<std::string> check_log_destination(const std::string& value, const types::FormatSettings&) {
  const auto invalid = [&](std::string detail) {
    return Error(sqlstate::kInvalidParameterValue, "invalid value for parameter \"log_destination\": \"" + value + "\"")
        .with_detail(std::move(detail));
  };
  const auto words = split_identifier_list(value);
  if (!words) return invalid("List syntax is invalid.");
  for (const std::string& word : *words) {
    if (is(word, "syslog")) return Error(sqlstate::kFeatureNotSupported, "log_destination = syslog is not supported");
    if (form_named(word) == 0) return invalid("Unrecognized key word: \"" + word + "\".");
  }
  return value;
}

uint8_t log_forms_of(std::string_view log_destination) {
  uint8_t forms = 0;
  for (const std::string& word : split_identifier_list(log_destination).value_or(std::vector<std::string>()))
    forms |= form_named(word);
  return forms;
}

}  // namespace indigo::engine
