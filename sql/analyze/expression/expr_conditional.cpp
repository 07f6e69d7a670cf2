// CASE, COALESCE, GREATEST, LEAST, IS NULL, IS TRUE and the like.
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

// Set-returning functions have no meaning where an argument may stay unevaluated.
Status refuse_sets(Scope& scope, const ExprList& list, const char* construct) {
  for (const ExprPtr& e : list) {
    if (!returns_set(e)) continue;
    return scope
        .error(sqlstate::kFeatureNotSupported, std::string("set-returning functions are not allowed in ") + construct,
               expr_location(e))
        .with_hint("You might be able to move the set-returning function into a LATERAL FROM item.");
  }
  return {};
}

Result<ExprPtr> case_operand(Scope& scope, const PgQuery__CaseExpr& node) {
  // The operand stands in every comparison, so it is no parameter of one of them.
  Setting<bool> lift(scope.lift, false);
  INDIGO_ASSIGN(const ExprPtr operand, transform(scope, node.arg));
  return unknown_to_text(scope.a, operand);
}

}  // namespace

Result<ExprPtr> transform_case(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__CaseExpr& c = *node.case_expr;
  auto out = std::make_shared<CaseExpr>();
  out->location = c.location;
  out->simple = !absent(c.arg);
  ExprPtr operand;
  if (!absent(c.arg)) {
    INDIGO_ASSIGN(operand, case_operand(scope, c));
  }
  ExprList conditions, results;
  for (const PgQuery__Node* n : nodes(c.n_args, c.args)) {
    const PgQuery__CaseWhen& when = *n->case_when;
    INDIGO_ASSIGN(ExprPtr condition, transform(scope, when.expr));
    if (operand) {
      INDIGO_ASSIGN(condition, make_operator(scope.a, "=", operand, condition, when.location));
    }
    INDIGO_ASSIGN(condition, coerce_to_boolean(scope.a, condition, "CASE/WHEN"));
    conditions.push_back(std::move(condition));
    INDIGO_ASSIGN(ExprPtr result, transform(scope, when.result));
    results.push_back(std::move(result));
  }
  ExprPtr otherwise;
  if (absent(c.defresult)) {
    otherwise = make_unknown_null();
  } else {
    INDIGO_ASSIGN(otherwise, transform(scope, c.defresult));
  }
  ExprList all{otherwise};
  all.insert(all.end(), results.begin(), results.end());
  INDIGO_TRY(refuse_sets(scope, all, "CASE"));
  INDIGO_TRY(refuse_sets(scope, conditions, "CASE"));
  INDIGO_ASSIGN(out->type, unify(scope.a, all, "CASE"));
  out->otherwise = all[0];
  for (size_t i = 0; i < results.size(); i++) out->whens.push_back({std::move(conditions[i]), all[i + 1]});
  return ExprPtr(out);
}

Result<ExprPtr> transform_coalesce(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__CoalesceExpr& c = *node.coalesce_expr;
  auto out = std::make_shared<CoalesceExpr>();
  out->location = c.location;
  INDIGO_ASSIGN(out->arguments, transform_list(scope, nodes(c.n_args, c.args)));
  INDIGO_TRY(refuse_sets(scope, out->arguments, "COALESCE"));
  INDIGO_ASSIGN(out->type, unify(scope.a, out->arguments, "COALESCE"));
  return ExprPtr(out);
}

Result<ExprPtr> transform_min_max(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__MinMaxExpr& m = *node.min_max_expr;
  auto out = std::make_shared<GreatestLeastExpr>();
  out->greatest = m.op == PG_QUERY__MIN_MAX_OP__IS_GREATEST;
  out->location = m.location;
  INDIGO_ASSIGN(out->arguments, transform_list(scope, nodes(m.n_args, m.args)));
  INDIGO_ASSIGN(out->type, unify(scope.a, out->arguments, out->greatest ? "GREATEST" : "LEAST"));
  if (scope.catalog().btree_operator(base_type(scope.catalog(), out->type.oid), 1) == kInvalidOid) {
    return Error(sqlstate::kUndefinedFunction,
                 "could not identify a comparison function for type " + format_type(scope.catalog(), out->type.oid));
  }
  return ExprPtr(out);
}

Result<ExprPtr> transform_null_test(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__NullTest& t = *node.null_test;
  INDIGO_ASSIGN(ExprPtr argument, transform(scope, t.arg));
  const Oid type = argument->type.oid;
  auto out = std::make_shared<NullTestExpr>();
  out->row = type == oid::kRecord || is_composite(scope.catalog(), type);
  out->argument = std::move(argument);
  out->is_null = t.nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL;
  out->type.oid = oid::kBool;
  out->location = t.location;
  return ExprPtr(out);
}

Result<ExprPtr> transform_boolean_test(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__BooleanTest& t = *node.boolean_test;
  struct Row {
    PgQuery__BoolTestType type;
    BooleanTestExpr::Test test;
    const char* name;
  };
  static constexpr Row kRows[] = {
      {PG_QUERY__BOOL_TEST_TYPE__IS_TRUE, BooleanTestExpr::Test::kTrue, "IS TRUE"},
      {PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE, BooleanTestExpr::Test::kNotTrue, "IS NOT TRUE"},
      {PG_QUERY__BOOL_TEST_TYPE__IS_FALSE, BooleanTestExpr::Test::kFalse, "IS FALSE"},
      {PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE, BooleanTestExpr::Test::kNotFalse, "IS NOT FALSE"},
      {PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN, BooleanTestExpr::Test::kUnknown, "IS UNKNOWN"},
      {PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN, BooleanTestExpr::Test::kNotUnknown, "IS NOT UNKNOWN"},
  };
  for (const Row& row : kRows) {
    if (row.type != t.booltesttype) continue;
    auto out = std::make_shared<BooleanTestExpr>();
    INDIGO_ASSIGN(const ExprPtr argument, transform(scope, t.arg));
    INDIGO_ASSIGN(out->argument, coerce_to_boolean(scope.a, argument, row.name));
    out->test = row.test;
    out->type.oid = oid::kBool;
    out->location = t.location;
    return ExprPtr(out);
  }
  return scope.error(sqlstate::kInternalError, "unknown boolean test", t.location);
}

}  // namespace indigo::sql
