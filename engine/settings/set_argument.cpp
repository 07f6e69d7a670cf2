#include "engine/settings/set_argument.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "engine/settings/setting_table.h"
#include "sql/parse/parse_tree.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/text/strings.h"

namespace indigo::engine {

namespace {

bool is_name_list(std::string_view name) {
  return name == "search_path" || name == "temp_tablespaces" || name == "session_preload_libraries" ||
         name == "local_preload_libraries" || name == "shared_preload_libraries" || name == "unix_socket_directories";
}

// Lists of words, which are not quoted (GUC_LIST_INPUT in PostgreSQL).
bool is_word_list(std::string_view name) {
  constexpr std::string_view kNames[] = {"DateStyle",
                                         "listen_addresses",
                                         "log_destination",
                                         "restrict_nonsystem_relation_kind",
                                         "synchronous_standby_names",
                                         "wal_consistency_checking"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
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
Result<std::string> interval_zone(catalog::SessionContext& session, const PgQuery__TypeCast& cast) {
  std::vector<std::string> modifiers;
  for (size_t i = 0; i < cast.type_name->n_typmods; i++) {
    const PgQuery__Node* modifier = cast.type_name->typmods[i];
    if (modifier->node_case == PG_QUERY__NODE__NODE_A_CONST) modifiers.push_back(constant_text(*modifier->a_const));
  }
  types::TypeRef type{oid::kInterval, -1, kInvalidOid};
  if (!modifiers.empty()) {
    INDIGO_ASSIGN(type.typmod, types::typmod_input(oid::kInterval, modifiers));
  }
  Arena arena;
  types::FuncContext context(session);
  context.set_arena(&arena);
  const std::string text = constant_text(*cast.arg->a_const);
  const Datum interval = types::type_input(context, type, text);
  if (context.failed()) return context.take_error();
  std::string out = "INTERVAL '";
  types::type_output(context, type, interval, out);
  return out + "'";
}

}  // namespace

Result<std::string> set_argument(catalog::SessionContext& session, const PgQuery__VariableSetStmt& stmt) {
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
      if (list) text = types::quote_identifier(text);
    } else {
      return Error(sqlstate::kSyntaxError, "invalid value for parameter \"" + name + "\"");
    }
    if (i > 0) {
      if (!list && find_setting(name) && !is_word_list(setting_table()[*find_setting(name)].name)) {
        return Error(sqlstate::kInvalidParameterValue, "SET " + name + " takes only one argument");
      }
      out += ", ";
    }
    out += text;
  }
  return out;
}

}  // namespace indigo::engine
