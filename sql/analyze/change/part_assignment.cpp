#include "sql/analyze/part_assignment.h"

#include <string>
#include <vector>

#include "sql/analyze/change/assign_part.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/parse/node.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"
#include "types/oids.h"

namespace indigo::sql {

namespace {

// The expression of `SELECT text`, whose tree `parsed` keeps.
const PgQuery__Node* only_target(const ParsedText& parsed) {
  if (parsed.statements().size() != 1 || !is(parsed.statements()[0].node, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    return nullptr;
  }
  const PgQuery__SelectStmt& s = *parsed.statements()[0].node->select_stmt;
  const bool plain = s.n_target_list == 1 && s.n_from_clause == 0 && absent(s.where_clause) && s.n_group_clause == 0 &&
                     absent(s.having_clause) && s.n_sort_clause == 0 && absent(s.limit_count) &&
                     absent(s.limit_offset) && s.with_clause == nullptr && s.larg == nullptr &&
                     s.n_distinct_clause == 0;
  return plain ? s.target_list[0]->res_target->val : nullptr;
}

// Parts of a plan: what a parameter list alone cannot compute.
bool needs_plan(const ExprPtr& e) {
  bool found = false;
  visit_expressions(e, [&](const Expr& x, int) {
    switch (x.kind) {
      case ExprKind::kSubLink:
      case ExprKind::kSubPlan:
      case ExprKind::kAggregate:
      case ExprKind::kWindowCall: found = true; break;
      case ExprKind::kCall: found = found || as<CallExpr>(x).returns_set; break;
      default: break;
    }
    return !found;
  });
  return found;
}

}  // namespace

Result<ExprPtr> analyze_part_assignment(catalog::SessionContext& session, std::string_view place,
                                        std::string_view value, const VariableScope& variables,
                                        const TypeRef& value_type) {
  const std::string place_text = "SELECT " + std::string(place), value_text = "SELECT " + std::string(value);
  INDIGO_ASSIGN(const auto parsed_place, parse(place_text));
  const PgQuery__Node* target = only_target(*parsed_place);
  const PgQuery__Node* base = is(target, PG_QUERY__NODE__NODE_A_INDIRECTION) ? target->a_indirection->arg : target;
  if (target == nullptr || !is(base, PG_QUERY__NODE__NODE_COLUMN_REF)) {
    return Error(sqlstate::kSyntaxError, "\"" + std::string(place) + "\" is not a known variable");
  }
  std::vector<std::string_view> name;
  const PgQuery__ColumnRef& ref = *base->column_ref;
  for (const PgQuery__Node* n : nodes(ref.n_fields, ref.fields)) name.push_back(string_of(n));
  INDIGO_ASSIGN(const VariableScope::Found found, variables.find(name, -1));
  if (!found.value) {
    return Error(sqlstate::kSyntaxError, "\"" + std::string(place) + "\" is not a known variable");
  }
  std::vector<PgQuery__Node*> steps(ref.fields + found.parts, ref.fields + ref.n_fields);
  if (target != base) {
    const PgQuery__AIndirection& more = *target->a_indirection;
    steps.insert(steps.end(), more.indirection, more.indirection + more.n_indirection);
  }
  Analysis a(session, place_text);
  a.variables = &variables;
  std::vector<TypeRef> types = variables.types();
  ExprPtr source;
  if (value_type.oid != kInvalidOid) {
    auto given = std::make_shared<ParamExpr>();
    given->index = static_cast<int>(types.size());
    given->type = value_type;
    types.push_back(value_type);
    a.declare_known(types);
    source = std::move(given);
  } else {
    a.declare_known(types);
    INDIGO_ASSIGN(const auto parsed_value, parse(value_text));
    const PgQuery__Node* node = only_target(*parsed_value);
    if (node == nullptr) return ExprPtr();
    Analysis of_value(session, value_text);
    of_value.variables = &variables;
    of_value.declare_known(types);
    Scope scope(of_value, nullptr);
    INDIGO_ASSIGN(source, transform(scope, node));
    if (needs_plan(source)) return ExprPtr();
  }
  Scope scope(a, nullptr);
  const NodeList indirection(steps.data(), steps.size());
  if (indirection.empty()) return Error(sqlstate::kSyntaxError, "\"" + std::string(place) + "\" has no part");
  return assign_part(scope, std::string(name.back()), found.value->type, found.value, source, indirection, -1);
}

}  // namespace indigo::sql
