#include "sql/stored/routine_body.h"

#include "sql/analyze/argument_scope.h"
#include "sql/analyze/select/select.h"
#include "sql/deparse_query.h"
#include "sql/parse/node.h"
#include "sql/stored/stored_tree.h"

namespace indigo::sql {

namespace {

using QueryPtr = std::shared_ptr<const Query>;

constexpr const char *kStatement = "*STATEMENT*", *kReturn = "*RETURN*";

// RETURN expression: SELECT expression, its column without a name.
Status transform_return(Scope& scope, const PgQuery__ReturnStmt& statement) {
  PgQuery__ResTarget target = PG_QUERY__RES_TARGET__INIT;
  target.val = statement.returnval;
  PgQuery__Node target_node = PG_QUERY__NODE__INIT;
  target_node.node_case = PG_QUERY__NODE__NODE_RES_TARGET;
  target_node.res_target = &target;
  PgQuery__Node* targets[] = {&target_node};
  PgQuery__SelectStmt select = PG_QUERY__SELECT_STMT__INIT;
  select.n_target_list = 1;
  select.target_list = targets;
  select.limit_option = PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_DEFAULT;
  select.op = PG_QUERY__SET_OPERATION__SETOP_NONE;
  INDIGO_TRY(transform_select(scope, select));
  for (TargetEntry& t : scope.query->targets) {
    if (!t.hidden) t.name.clear();
  }
  return {};
}

Status add_statement(Scope& around, const PgQuery__Node& node, const char* name) {
  Scope scope(around.a, &around);
  if (is(&node, PG_QUERY__NODE__NODE_RETURN_STMT)) {
    INDIGO_TRY(transform_return(scope, *node.return_stmt));
  } else if (is(&node, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    INDIGO_TRY(transform_select(scope, *node.select_stmt));
  } else {
    INDIGO_TRY(transform_change(scope, node));
  }
  CommonTable table;
  table.name = name;
  table.query = std::move(scope.query);
  around.query->ctes.push_back(std::move(table));
  return {};
}

// Bodies were kept as they had been written.
std::string text_of_older(std::string_view body) {
  constexpr std::string_view kBegin = "BEGIN ATOMIC", kEnd = "END", kReturnWord = "RETURN ";
  if (body.starts_with(kReturnWord)) return "SELECT " + std::string(body.substr(kReturnWord.size()));
  return std::string(body.substr(kBegin.size(), body.size() - kBegin.size() - kEnd.size()));
}

Result<QueryPtr> load_body(catalog::SessionContext& session, std::string_view tree) {
  Analysis a(session, {});
  a.inline_functions = false;
  return load_query(a, tree, LoadFor::kPrinting);
}

}  // namespace

Result<QueryPtr> analyze_routine_body(catalog::SessionContext& session, const PgQuery__Node& body,
                                      std::string_view text, const VariableScope& arguments) {
  Analysis a(session, text);
  a.checks_schemas = true;
  a.inline_functions = false;
  a.changes = Analysis::Changes::kKept;
  a.variables = &arguments;
  a.declare_known(arguments.types());
  Scope around(a, nullptr);
  if (is(&body, PG_QUERY__NODE__NODE_RETURN_STMT)) {
    INDIGO_TRY(add_statement(around, body, kReturn));
    return QueryPtr(std::move(around.query));
  }
  for (const PgQuery__Node* list : nodes(body.list->n_items, body.list->items)) {
    if (!is(list, PG_QUERY__NODE__NODE_LIST)) continue;
    for (const PgQuery__Node* statement : nodes(list->list->n_items, list->list->items))
      INDIGO_TRY(add_statement(around, *statement, kStatement));
  }
  return QueryPtr(std::move(around.query));
}

Result<std::string> routine_body_text(catalog::SessionContext& session, std::string_view tree) {
  if (!is_stored_tree(tree)) return text_of_older(tree);
  INDIGO_ASSIGN(const QueryPtr body, load_body(session, tree));
  INDIGO_ASSIGN(const auto statements, deparse_statements(session.catalog(), *body, {}));
  std::string out;
  for (const std::string& statement : statements) out += statement + ";\n";
  return out;
}

Result<std::string> print_routine_body(catalog::SessionContext& session, std::string_view tree,
                                       const types::FunctionInfo& function) {
  if (!is_stored_tree(tree)) return std::string(tree);
  INDIGO_ASSIGN(const QueryPtr body, load_body(session, tree));
  StatementNames names{true, function.name, input_names(function), false};
  names.one_line = body->ctes.size() == 1 && body->ctes[0].name == kReturn;
  INDIGO_ASSIGN(const auto statements, deparse_statements(session.catalog(), *body, names));
  if (names.one_line) return statements[0];
  std::string out = "BEGIN ATOMIC\n";
  for (const std::string& statement : statements) out += statement + ";\n";
  return out + "END";
}

}  // namespace indigo::sql
