// postgres_fdw's validator: which options objects of foreign data may have, and their values.
#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/sqlstate.h"
#include "engine/foreign/foreign_options.h"
#include "engine/row_sink.h"
#include "engine/settings/identifier_list.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/families.h"
#include "types/extension/libpq_options.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

// Beside libpq's.
constexpr std::string_view kRemoteServerOptions[] = {
    "use_remote_estimate", "fdw_startup_cost", "fdw_tuple_cost", "extensions",      "updatable",       "truncatable",
    "fetch_size",          "batch_size",       "async_capable",  "parallel_commit", "keep_connections"};
constexpr std::string_view kRemoteMappingOptions[] = {"user",    "password", "sslpassword", "password_required",
                                                      "sslcert", "sslkey"};
constexpr std::string_view kRemoteTableOptions[] = {"schema_name", "table_name",   "use_remote_estimate",
                                                    "updatable",   "truncatable",  "fetch_size",
                                                    "batch_size",  "async_capable"};
constexpr std::string_view kRemoteColumnOptions[] = {"column_name"};

constexpr std::string_view kBooleans[] = {"use_remote_estimate", "updatable",       "truncatable",
                                          "async_capable",       "parallel_commit", "keep_connections",
                                          "password_required"};

std::span<const std::string_view> known_options(Oid class_id) {
  static const std::vector<std::string_view> kOfServer = [] {
    std::vector<std::string_view> out(std::begin(types::kLibpqServerOptions), std::end(types::kLibpqServerOptions));
    out.insert(out.end(), std::begin(kRemoteServerOptions), std::end(kRemoteServerOptions));
    return out;
  }();
  if (class_id == catalog::pg_foreign_server::kOid) return kOfServer;
  if (class_id == catalog::pg_user_mapping::kOid) return kRemoteMappingOptions;
  if (class_id == catalog::pg_foreign_table::kOid) return kRemoteTableOptions;
  if (class_id == catalog::pg_attribute::kOid) return kRemoteColumnOptions;
  return {};
}

template <size_t N>
bool is_one_of(const std::string& name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

Status check_number(const ForeignOption& o, bool integer) {
  const std::string kind = integer ? "integer" : "floating point";
  char* end = nullptr;
  const double value = std::strtod(o.value.c_str(), &end);
  const bool whole = !o.value.empty() && *end == '\0';
  if (!whole || (integer && o.value.find_first_of(".eExX") != std::string::npos)) {
    return Error(sqlstate::kInvalidParameterValue,
                 "invalid value for " + kind + " option \"" + o.name + "\": " + o.value);
  }
  if (integer ? value > 0 : value >= 0) return {};
  return Error(sqlstate::kInvalidParameterValue, "\"" + o.name + "\" must be " +
                                                     (integer ? "an integer" : "a floating point") +
                                                     " value greater than " + (integer ? "zero" : "or equal to zero"));
}

// Which extensions' functions and operators the other server has: names, of which a missing one is only warned of.
Status check_extensions(SessionParts& session, const ForeignOption& o) {
  const auto names = split_identifier_list(o.value);
  if (!names) {
    return Error(sqlstate::kInvalidParameterValue, "parameter \"" + o.name + "\" must be a list of extension names");
  }
  for (const std::string& name : *names) {
    bool installed = false;
    CatalogRows(session).scan(catalog::pg_extension::kOid, {}, [&](const RowReader& row) {
      installed = row.str(catalog::pg_extension::c_extname) == name;
      return !installed;
    });
    if (!installed)
      session.notice(Severity::kWarning,
                     Error(sqlstate::kUndefinedObject, "extension \"" + name + "\" is not installed"));
  }
  return {};
}

Status check_value(SessionParts& session, const ForeignOption& o, Oid class_id) {
  if (is_one_of(o.name, kBooleans) && !option_flag(o.value))
    return Error(sqlstate::kSyntaxError, o.name + " requires a Boolean value");
  if (o.name == "fdw_startup_cost" || o.name == "fdw_tuple_cost") return check_number(o, false);
  if (o.name == "extensions") return check_extensions(session, o);
  if (o.name == "fetch_size" || o.name == "batch_size") return check_number(o, true);
  if (class_id != catalog::pg_user_mapping::kOid || session.is_superuser()) return {};
  const auto reserved = [](const std::string& what, const std::string& which) {
    return Error(sqlstate::kInsufficientPrivilege, what + " superuser-only")
        .with_hint("User mappings with the " + which + " may only be created or modified by the superuser.");
  };
  if (o.name == "password_required" && option_flag(o.value) == false)
    return reserved("password_required=false is", "password_required option set to false");
  if (o.name == "sslcert" || o.name == "sslkey")
    return reserved("sslcert and sslkey are", "sslcert or sslkey options set");
  return {};
}

Result<OwnedDatum> validate_remote_options(SessionParts& session, std::span<const Datum> arguments) {
  const Oid class_id = arguments[1].oid();
  const auto known = known_options(class_id);
  for (const ForeignOption& o : split_options(read_texts(arguments[0].str))) {
    if (std::find(known.begin(), known.end(), o.name) == known.end()) {
      std::string valid;
      for (const std::string_view one : known) valid += (valid.empty() ? "" : ", ") + std::string(one);
      return Error(SqlState("HV00D"), "invalid option \"" + o.name + "\"")
          .with_hint(known.empty() ? "There are no valid options in this context."
                                   : "Valid options in this context are: " + valid);
    }
    INDIGO_TRY(check_value(session, o, class_id));
  }
  return text_value("");
}

constexpr SystemValue kRemoteOptionValues[] = {{"postgres_fdw_validator", validate_remote_options}};

}  // namespace

std::span<const SystemValue> remote_option_values() { return kRemoteOptionValues; }

}  // namespace indigo::engine
