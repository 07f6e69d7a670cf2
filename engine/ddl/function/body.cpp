#include "engine/ddl/function/body.h"

#include "catalog/tables/system_table.h"
#include "engine/ddl/tree.h"
#include "sql/parse/deparse_tree.h"
#include "types/extension/extension.h"

namespace indigo::engine::ddl {

namespace {

// One statement of BEGIN ATOMIC as text.
Result<std::string> statement_text(const PgQuery__Node* node) {
  if (!is(node, PG_QUERY__NODE__NODE_RETURN_STMT)) return sql::deparse_tree(node);
  PgQuery__ResTarget target = PG_QUERY__RES_TARGET__INIT;
  target.val = node->return_stmt->returnval;
  PgQuery__Node target_node = PG_QUERY__NODE__INIT;
  target_node.node_case = PG_QUERY__NODE__NODE_RES_TARGET;
  target_node.res_target = &target;
  PgQuery__Node* targets[] = {&target_node};
  PgQuery__SelectStmt select = PG_QUERY__SELECT_STMT__INIT;
  select.n_target_list = 1;
  select.target_list = targets;
  select.limit_option = PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_DEFAULT;
  select.op = PG_QUERY__SET_OPERATION__SETOP_NONE;
  PgQuery__Node select_node = PG_QUERY__NODE__INIT;
  select_node.node_case = PG_QUERY__NODE__NODE_SELECT_STMT;
  select_node.select_stmt = &select;
  return sql::deparse_tree(&select_node);
}

Result<std::string> statements_text(const PgQuery__Node* body) {
  if (is(body, PG_QUERY__NODE__NODE_RETURN_STMT)) {
    INDIGO_ASSIGN(const std::string text, statement_text(body));
    return "RETURN " + text.substr(std::string("SELECT ").size());
  }
  std::string out = "BEGIN ATOMIC";
  for (const PgQuery__Node* list : nodes(body->list->n_items, body->list->items)) {
    if (!is(list, PG_QUERY__NODE__NODE_LIST)) continue;
    for (const PgQuery__Node* statement : nodes(list->list->n_items, list->list->items)) {
      INDIGO_ASSIGN(const std::string text, statement_text(statement));
      out += "\n " + text + ";";
    }
  }
  return out + "\nEND";
}

bool is_builtin(DdlContext& c, std::string_view source) {
  bool found = false;
  table(c, pg_proc::kOid).scan(c.txn, {}, [&](RowReader row) {
    found = row.oid(pg_proc::c_oid) < oid::kFirstUserOid && row.str(pg_proc::c_prosrc) == source;
    return !found;
  });
  return found;
}

// Code of others is never loaded: the modules are those of the extensions that are built in.
Status check_symbol(const std::string& library, const std::string& symbol) {
  const types::Extension* module = types::find_module(library);
  if (module == nullptr) {
    return Error(SqlState("58P01"), "could not access file " + quoted(library) + ": No such file or directory")
        .with_detail("Functions in C are those of the extensions that are built in.");
  }
  if (types::find_symbol(*module, symbol) != nullptr || types::find_set_symbol(*module, symbol) != nullptr) return {};
  return Error(sqlstate::kUndefinedFunction,
               "could not find function " + quoted(symbol) + " in file " + quoted(library));
}

}  // namespace

Result<RoutineBody> read_body(DdlContext& c, const PgQuery__CreateFunctionStmt& s, const RoutineAttributes& attributes,
                              const RoutineSignature& signature) {
  const std::string& language = *attributes.language;
  const bool atomic = !sql::absent(s.sql_body);
  RoutineBody out;
  if (!attributes.source && !atomic) {
    if (language == "internal") {
      out.source = string_of(nodes(s.n_funcname, s.funcname).back());
    } else {
      return Error(kInvalidFunctionDefinition, "no function body specified");
    }
  }
  if (attributes.source && atomic) return Error(kInvalidFunctionDefinition, "duplicate function body specified");
  if (atomic && language != "sql")
    return Error(kInvalidFunctionDefinition, "inline SQL function body only valid for language SQL");
  if (attributes.source) {
    if (attributes.object_file && language != "c")
      return Error(kInvalidFunctionDefinition, "only one AS item needed for language " + quoted(language));
    out.source = *attributes.source;
  }
  if (language == "c") {
    // The object file alone: the function has the name of its symbol.
    out.library = attributes.object_file ? *attributes.object_file : out.source;
    if (!attributes.object_file) out.source = string_of(nodes(s.n_funcname, s.funcname).back());
    INDIGO_TRY(check_symbol(out.library, out.source));
  }
  if (language == "internal" && !is_builtin(c, out.source))
    return Error(sqlstate::kUndefinedFunction, "there is no built-in function named " + quoted(out.source));
  if (atomic) {
    for (const Oid type : signature.inputs) {
      const auto info = c.catalog.type(type);
      if (info != nullptr && info->kind == 'p') {
        return Error(kInvalidFunctionDefinition,
                     "SQL function with unquoted function body cannot have polymorphic arguments");
      }
    }
    INDIGO_ASSIGN(out.statements, statements_text(s.sql_body));
  }
  return out;
}

}  // namespace indigo::engine::ddl
