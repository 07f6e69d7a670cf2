// pg_settings.
#include "engine/settings/settings.h"

#include "catalog/descriptor/session_catalog.h"
#include "engine/instance_impl.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/private_settings.h"
#include "engine/settings/setting_flags.h"
#include "engine/settings/setting_table.h"
#include "engine/system/families.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

const char* context_name(SettingContext context) {
  static constexpr const char* kNames[] = {"internal",          "postmaster", "sighup", "backend",
                                           "superuser-backend", "superuser",  "user"};
  return kNames[static_cast<int>(context)];
}

const char* kind_name(SettingKind kind) {
  static constexpr const char* kNames[] = {"bool", "integer", "real", "string", "enum"};
  return kNames[static_cast<int>(kind)];
}

std::string enum_array(const char* list) {
  std::vector<Datum> values;
  std::string_view rest = list;
  while (!rest.empty()) {
    size_t comma = rest.find(',');
    values.push_back(text_datum(rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return make_array(oid::kText, Phys::kStr, values);
}

// (file, line, number, name, setting, applied, error)
Status show_all_file_settings(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  SystemSettings& system = session.instance().system_settings();
  int32_t number = 0;
  for (const SystemSettings::Line& line : system.lines()) {
    const Datum row[] = {text_datum(system.path()),
                         Datum::of(line.number),
                         Datum::of(++number),
                         text_datum(line.name),
                         text_datum(line.value),
                         Datum::of(line.applied),
                         *line.error == '\0' ? null_text() : text_datum(line.error)};
    sink(row);
  }
  return {};
}

Status show_all_settings(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  const auto system = session.instance().system_settings().applied();
  const std::string& file = session.instance().system_settings().path();
  const bool sees_files = may_see_setting(session.session_catalog(), "config_file");
  const auto& table = setting_table();
  for (uint32_t i = 0; i < table.size(); i++) {
    const auto& d = table[i];
    if (d.shown != SettingShown::kListed || !session.settings().knows(i) ||
        !may_see_setting(session.session_catalog(), d.name))
      continue;
    auto optional = [](const char* s) { return *s ? text_datum(s) : null_text(); };
    std::string values;
    Datum enum_values = null_text();
    if (*d.enum_values) {
      values = enum_array(d.enum_values);
      enum_values = text_datum(values);
    }
    const std::string& value = session.settings().value(i);
    const std::string shown = d.behavior.octal ? display_setting(d, value) : value;
    const auto kept = system->values.find(i);
    const bool from_file =
        kept != system->values.end() && value == kept->second && session.settings().reset_value(i) == value;
    const char* source = from_file ? "configuration file" : value == d.boot_value ? "default" : "session";
    const bool shows_file = from_file && sees_files;
    const Datum row[] = {text_datum(d.name),
                         text_datum(shown),
                         optional(d.unit),
                         text_datum(d.category),
                         text_datum(d.description),
                         null_text(),
                         text_datum(context_name(d.context)),
                         text_datum(kind_name(d.kind)),
                         text_datum(source),
                         optional(d.minimum),
                         optional(d.maximum),
                         enum_values,
                         text_datum(d.boot_value),
                         text_datum(session.settings().reset_value(i)),
                         shows_file ? text_datum(file) : null_text(),
                         shows_file ? Datum::of(system->lines.at(i)) : Datum::make_null(Phys::kI32),
                         Datum::of(system->pending.contains(i))};
    sink(row);
  }
  return {};
}

// (name, only for the transaction): what set_config does with null.
Result<OwnedDatum> reset_setting(SessionParts& session, std::span<const Datum> arguments) {
  const Str name = arguments[0].str;
  if (session.block().mode_setting(name)) {
    INDIGO_TRY(session.block().reset_mode(name));
    return value_of(true);
  }
  const auto scope = arguments[1].b ? Settings::Scope::kLocal : Settings::Scope::kSession;
  const bool superuser = may_set_as_superuser(session.session_catalog(), session.user(), name);
  INDIGO_TRY(session.settings().reset(name, scope, superuser));
  return value_of(true);
}

// Null: there is no such setting.
Result<OwnedDatum> flags_of_setting(SessionParts&, std::span<const Datum> arguments) {
  const auto found = find_setting(arguments[0].str);
  if (!found) return null_value(Phys::kStr);
  std::vector<Datum> flags;
  for (const std::string_view flag : setting_flags(setting_table()[*found].name)) flags.push_back(text_datum(flag));
  return OwnedDatum(text_datum(make_array(oid::kText, Phys::kStr, flags)));
}

Result<OwnedDatum> may_see(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(check_may_see_setting(session.session_catalog(), arguments[0].str));
  return value_of(true);
}

constexpr SystemValue kSettingsValues[] = {
    {"pg_settings_get_flags", flags_of_setting}, {"may_see_setting", may_see}, {"reset_setting", reset_setting}};
constexpr SystemRows kSettingsRows[] = {{"show_all_settings", show_all_settings},
                                        {"show_all_file_settings", show_all_file_settings}};

}  // namespace

std::span<const SystemValue> setting_values() { return kSettingsValues; }
std::span<const SystemRows> setting_rows() { return kSettingsRows; }

}  // namespace indigo::engine
