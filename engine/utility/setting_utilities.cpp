// SET, RESET, SHOW.
#include <array>

#include "base/sqlstate.h"
#include "catalog/oids.h"
#include "engine/session/session_impl.h"
#include "engine/settings/identifier_list.h"
#include "engine/statement/result_shape.h"
#include "engine/utility/families.h"
#include "engine/utility/transaction_modes.h"
#include "sql/func/registry.h"

namespace indigo::engine {

namespace {

bool is_name_list(std::string_view name) {
  return name == "search_path" || name == "temp_tablespaces" || name == "session_preload_libraries" ||
         name == "local_preload_libraries";
}

std::string constant_text(const PgQuery__AConst& value) {
  switch (value.val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL: return std::to_string(value.ival->ival);
    case PG_QUERY__A__CONST__VAL_FVAL: return value.fval->fval;
    case PG_QUERY__A__CONST__VAL_SVAL: return value.sval->sval;
    case PG_QUERY__A__CONST__VAL_BOOLVAL: return value.boolval->boolval ? "true" : "false";
    case PG_QUERY__A__CONST__VAL_BSVAL: return value.bsval->bsval;
    default: return "0";
  }
}

// SET TIME ZONE INTERVAL '1' HOUR and the like, as text: INTERVAL '01:00:00'.
Result<std::string> interval_zone(SessionImpl& session, const PgQuery__TypeCast& cast) {
  std::vector<std::string> modifiers;
  for (size_t i = 0; i < cast.type_name->n_typmods; i++) {
    const PgQuery__Node* modifier = cast.type_name->typmods[i];
    if (modifier->node_case == PG_QUERY__NODE__NODE_A_CONST) modifiers.push_back(constant_text(*modifier->a_const));
  }
  sql::TypeRef type{oid::kInterval, -1, kInvalidOid};
  if (!modifiers.empty()) {
    INDIGO_ASSIGN(type.typmod, sql::typmod_input(oid::kInterval, modifiers));
  }
  Arena arena;
  sql::FuncContext context(session);
  context.set_arena(&arena);
  const std::string text = constant_text(*cast.arg->a_const);
  const Datum interval = sql::type_input(context, type, text);
  if (context.failed()) return context.take_error();
  std::string out = "INTERVAL '";
  sql::type_output(context, type, interval, out);
  return out + "'";
}

Result<std::string> argument_text(SessionImpl& session, const PgQuery__VariableSetStmt& stmt) {
  std::string name = stmt.name;
  std::string out;
  bool list = is_name_list(name);
  for (size_t i = 0; i < stmt.n_args; i++) {
    const PgQuery__Node* node = stmt.args[i];
    std::string text;
    if (node->node_case == PG_QUERY__NODE__NODE_TYPE_CAST &&
        node->type_cast->arg->node_case == PG_QUERY__NODE__NODE_A_CONST) {
      INDIGO_ASSIGN(text, interval_zone(session, *node->type_cast));
    } else if (node->node_case == PG_QUERY__NODE__NODE_A_CONST) {
      text = constant_text(*node->a_const);
      if (list) text = quote_identifier(text);
    } else {
      return Error(sqlstate::kSyntaxError, "invalid value for parameter \"" + name + "\"");
    }
    if (i > 0) {
      if (!list && find_setting(name) && std::string_view(setting_table()[*find_setting(name)].name) != "DateStyle") {
        return Error(sqlstate::kInvalidParameterValue, "SET " + name + " takes only one argument");
      }
      out += ", ";
    }
    out += text;
  }
  return out;
}

Status set_role(UtilityCall& call, const std::string& value, bool authorization) {
  auto& session = call.session;
  if (!authorization && value == "none") {
    session.set_user(session.session_user_oid(), session.session_user());
    return {};
  }
  auto role = session.session_catalog().catalog().role_named(value, session.block().transaction());
  if (!role) return Error(sqlstate::kInvalidParameterValue, "role \"" + value + "\" does not exist");
  auto& catalog = session.session_catalog();
  if (authorization ? !catalog.is_superuser(session.session_user_oid())
                    : !catalog.has_role(session.session_user_oid(), role->oid)) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied to set " +
                                                       std::string(authorization ? "session authorization" : "role") +
                                                       " \"" + value + "\"");
  }
  session.set_user(role->oid, role->name);
  return {};
}

Status run_set(UtilityCall& call, std::string& tag) {
  const auto& stmt = *call.node->variable_set_stmt;
  auto& session = call.session;
  auto scope = stmt.is_local ? Settings::Scope::kLocal : Settings::Scope::kSession;
  std::string name = stmt.name ? stmt.name : "";
  tag = stmt.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET || stmt.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL
            ? "RESET"
            : "SET";
  if (stmt.is_local && !session.block().in_block()) {
    session.notice(Severity::kWarning,
                   Error(sqlstate::kNoActiveSqlTransaction, "SET LOCAL can only be used in transaction blocks"));
    return {};
  }
  switch (stmt.kind) {
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE: {
      INDIGO_ASSIGN(std::string value, argument_text(session, stmt));
      if (name == "role" || name == "session_authorization") return set_role(call, value, name != "role");
      return session.settings().set(name, value, scope, session.is_superuser());
    }
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_DEFAULT:
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET:
      if (name == "role" || name == "session_authorization") {
        session.set_user(session.session_user_oid(), session.session_user());
        return {};
      }
      return session.settings().reset(name, session.is_superuser());
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL: session.settings().reset_all(); return {};
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_MULTI: {
      INDIGO_ASSIGN(TransactionModes modes, read_transaction_modes({stmt.args, stmt.n_args}));
      if (name == "TRANSACTION") {
        if (!session.block().in_block()) {
          session.notice(Severity::kWarning, Error(sqlstate::kNoActiveSqlTransaction,
                                                   "SET TRANSACTION can only be used in transaction blocks"));
          return {};
        }
        return session.block().set_modes(modes);
      }
      if (name == "SESSION CHARACTERISTICS") {
        if (modes.isolation) {
          const std::string level = level_name(*modes.isolation, modes.uncommitted);
          INDIGO_TRY(session.settings().set("default_transaction_isolation", level, scope, true));
        }
        if (modes.read_only) {
          INDIGO_TRY(
              session.settings().set("default_transaction_read_only", *modes.read_only ? "on" : "off", scope, true));
        }
        if (modes.deferrable) {
          INDIGO_TRY(
              session.settings().set("default_transaction_deferrable", *modes.deferrable ? "on" : "off", scope, true));
        }
        return {};
      }
      return Error(sqlstate::kFeatureNotSupported, "SET " + name + " is not supported yet");
    }
    default: return Error(sqlstate::kFeatureNotSupported, "SET ... FROM CURRENT is not supported yet");
  }
}

Result<std::shared_ptr<const ResultShape>> describe_show(SessionImpl&, const ParsedStatement& statement) {
  std::string name = statement.node->variable_show_stmt->name;
  if (name == "all") {
    return text_columns({{"name", oid::kText}, {"setting", oid::kText}, {"description", oid::kText}});
  }
  if (auto index = find_setting(name)) return text_columns({{setting_table()[*index].name, oid::kText}});
  return text_columns({{name.c_str(), oid::kText}});
}

Status run_show(UtilityCall& call, std::string& tag) {
  auto& session = call.session;
  std::string name = call.node->variable_show_stmt->name;
  tag = "SHOW";
  if (name == "all") {
    for (const auto& definition : setting_table()) {
      if (definition.hidden) continue;
      INDIGO_ASSIGN(std::string value, session.settings().show(definition.name));
      INDIGO_TRY(send_text_row(call, std::array<std::string, 3>{definition.name, value, definition.description}));
    }
    return {};
  }
  std::string value;
  if (std::optional<std::string> mode = session.block().mode_setting(name)) {
    value = *std::move(mode);
  } else if (name == "session_authorization") {
    value = session.session_user();
  } else if (name == "is_superuser") {
    value = session.is_superuser() ? "on" : "off";
  } else if (name == "role") {
    value = session.user() == session.session_user_oid() ? "none" : session.current_user();
  } else {
    INDIGO_ASSIGN(value, session.settings().show(name));
  }
  return send_text_row(call, std::array<std::string, 1>{value});
}

constexpr UtilityHandler kHandlers[] = {
    {PG_QUERY__NODE__NODE_VARIABLE_SET_STMT, run_set, nullptr, false, false},
    {PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT, run_show, describe_show, false, false},
};

}  // namespace

std::span<const UtilityHandler> setting_utilities() { return kHandlers; }

}  // namespace indigo::engine
