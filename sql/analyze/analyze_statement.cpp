#include "catalog/descriptor/session_context.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/select.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/type_name.h"
#include "sql/parse/node.h"
#include "sql/rule/fire_rules.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

bool is_query(const PgQuery__Node* n) {
  switch (n->node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT:
    case PG_QUERY__NODE__NODE_MERGE_STMT: return true;
    default: return false;
  }
}

}  // namespace

Result<TypeRef> analyze_type_name(catalog::SessionContext& session, const PgQuery__TypeName* name,
                                  std::string_view text) {
  Analysis a(session, text);
  return resolve_type_name(a, name);
}

Result<AnalyzedStatement> analyze(catalog::SessionContext& session, const AnalyzeInput& input) {
  AnalyzedStatement out;
  if (!is_query(input.statement)) return out;
  Analysis a(session, input.text);
  a.require_implementations = input.require_implementations;
  a.checks_schemas = true;
  a.variables = input.variables;
  a.inline_functions = input.inline_functions;
  a.declare_parameters(input.parameter_types, input.variable_parameters, input.statement);
  a.declare_lifted(input.lifted);
  Scope scope(a, nullptr);
  scope.lift = !input.lifted.empty();
  if (is(input.statement, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    INDIGO_TRY(transform_select(scope, *input.statement->select_stmt));
  } else {
    INDIGO_ASSIGN(const bool rules, has_rules(scope, *input.statement));
    if (rules) {
      // No literal becomes a parameter: what the rules make of them is planned for their values.
      INDIGO_ASSIGN(out.rewritten, fire_rules(a, *input.statement, out.query));
      if (out.query == nullptr) out.query = std::make_shared<Query>();
      INDIGO_TRY(a.finish_parameters(out));
      return out;
    }
    INDIGO_TRY(transform_change(scope, *input.statement));
  }
  out.query = std::move(scope.query);
  if (!a.rule_sources.empty()) {
    auto rewritten = std::make_shared<RewrittenStatement>();
    rewritten->sources = std::move(a.rule_sources);
    out.rewritten = std::move(rewritten);
  }
  INDIGO_TRY(a.finish_parameters(out));
  return out;
}

}  // namespace indigo::sql
