#include "engine/settings/setting_rows.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "catalog/generated/columns.h"
#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/session/session_activity.h"
#include "engine/session/session_roles.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/applied_settings.h"
#include "engine/settings/format_settings.h"
#include "engine/settings/identifier_list.h"
#include "engine/settings/log_destination.h"
#include "engine/settings/setting_session.h"
#include "types/number/random.h"
#include "types/system/type_name.h"
#include "types/text/strings.h"
#include "types/textsearch/session.h"
#include "types/value/acl.h"

namespace indigo::engine {

namespace {

using Session = SettingSession;

std::chrono::milliseconds milliseconds(const std::string& value) {
  return std::chrono::milliseconds(std::strtoll(value.c_str(), nullptr, 10));
}

// What an operator keeps before it spills, where there is a temp_directory; and its limit where it does not: an operator that
// outgrows that fails, so it is a multiple that keeps one statement from taking the machine.
void set_operator_memory(Session& session, const std::string& work_mem_kilobytes) {
  constexpr uint64_t kLeastBytes = uint64_t{4} << 30;
  session.applied.spill->memory_bytes = std::strtoull(work_mem_kilobytes.c_str(), nullptr, 10) * 1024;
  session.applied.work_memory_bytes = std::max(session.applied.spill->memory_bytes, kLeastBytes);
}

void set_temporary_limit(Session& session, const std::string& kilobytes) {
  const int64_t limit = std::strtoll(kilobytes.c_str(), nullptr, 10);
  session.applied.spill->limit_bytes = limit < 0 ? UINT64_MAX : static_cast<uint64_t>(limit) * 1024;
}

LogSettings::Statements logged_statements(std::string_view name) {
  if (name == "ddl") return LogSettings::Statements::kDdl;
  if (name == "mod") return LogSettings::Statements::kMod;
  return name == "all" ? LogSettings::Statements::kAll : LogSettings::Statements::kNone;
}

template <class Change>
void change_log(Session& session, Change change) {
  LogSettings& log = session.applied.log;
  change(log);
  log.any = log.statements != LogSettings::Statements::kNone || log.least_duration_ms >= 0 || log.durations;
}

void track_activities(Session& session, const std::string& value) {
  session.applied.tracks_activity = value == "on";
  if (session.applied.tracks_activity) return;
  std::lock_guard lock(session.activity.mutex);
  session.activity.state = "disabled";
  session.activity.query.clear();
}

void name_application(Session& session, const std::string& value) {
  std::lock_guard lock(session.activity.mutex);
  session.activity.application_name = value;
}

Result<std::string> check_isolation(Session& session, const std::string& value) {
  TransactionModes modes;
  modes.uncommitted = value == "read uncommitted";
  modes.isolation = value == "serializable"      ? storage::Isolation::kSerializable
                    : value == "repeatable read" ? storage::Isolation::kRepeatableRead
                                                 : storage::Isolation::kReadCommitted;
  INDIGO_TRY(session.block.set_modes(modes));
  return value;
}

Result<std::string> check_search_path(Session&, const std::string& value) {
  if (split_identifier_list(value)) return value;
  return Error(sqlstate::kInvalidParameterValue, "invalid value for parameter \"search_path\": \"" + value + "\"")
      .with_detail("List syntax is invalid.");
}

Result<std::string> check_relation_kinds(Session&, const std::string& value) {
  const auto invalid = [&](std::string detail) {
    return Error(sqlstate::kInvalidParameterValue,
                 "invalid value for parameter \"restrict_nonsystem_relation_kind\": \"" + value + "\"")
        .with_detail(std::move(detail));
  };
  const auto words = split_identifier_list(value);
  if (!words) return invalid("List syntax is invalid.");
  for (const std::string& word : *words) {
    if (word != "view" && word != "foreign-table") return invalid("Unrecognized key word: \"" + word + "\".");
  }
  return value;
}

Result<std::string> check_time_zone(Session& session, const std::string& value) {
  if (is_interval_zone(value)) return check_interval_zone(session.context, value);
  return normalise_time_zone(value, session.applied.format);
}

constexpr Oid kDefaultTablespace = 1663;

Oid tablespace_named(Session& session, std::string_view name) {
  namespace pg_tablespace = catalog::pg_tablespace;
  Oid found = kInvalidOid;
  session.catalog.system_table_rows(pg_tablespace::kOid, -1, {}, [&](const catalog::RowReader& row) {
    if (row.str(pg_tablespace::c_spcname) == name) found = row.oid(pg_tablespace::c_oid);
    return found == kInvalidOid;
  });
  return found;
}

Result<std::string> check_default_tablespace(Session& session, const std::string& value) {
  if (value.empty() || tablespace_named(session, value) != kInvalidOid) return value;
  return Error(sqlstate::kInvalidParameterValue,
               "invalid value for parameter \"default_tablespace\": \"" + value + "\"")
      .with_detail("Tablespace \"" + value + "\" does not exist.");
}

Result<std::string> check_table_access_method(Session& session, const std::string& value) {
  namespace pg_am = catalog::pg_am;
  const std::string invalid = "invalid value for parameter \"default_table_access_method\": \"" + value + "\"";
  if (value.empty()) {
    return Error(sqlstate::kInvalidParameterValue, invalid).with_detail("default_table_access_method cannot be empty.");
  }
  char type = 0;
  session.catalog.system_table_rows(pg_am::kOid, -1, {}, [&](const catalog::RowReader& row) {
    if (row.str(pg_am::c_amname) == value) type = row.chr(pg_am::c_amtype);
    return type == 0;
  });
  if (type == 't') return value;
  if (type != 0)
    return Error(sqlstate::kObjectNotInPrerequisiteState, "access method \"" + value + "\" is not of type TABLE");
  return Error(sqlstate::kInvalidParameterValue, invalid)
      .with_detail("Table access method \"" + value + "\" does not exist.");
}

Result<std::string> check_temp_tablespaces(Session& session, const std::string& value) {
  const auto names = split_identifier_list(value);
  if (!names) {
    return Error(sqlstate::kInvalidParameterValue,
                 "invalid value for parameter \"temp_tablespaces\": \"" + value + "\"")
        .with_detail("List syntax is invalid.");
  }
  for (const std::string& name : *names) {
    if (name.empty()) continue;
    const Oid tablespace = tablespace_named(session, name);
    if (tablespace == kInvalidOid)
      return Error(sqlstate::kUndefinedObject, "tablespace \"" + name + "\" does not exist");
    if (tablespace == kDefaultTablespace) continue;  // the databases' own
    const uint32_t held =
        catalog::object_privileges(session.catalog, catalog::kTablespaceAcl, tablespace, session.catalog.user());
    if ((held & types::kPrivilegeCreate) == 0)
      return Error(sqlstate::kInsufficientPrivilege, "permission denied for tablespace " + name);
  }
  return value;
}

template <SessionRoles::Setting kSetting>
Result<std::string> check_role(Session& session, const std::string& value) {
  INDIGO_TRY(session.roles.check(kSetting, value));
  return value;
}

void apply_roles(Session& session, const std::string&) { session.roles.apply(); }

// Kept qualified, so that what it means does not hang on the search_path.
Result<std::string> check_text_search(Session& session, const std::string& value) {
  auto* names = dynamic_cast<types::TextSearchSession*>(&session.context);
  if (names == nullptr) return value;
  const auto parts = types::parse_qualified_name(value);
  const bool named = parts.ok() && !parts->empty() && parts->size() <= 2;
  const Oid oid = named ? names->find_text_search(types::TextSearchKind::kConfiguration,
                                                  parts->size() == 2 ? (*parts)[0] : "", parts->back())
                        : kInvalidOid;
  const auto found = names->text_search_name(types::TextSearchKind::kConfiguration, oid);
  if (found) return types::quote_identifier(found->schema) + "." + types::quote_identifier(found->name);
  return Error(sqlstate::kInvalidParameterValue,
               "invalid value for parameter \"default_text_search_config\": \"" + value + "\"");
}

constexpr SettingRow kPostgresRows[] = {
    {"application_name", {.reported = true, .keeps_plans = true, .apply = name_application}},
    {"autovacuum", {.boot_value = "on"}},
    {"backslash_quote",
     {.apply =
          [](Session& s, const std::string& v) {
            using Quote = sql::BackslashQuote;
            s.applied.strings.backslash_quote = v == "on" ? Quote::kOn : v == "off" ? Quote::kOff : Quote::kSafeEncoding;
          }}},
    {"bytea_output", {.apply = [](Session& s, const std::string& v) { s.applied.format.bytea_hex = v == "hex"; }}},
    {"client_connection_check_interval",
     {.keeps_plans = true,
      .apply = [](Session& s, const std::string& v) { s.applied.checks_connection = milliseconds(v).count() > 0; }}},
    {"client_encoding",
     {.boot_value = "UTF8",
      .reported = true,
      .normalise = normalise_client_encoding,
      .apply = [](Session& s, const std::string& v) { apply_client_encoding(v, s.applied.format); }}},
    {"client_min_messages",
     {.keeps_plans = true,
      .apply = [](Session& s, const std::string& v) { s.applied.client_min_severity = severity_named(v); }}},
    {"config_file", {.is_private = true}},
    {"data_directory", {.is_private = true}},
    {"DateStyle",
     {.reported = true,
      .normalise = normalise_date_style,
      .apply = [](Session& s, const std::string& v) { apply_date_style(v, s.applied.format); }}},
    {"data_directory_mode", {.octal = true}},
    {"default_table_access_method", {.keeps_plans = true, .check = check_table_access_method}},
    {"default_tablespace", {.keeps_plans = true, .check = check_default_tablespace}},
    {"default_text_search_config", {.boot_value = "pg_catalog.english", .check = check_text_search}},
    {"default_transaction_isolation", {.keeps_plans = true}},
    {"default_transaction_read_only", {.reported = true, .keeps_plans = true}},
    {"dynamic_library_path", {.is_private = true}},
    {"external_pid_file", {.is_private = true}},
    {"escape_string_warning",
     {.keeps_plans = true, .apply = [](Session& s, const std::string& v) { s.applied.strings.warns = v == "on"; }}},
    {"extra_float_digits",
     {.apply = [](Session& s, const std::string& v) { s.applied.format.extra_float_digits = std::atoi(v.c_str()); }}},
    {"fsync", {.boot_value = "off"}},
    {"hba_file", {.is_private = true}},
    {"ident_file", {.is_private = true}},
    {"idle_in_transaction_session_timeout",
     {.keeps_plans = true,
      .apply = [](Session& s, const std::string& v) { s.applied.idle_transaction_timeout = milliseconds(v); }}},
    {"idle_session_timeout",
     {.keeps_plans = true,
      .apply = [](Session& s, const std::string& v) { s.applied.idle_timeout = milliseconds(v); }}},
    {"in_hot_standby", {.reported = true}},
    {"integer_datetimes", {.boot_value = "on", .reported = true}},
    {"IntervalStyle",
     {.reported = true, .apply = [](Session& s, const std::string& v) { apply_interval_style(v, s.applied.format); }}},
    {"jit", {.boot_value = "off"}},
    {"jit_provider", {.is_private = true}},
    {"krb_server_keyfile", {.is_private = true}},
    {"lc_messages", {.boot_value = "C"}},
    {"listen_addresses", {.boot_value = "localhost"}},
    {"lock_timeout",
     {.keeps_plans = true,
      .apply = [](Session& s, const std::string& v) { s.applied.lock_timeout = milliseconds(v); }}},
    {"log_destination", {.normalise = check_log_destination}},
    {"log_file_mode", {.octal = true}},
    {"log_directory", {.is_private = true}},
    {"log_duration",
     {.keeps_plans = true,
      .apply = [](Session& s, const std::string& v) { change_log(s, [&](auto& log) { log.durations = v == "on"; }); }}},
    {"log_filename", {.is_private = true}},
    {"log_min_duration_statement",
     {.keeps_plans = true,
      .apply =
          [](Session& s, const std::string& v) {
            change_log(s, [&](auto& log) { log.least_duration_ms = std::strtoll(v.c_str(), nullptr, 10); });
          }}},
    {"log_min_error_statement",
     {.keeps_plans = true,
      .apply = [](Session& s, const std::string& v) { s.applied.log.error_statements = log_rank(v); }}},
    // Tests fail on purpose: their errors are the client's affair.
    {"log_min_messages",
     {.boot_value = "log",
      .keeps_plans = true,
      .apply = [](Session& s, const std::string& v) { s.applied.log.messages = log_rank(v); }}},
    {"log_statement",
     {.keeps_plans = true,
      .apply =
          [](Session& s, const std::string& v) {
            change_log(s, [&](auto& log) { log.statements = logged_statements(v); });
          }}},
    {"log_temp_files",
     {.keeps_plans = true, .apply = [](Session& s, const std::string& v) {
        const int64_t kilobytes = std::strtoll(v.c_str(), nullptr, 10);
        s.applied.spill->logged_bytes = kilobytes < 0 ? -1 : kilobytes * 1024;
      }}},
    {"log_timezone", {.boot_value = "Etc/UTC"}},
    {"max_connections", {.boot_value = "10000"}},
    {"max_stack_depth", {.boot_value = "2048"}},
    {"primary_conninfo", {.is_private = true}},
    {"restrict_nonsystem_relation_kind", {.check = check_relation_kinds}},
    {"search_path",
     {.check = check_search_path,
      .apply =
          [](Session& s, const std::string& v) {
            s.catalog.set_search_path(split_identifier_list(v).value_or(std::vector<std::string>()));
          }}},
    {"server_encoding", {.boot_value = "UTF8", .reported = true}},
    {"server_version", {.boot_value = "15.20", .reported = true}},
    {"server_version_num", {.boot_value = "150020"}},
    {"session_preload_libraries", {.is_private = true}},
    {"shared_preload_libraries",
     {.is_private = true,
      .apply =
          [](Session& s, const std::string& v) {
            const auto libraries = split_identifier_list(v).value_or(std::vector<std::string>());
            s.applied.statistics.loaded =
                std::find(libraries.begin(), libraries.end(), "pg_stat_statements") != libraries.end();
          }}},
    {"ssl_ciphers", {.is_private = true}},
    {"ssl_dh_params_file", {.is_private = true}},
    {"ssl_ecdh_curve", {.is_private = true}},
    {"ssl_max_protocol_version", {.is_private = true}},
    {"ssl_min_protocol_version", {.is_private = true}},
    {"ssl_passphrase_command", {.is_private = true}},
    {"standard_conforming_strings",
     {.reported = true,
      .apply = [](Session& s, const std::string& v) { s.applied.strings.standard = v == "on"; }}},
    {"quote_all_identifiers",
     {.check = [](Session&, const std::string& value) -> Result<std::string> {
       if (value == "off") return value;
       return Error(sqlstate::kFeatureNotSupported, "quote_all_identifiers = on is not supported");
     }}},
    {"statement_timeout",
     {.keeps_plans = true,
      .apply = [](Session& s, const std::string& v) { s.applied.statement_timeout = milliseconds(v); }}},
    {"synchronous_commit", {.keeps_plans = true}},
    {"temp_file_limit", {.keeps_plans = true, .apply = set_temporary_limit}},
    {"temp_tablespaces", {.keeps_plans = true, .check = check_temp_tablespaces}},
    {"TimeZone",
     {.boot_value = "Etc/UTC",
      .reported = true,
      .normalise = normalise_time_zone,
      .check = check_time_zone,
      .apply = [](Session& s, const std::string& v) { s.applied.format.time_zone = v; }}},
    {"track_activities", {.apply = track_activities}},
    {"transaction_deferrable",
     {.keeps_plans = true,
      .check = [](Session& s, const std::string& value) -> Result<std::string> {
        INDIGO_TRY(s.block.set_modes({std::nullopt, std::nullopt, value == "on"}));
        return value;
      }}},
    {"transaction_isolation", {.keeps_plans = true, .check = check_isolation}},
    {"transaction_read_only",
     {.keeps_plans = true,
      .check = [](Session& s, const std::string& value) -> Result<std::string> {
        INDIGO_TRY(s.block.set_modes({std::nullopt, value == "on", std::nullopt}));
        return value;
      }}},
    {"unix_socket_permissions", {.octal = true}},
    {"unix_socket_directories", {.is_private = true}},
    {"session_replication_role",
     {.apply = [](Session& s, const std::string& v) { s.applied.replica = v == "replica"; }}},
    {"work_mem", {.apply = set_operator_memory}},
};

constexpr const char* kOwnCategory = "Indigo";
constexpr const char* kAuthMethods = "trust,reject,password,md5,scram-sha-256";

constexpr SettingDefinition kOwnSettings[] = {
    {"commit_clock", SettingKind::kEnum, SettingContext::kPostmaster, "counter", "", "", "", "counter,tsc",
     kOwnCategory, "Selects where commit stamps come from.", false},
    {"default_index_method", SettingKind::kEnum, SettingContext::kPostmaster, "btree", "", "", "",
     "adaptive,btree,griffin,indexlet,hydralist", kOwnCategory,
     "Selects the structure of indexes whose method is btree.", false},
    {"default_with_oids",
     SettingKind::kBool,
     SettingContext::kUser,
     "off",
     "",
     "",
     "",
     "",
     "Version and Platform Compatibility / Previous PostgreSQL Versions",
     "WITH OIDS is no longer supported; this can only be false.",
     true,
     SettingShown::kByName,
     nullptr,
     {.check = [](Session&, const std::string& value) -> Result<std::string> {
       if (value == "on") return Error(sqlstate::kFeatureNotSupported, "tables declared WITH OIDS are not supported");
       return value;
     }}},
    {"durability", SettingKind::kEnum, SettingContext::kPostmaster, "none", "", "", "", "none,process,power",
     kOwnCategory, "Sets what an acknowledged commit survives; power by default with a data directory.", false},
    {"hydralist_replicas", SettingKind::kInteger, SettingContext::kPostmaster, "0", "", "0", "8", "", kOwnCategory,
     "Sets how many search layers a hydralist index has; 0 means one for each NUMA node.", false},
    {"is_superuser",
     SettingKind::kBool,
     SettingContext::kInternal,
     "off",
     "",
     "",
     "",
     "",
     "Preset Options",
     "Shows whether the current user is a superuser.",
     true,
     SettingShown::kByName,
     nullptr,
     {.reported = true}},
    {"local_auth", SettingKind::kEnum, SettingContext::kPostmaster, "trust", "", "", "", kAuthMethods, kOwnCategory,
     "Sets how clients of unix sockets authenticate.", false},
    {"lock_escalation", SettingKind::kInteger, SettingContext::kPostmaster, "10000", "", "1", "2147483647", "",
     kOwnCategory, "Sets how many keys of a table a transaction locks before it locks the table.", false},
    {"lock_partitions", SettingKind::kInteger, SettingContext::kPostmaster, "253", "", "1", "4093", "", kOwnCategory,
     "Sets into how many partitions the entries of a key value are divided for locking.", false},
    {"log_device", SettingKind::kString, SettingContext::kInternal, "", "", "", "", "", kOwnCategory,
     "Shows what the log lies on and how it becomes durable.", false},
    {"log_stalled_worker_after", SettingKind::kInteger, SettingContext::kPostmaster, "10000", "ms", "0", "2147483647",
     "", kOwnCategory, "Sets how long one piece of a worker's work may take before it is logged; zero means never.",
     false},
    {"loopback_auth", SettingKind::kEnum, SettingContext::kPostmaster, "trust", "", "", "", kAuthMethods, kOwnCategory,
     "Sets how clients of this machine authenticate over TCP.", false},
    {"memory_limit", SettingKind::kInteger, SettingContext::kPostmaster, "0", "kB", "0", "2147483647", "", kOwnCategory,
     "Sets the memory that tables may use; zero means four fifths of the machine's.", false},
    {"recovery_threads", SettingKind::kInteger, SettingContext::kPostmaster, "0", "", "0", "1024", "", kOwnCategory,
     "Sets the number of threads that a start recovers with; zero means one for each core.", false},
    {"relieve_worker_after", SettingKind::kInteger, SettingContext::kPostmaster, "4", "ms", "0", "2147483647", "",
     kOwnCategory,
     "Sets how long one piece of work may compute before the worker's other sessions go on beside it; zero means for "
     "ever.",
     false},
    {"remote_auth", SettingKind::kEnum, SettingContext::kPostmaster, "scram-sha-256", "", "", "", kAuthMethods,
     kOwnCategory, "Sets how clients of other machines authenticate.", false},
    {"role",
     SettingKind::kString,
     SettingContext::kUser,
     "none",
     "",
     "",
     "",
     "",
     "Ungrouped",
     "Sets the current role.",
     true,
     SettingShown::kByName,
     nullptr,
     {.check = check_role<SessionRoles::Setting::kRole>, .apply = apply_roles}},
    {"seed",
     SettingKind::kReal,
     SettingContext::kUser,
     "0",
     "",
     "-1",
     "1",
     "",
     "Client Connection Defaults / Statement Behavior",
     "Sets the seed for random-number generation.",
     true,
     SettingShown::kNever,
     nullptr,
     {.check = [](Session& s, const std::string& value) -> Result<std::string> {
       types::seed_random(s.context.random, std::strtod(value.c_str(), nullptr));
       return value;
     }}},
    {"serializable_method", SettingKind::kEnum, SettingContext::kPostmaster, "ssn", "", "", "", "ssn,locking",
     kOwnCategory, "Selects how serializable transactions are kept apart.", false},
    {"session_authorization",
     SettingKind::kString,
     SettingContext::kUser,
     "",
     "",
     "",
     "",
     "",
     "Ungrouped",
     "Sets the session user name.",
     true,
     SettingShown::kByName,
     "role",
     {.reported = true, .check = check_role<SessionRoles::Setting::kSessionAuthorization>, .apply = apply_roles}},
    {"session_memory_limit",
     SettingKind::kInteger,
     SettingContext::kSuperuser,
     "0",
     "kB",
     "0",
     "2147483647",
     "",
     kOwnCategory,
     "Sets the memory that a session may hold for its statements and cursors; zero means no limit of its own.",
     false,
     SettingShown::kListed,
     nullptr,
     {.keeps_plans = true,
      .apply =
          [](Session& s, const std::string& v) {
            s.applied.memory_limit_bytes = std::strtoull(v.c_str(), nullptr, 10) * 1024;
          }}},
    {"temp_directory",
     SettingKind::kString,
     SettingContext::kPostmaster,
     "",
     "",
     "",
     "",
     "",
     kOwnCategory,
     "Sets where operators and cursors put what does not fit into work_mem; empty keeps it in memory.",
     false,
     SettingShown::kListed,
     nullptr,
     {.keeps_plans = true, .apply = [](Session& s, const std::string& v) { s.applied.spill->directory = v; }}},
    {"text_search_directory", SettingKind::kString, SettingContext::kPostmaster,
     "/usr/share/postgresql/15/tsearch_data", "", "", "", "", kOwnCategory,
     "Sets the directory of the files that text search dictionaries are made of.", false},
    {"workers", SettingKind::kInteger, SettingContext::kPostmaster, "0", "", "0", "1024", "", kOwnCategory,
     "Sets the number of worker threads; zero means one for each core.", false},
};

}  // namespace

std::span<const SettingRow> postgres_setting_rows() { return kPostgresRows; }

std::span<const SettingDefinition> own_settings() { return kOwnSettings; }

}  // namespace indigo::engine
