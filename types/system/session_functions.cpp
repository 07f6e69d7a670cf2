// Who and where: version, current_database, current_schemas, users, settings, sequences, sleep.
#include <chrono>

#include "base/sqlstate.h"
#include "base/version.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

std::string version(FuncContext& context) {
  std::string server;
  context.session().setting("server_version", server);
  return "PostgreSQL " + server + " (Indigo " + kVersion + ")";
}
std::string current_database(FuncContext& context) { return std::string(context.session().catalog().database_name()); }
std::optional<std::string> current_schema(FuncContext& context) {
  CatalogContext& view = context.session().catalog();
  const Oid schema = view.creation_schema();
  if (schema == kInvalidOid) return std::nullopt;
  return view.schema_name(schema);
}
// name[]; without the implicit ones: those that search_path lists. pg_catalog and pg_temp are then left out unless named.
Str current_schemas(FuncContext& context, bool include_implicit) {
  CatalogContext& view = context.session().catalog();
  std::string setting;
  context.session().setting("search_path", setting);
  std::vector<std::string> names;
  for (const Oid schema : view.search_path()) {
    std::string name = view.schema_name(schema);
    const bool implicit = (schema == oid::kPgCatalogSchema && setting.find("pg_catalog") == std::string::npos) ||
                          (name.starts_with("pg_temp_") && setting.find("pg_temp") == std::string::npos);
    if (include_implicit || !implicit) names.push_back(std::move(name));
  }
  std::vector<Datum> values;
  for (const std::string& name : names) values.push_back(Datum::of(Str(name)));
  return context.arena().copy(make_array(oid::kName, Phys::kStr, values));
}
std::string current_user(FuncContext& context) { return context.session().current_user(); }
std::string session_user(FuncContext& context) { return context.session().session_user(); }
int32_t backend_pid(FuncContext& context) { return context.session().backend_pid(); }

// ---- settings
// One that there is may be hidden from the role.
bool may_see(FuncContext& context, Str name) {
  const Datum arguments[] = {Datum::of(name)};
  auto seen = context.session().system_value("may_see_setting", arguments);
  if (seen.ok()) return true;
  context.fail(std::move(*seen.take_error()));
  return false;
}
std::string current_setting(FuncContext& context, Str name) {
  std::string value;
  if (!context.session().setting(name, value) && may_see(context, name))
    context.fail(sqlstate::kUndefinedObject, "unrecognized configuration parameter \"" + std::string(name) + "\"");
  return value;
}
std::optional<std::string> current_setting_or_null(FuncContext& context, Str name, bool missing_ok) {
  std::string value;
  if (context.session().setting(name, value)) return value;
  if (may_see(context, name) && !missing_ok)
    context.fail(sqlstate::kUndefinedObject, "unrecognized configuration parameter \"" + std::string(name) + "\"");
  return std::nullopt;
}
std::string set_config(FuncContext& context, std::optional<Str> name, std::optional<Str> value,
                       std::optional<bool> local) {
  if (!name) {
    context.fail(sqlstate::kNullValueNotAllowed, "SET requires parameter name");
    return {};
  }
  const bool for_transaction = local.value_or(false);
  if (value) {
    const Status status = context.session().set_setting(*name, *value, for_transaction);
    if (!status.ok()) context.fail(Error(status.error()));
  } else {
    const Datum which[] = {Datum::of(*name), Datum::of(for_transaction)};
    const auto status = context.session().system_value("reset_setting", which);
    if (!status.ok()) context.fail(Error(status.error()));
  }
  std::string now;
  context.session().setting(*name, now);
  return now;
}

// ---- sequences
int64_t take(FuncContext& context, Result<int64_t> result) {
  if (result) return *result;
  context.fail(std::move(result.error()));
  return 0;
}
int64_t nextval(FuncContext& context, int32_t sequence) {
  return take(context, context.session().nextval(static_cast<Oid>(sequence)));
}
int64_t currval(FuncContext& context, int32_t sequence) {
  return take(context, context.session().currval(static_cast<Oid>(sequence)));
}
int64_t lastval(FuncContext& context) { return take(context, context.session().lastval()); }
int64_t setval_called(FuncContext& context, int32_t sequence, int64_t value, bool is_called) {
  const Status status = context.session().setval(static_cast<Oid>(sequence), value, is_called);
  if (!status.ok()) context.fail(Error(status.error()));
  return value;
}
int64_t setval(FuncContext& context, int32_t sequence, int64_t value) {
  return setval_called(context, sequence, value, true);
}

// ---- sleep
Str sleep_seconds(FuncContext& context, double seconds) {
  const Status status = context.session().sleep(seconds);
  if (!status.ok()) context.fail(Error(status.error()));
  return {};
}
Str sleep_for(FuncContext& context, Interval interval) {
  return sleep_seconds(context, static_cast<double>(interval.microseconds) / 1e6 + interval.days * 86400.0 +
                                    interval.months * 30 * 86400.0);
}
Str sleep_until(FuncContext& context, int64_t until) {
  const int64_t now =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count() -
      946684800000000;
  return sleep_seconds(context, static_cast<double>(until - now) / 1e6);
}

constexpr ScalarEntry kSessionEntries[] = {
    {"pgsql_version", kernel<version>},
    {"current_database", kernel<current_database>},
    {"current_schema", kernel<current_schema>},
    {"current_schemas", kernel<current_schemas>},
    {"current_user", kernel<current_user>},
    {"session_user", kernel<session_user>},
    {"pg_backend_pid", kernel<backend_pid>},
    {"show_config_by_name", kernel<current_setting>},
    {"show_config_by_name_missing_ok", kernel<current_setting_or_null>},
    {"set_config_by_name", kernel<set_config>},
    {"nextval_oid", kernel<nextval>},
    {"currval_oid", kernel<currval>},
    {"lastval", kernel<lastval>},
    {"setval_oid", kernel<setval>},
    {"setval3_oid", kernel<setval_called>},
    {"pg_sleep", kernel<sleep_seconds>},
    {"pg_sleep_for(interval)", kernel<sleep_for>},
    {"pg_sleep_until(timestamptz)", kernel<sleep_until>},
};

}  // namespace

std::span<const ScalarEntry> session_functions() { return kSessionEntries; }

}  // namespace indigo::types
