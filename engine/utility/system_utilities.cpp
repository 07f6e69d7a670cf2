// ALTER SYSTEM.
#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/object_privileges.h"
#include "engine/instance_impl.h"
#include "engine/session/session_parts.h"
#include "engine/settings/set_argument.h"
#include "engine/settings/setting_table.h"
#include "engine/settings/system_settings.h"
#include "engine/utility/families.h"
#include "sql/parse/parse_tree.h"
#include "types/text/ascii.h"

namespace indigo::engine {

namespace {

// What a file cannot say: it tells where the file is, or how the data lie, or belongs to a session or transaction.
constexpr std::string_view kNotInFile[] = {"config_file",
                                           "data_directory",
                                           "durability",
                                           "hba_file",
                                           "ident_file",
                                           "is_superuser",
                                           "role",
                                           "session_authorization",
                                           "transaction_isolation",
                                           "transaction_read_only",
                                           "log_device",
                                           "transaction_deferrable"};

Status check_changeable(const SettingDefinition& definition) {
  const bool fixed = definition.context == SettingContext::kInternal ||
                     std::find(std::begin(kNotInFile), std::end(kNotInFile), definition.name) != std::end(kNotInFile);
  if (!fixed) return {};
  return Error(sqlstate::kCantChangeRuntimeParam,
               std::string("parameter \"") + definition.name + "\" cannot be changed");
}

bool may_alter(SessionParts& session, std::string_view name) {
  catalog::SessionCatalog& view = session.session_catalog();
  if (session.is_superuser()) return true;
  const uint32_t held =
      catalog::held_privileges(view, catalog::read_parameter_acl(view, types::to_lower(name)), session.user());
  return (held & types::kPrivilegeAlterSystem) != 0;
}

Status run_alter_system(UtilityCall& call) {
  const PgQuery__VariableSetStmt& s = *call.node->alter_system_stmt->setstmt;
  SessionParts& session = call.session;
  SystemSettings& kept = session.instance().system_settings();
  if (s.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL) {
    if (session.is_superuser()) return kept.reset_all();
    return Error(sqlstate::kInsufficientPrivilege, "permission denied to perform ALTER SYSTEM RESET ALL");
  }
  const std::string given = s.name;
  if (!may_alter(session, given))
    return Error(sqlstate::kInsufficientPrivilege, "permission denied to set parameter \"" + given + "\"");
  const auto index = find_setting(given);
  if (!index) return Error(sqlstate::kUndefinedObject, "unrecognized configuration parameter \"" + given + "\"");
  const SettingDefinition& definition = setting_table()[*index];
  INDIGO_TRY(check_changeable(definition));
  if (s.kind != PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE) return kept.set(definition.name, std::nullopt);
  INDIGO_ASSIGN(const std::string value, set_argument(session.context(), s));
  INDIGO_ASSIGN(std::string stored, parse_setting(definition, value));
  if (definition.behavior.normalise != nullptr) {
    INDIGO_ASSIGN(stored, definition.behavior.normalise(stored, session.context().format()));
  }
  if (value.find('\n') != std::string::npos) {
    return Error(sqlstate::kInvalidParameterValue, "parameter value for ALTER SYSTEM must not contain a newline");
  }
  return kept.set(definition.name, value);
}

std::string in_block(const PgQuery__Node&) { return "ALTER SYSTEM"; }

constexpr UtilityStatement kSystemStatements[] = {{.node = PG_QUERY__NODE__NODE_ALTER_SYSTEM_STMT,
                                                   .name = "ALTER SYSTEM",
                                                   .run = run_alter_system,
                                                   .refused_in_block = in_block,
                                                   .needs_transaction = true}};

}  // namespace

std::span<const UtilityStatement> system_utilities() { return kSystemStatements; }

}  // namespace indigo::engine
