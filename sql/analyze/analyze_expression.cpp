// Expressions outside queries: defaults, checks, index expressions and predicates, USING, bodies of SQL functions.
#include "catalog/oids.h"
#include "sql/analyze/calls.h"
#include "sql/analyze/expressions.h"
#include "sql/analyze/from.h"
#include "sql/analyze/function_call.h"
#include "sql/analyze/make.h"
#include "sql/analyze/standalone.h"
#include "sql/analyze/type_text.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"

namespace indigo::sql {
namespace {

// The expression of "SELECT expression".
Result<const PgQuery__Node*> single_target(const ParsedText& parsed, std::string_view text) {
  if (parsed.statements().size() == 1 && is(parsed.statements()[0].node, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    const PgQuery__SelectStmt& s = *parsed.statements()[0].node->select_stmt;
    if (s.n_target_list == 1) return static_cast<const PgQuery__Node*>(s.target_list[0]->res_target->val);
  }
  return Error(sqlstate::kSyntaxError, "\"" + std::string(text) + "\" is not an expression");
}

constexpr std::string_view kSelect = "SELECT ";

}  // namespace

Result<ExprPtr> analyze_standalone(SessionContext& session, const PgQuery__Node* node, std::string_view text,
                                   bool positions, const std::shared_ptr<const catalog::RelationInfo>& relation,
                                   const TypeRef& target, Clause clause) {
  Analysis a(session, text);
  a.has_positions = positions;
  Scope scope(a, nullptr);
  scope.clause = clause;
  if (relation) {
    INDIGO_ASSIGN(Entry entry, relation_entry(scope, relation, nullptr, -1));
    FromItem item = leaf_of(scope, std::move(entry));
    item.names[0].schema = relation->schema_name;
    INDIGO_TRY(add_names(scope, std::move(item.names)));
  }
  INDIGO_ASSIGN(const ExprPtr e, transform(scope, node));
  if (target.oid == kInvalidOid) return unknown_to_text(a, e);
  INDIGO_ASSIGN(ExprPtr out, coerce_to_target(a, e, target, Coercion::kAssignment, CallExpr::Form::kImplicitCast, -1));
  if (out) return out;
  return a
      .error(sqlstate::kDatatypeMismatch,
             "expression is of type " + format_type(a.catalog, e->type.oid) + " but type " +
                 format_type(a.catalog, target.oid) + " is needed",
             e->location)
      .with_hint("You will need to rewrite or cast the expression.");
}

Result<ExprPtr> analyze_standalone(SessionContext& session, std::string_view text,
                                   const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target,
                                   Clause clause) {
  const std::string statement = std::string(kSelect) + std::string(text);
  INDIGO_ASSIGN(const auto parsed, parse(statement));
  INDIGO_ASSIGN(const PgQuery__Node* node, single_target(*parsed, text));
  return analyze_standalone(session, node, statement, false, relation, target, clause);
}

Result<ExprPtr> analyze_expression(SessionContext& session, std::string_view text,
                                   const std::shared_ptr<const catalog::RelationInfo>& relation,
                                   const TypeRef& target) {
  return analyze_standalone(session, text, relation, target, Clause::kOther);
}

Result<ExprPtr> analyze_expression(SessionContext& session, const PgQuery__Node* node, std::string_view text,
                                   const std::shared_ptr<const catalog::RelationInfo>& relation,
                                   const TypeRef& target) {
  return analyze_standalone(session, node, text, true, relation, target, Clause::kOther);
}

Result<ExprPtr> analyze_domain_check(Analysis& a, const std::string& text, Oid domain) {
  const std::string statement = std::string(kSelect) + text;
  INDIGO_ASSIGN(const auto parsed, parse(statement));
  INDIGO_ASSIGN(const PgQuery__Node* node, single_target(*parsed, text));
  Analysis inner(a.session, statement);
  inner.has_positions = false;
  inner.view_depth = a.view_depth + 1;
  Scope scope(inner, nullptr);
  scope.clause = Clause::kCheck;
  auto value = std::make_shared<ColumnExpr>();
  value->type = type_with_collation(a.catalog, base_type_ref(a.catalog, domain));
  scope.domain_value = value;
  INDIGO_ASSIGN(const ExprPtr e, transform(scope, node));
  return coerce_to_boolean(inner, e, "CHECK");
}

Result<ExprPtr> inline_sql_function(Analysis& a, const catalog::FunctionInfo& function, const ExprList& arguments,
                                    const TypeRef& result, int location) {
  constexpr int kMaxDepth = 50;
  if (function.returns_set || a.view_depth > kMaxDepth) return ExprPtr();
  INDIGO_ASSIGN(const auto parsed, parse(function.source));
  if (parsed->statements().size() != 1 || !is(parsed->statements()[0].node, PG_QUERY__NODE__NODE_SELECT_STMT))
    return ExprPtr();
  const PgQuery__SelectStmt& s = *parsed->statements()[0].node->select_stmt;
  const bool simple = s.n_target_list == 1 && s.n_from_clause == 0 && absent(s.where_clause) && s.n_group_clause == 0 &&
                      absent(s.having_clause) && s.n_values_lists == 0 && absent(s.limit_count) &&
                      absent(s.limit_offset) && s.op == PG_QUERY__SET_OPERATION__SETOP_NONE &&
                      s.with_clause == nullptr && s.n_distinct_clause == 0;
  if (!simple) return ExprPtr();
  Analysis inner(a.session, function.source);
  inner.has_positions = false;
  inner.view_depth = a.view_depth + 1;
  std::vector<Oid> types;
  for (const ExprPtr& e : arguments) types.push_back(e->type.oid);
  inner.declare_parameters(types, false, parsed->statements()[0].node);
  Scope scope(inner, nullptr);
  INDIGO_ASSIGN(const ExprPtr body, transform(scope, s.target_list[0]->res_target->val));
  INDIGO_ASSIGN(const ExprPtr converted,
                coerce_to_target(inner, body, result, Coercion::kAssignment, CallExpr::Form::kImplicitCast, -1));
  if (!converted) return ExprPtr();
  static_cast<void>(location);
  const std::function<ExprPtr(const ExprPtr&)> substitute = [&](const ExprPtr& e) -> ExprPtr {
    if (const auto* p = try_as<ParamExpr>(e)) return arguments[p->index];
    return map_children(e, substitute);
  };
  return substitute(converted);
}

}  // namespace indigo::sql
