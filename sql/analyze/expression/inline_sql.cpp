// Functions in language SQL: their body takes the place of the call, as an expression or as a scalar subquery.
#include <algorithm>

#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "sql/analyze/argument_scope.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/inline_guard.h"
#include "sql/analyze/expression/inlined.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/generated/sql_bodies.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/select.h"
#include "sql/analyze/type/coerce.h"
#include "sql/parse/node.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/value/acl.h"

namespace indigo::sql {
namespace {

std::string_view body_of(catalog::CatalogView& catalog, const types::FunctionInfo& function) {
  if (!function.source.empty()) return function.source;
  const std::string schema = catalog.schema_name(function.schema);
  for (const SqlBody& body : kSqlBodies) {
    if (body.function == function.oid) return body.text;
    if (body.function == kInvalidOid && schema == "information_schema" && body.name == function.name) return body.text;
  }
  return {};
}

bool is_plain_expression(const PgQuery__SelectStmt& s) {
  return s.n_target_list == 1 && s.n_from_clause == 0 && absent(s.where_clause) && s.n_group_clause == 0 &&
         absent(s.having_clause) && s.n_values_lists == 0 && absent(s.limit_count) && absent(s.limit_offset) &&
         s.op == PG_QUERY__SET_OPERATION__SETOP_NONE && s.with_clause == nullptr && s.n_distinct_clause == 0;
}

bool is_small(const Expr& e, int& left) {
  if (--left < 0) return false;
  bool small = true;
  for_each_child(e, [&](const ExprPtr& c) { small = small && is_small(*c, left); });
  return small;
}
bool is_small(const Expr& e) {
  int left = 1000;
  return is_small(e, left);
}

// Null when the body is no single SELECT. `plain_only`: null for anything but an expression, too. `bare`: the body as it is,
// with its parameters.
Result<ExprPtr> inlined_body(Analysis& a, const types::FunctionInfo& function, const ExprList& arguments,
                             const TypeRef& result, bool plain_only, int location, ExprPtr* bare = nullptr) {
  constexpr int kMaxNesting = 50;
  const std::string_view source = body_of(a.catalog, function);
  if (function.returns_set || source.empty() || a.nesting > kMaxNesting) return ExprPtr();
  const InlineGuard guard(a.session, function.oid);
  if (!guard.allowed()) return ExprPtr();
  constexpr size_t kExpansionsMax = 2000;
  INDIGO_ASSIGN(const size_t expansions, a.count_expansion());
  if (function.oid >= oid::kFirstUserOid && expansions > kExpansionsMax) return ExprPtr();
  INDIGO_ASSIGN(const auto parsed, parse(source));
  if (parsed->statements().size() != 1 || !is(parsed->statements()[0].node, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    return ExprPtr();
  }
  const PgQuery__SelectStmt& s = *parsed->statements()[0].node->select_stmt;
  const bool plain = is_plain_expression(s);
  if (plain_only && !plain) return ExprPtr();
  Analysis inner(a, source);
  std::vector<Oid> types;
  for (const ExprPtr& e : arguments) types.push_back(e->type.oid);
  inner.declare_parameters(types, false, parsed->statements()[0].node);
  inner.argument_names = input_names(function);
  INDIGO_ASSIGN(const Oid collation, input_collation(a, arguments));
  if (collation != oid::kConflictingCollations) inner.parameter_collation = collation;
  Scope scope(inner, nullptr);
  ExprPtr body;
  if (plain) {
    INDIGO_ASSIGN(body, transform(scope, s.target_list[0]->res_target->val));
  } else {
    auto link = std::make_shared<SubLinkExpr>();
    link->form = SubLinkExpr::Form::kScalar;
    link->location = location;
    INDIGO_ASSIGN(link->query, analyze_subselect(scope, s, SubqueryOptions{}));
    for (const TargetEntry& t : link->query->targets) {
      if (!t.hidden && link->type.oid == kInvalidOid) link->type = t.expr->type;
    }
    body = std::move(link);
  }
  INDIGO_ASSIGN(const ExprPtr converted,
                coerce_to_target(inner, body, result, Coercion::kAssignment, CallExpr::Form::kImplicitCast, -1));
  if (converted == nullptr) return ExprPtr();
  if (bare != nullptr) *bare = converted;
  ExprPtr value = with_arguments(converted, arguments, 0);
  // Parameters that stand in several places double what calls inside calls come to.
  if (function.oid >= oid::kFirstUserOid && !is_small(*value)) return ExprPtr();
  // The call's value has the input collation, whatever the body's has.
  const Oid wanted = result.collation != kInvalidOid && collation != kInvalidOid ? collation : result.collation;
  if (wanted == value->type.collation || wanted == kInvalidOid) return value;
  auto relabelled = std::make_shared<RelabelExpr>();
  relabelled->argument = std::move(value);
  relabelled->type = relabelled->argument->type;
  relabelled->type.collation = wanted;
  relabelled->location = location;
  return ExprPtr(std::move(relabelled));
}

// Functions that users have made are calls unless the difference cannot be seen. A strict one must not be called with
// nulls, which its body alone does not ensure.
bool may_inline(catalog::CatalogView& catalog, const types::FunctionInfo& f, const TypeRef& result) {
  return f.language == "sql" && f.statements.empty() && f.kind == types::FunctionKind::kFunction && !f.returns_set &&
         !f.strict && !f.security_definer && f.settings.empty() && result.oid != oid::kVoid &&
         result.oid != oid::kRecord && !is_composite(catalog, result.oid);
}

int most_volatile(const Expr& e) {
  int most = 0;
  if (e.kind == ExprKind::kCall) {
    const auto v = as<CallExpr>(e).volatility;
    most = v == types::Volatility::kVolatile ? 2 : v == types::Volatility::kStable ? 1 : 0;
  }
  if (e.kind == ExprKind::kSessionValue) most = 1;
  for_each_child(e, [&](const ExprPtr& c) { most = std::max(most, most_volatile(*c)); });
  return most;
}

// The body must not be more volatile than the function is said to be.
bool keeps_promises(const types::FunctionInfo& f, const ExprPtr& body) {
  const int said = f.volatility == types::Volatility::kVolatile ? 2 : f.volatility == types::Volatility::kStable;
  return most_volatile(*body) <= said;
}

bool has_subquery(const Expr& e) {
  bool found = e.kind == ExprKind::kSubLink;
  for_each_child(e, [&](const ExprPtr& c) { found = found || has_subquery(*c); });
  return found;
}

// How often a parameter's value would be computed; a volatile argument may stand in one place only.
bool safe_to_repeat(const ExprList& arguments) {
  return std::none_of(arguments.begin(), arguments.end(), [](const ExprPtr& e) { return contains_volatile(*e); });
}

void count_uses(const Expr& e, std::vector<int>& uses) {
  if (e.kind == ExprKind::kParam) {
    const auto index = static_cast<size_t>(as<ParamExpr>(e).index);
    if (index < uses.size()) uses[index]++;
  }
  for_each_child(e, [&](const ExprPtr& c) { count_uses(*c, uses); });
}

// Volatile arguments stay arguments of a call where the body names them twice, and so do subqueries. Else they are computed
// where the body needs them: not in a CASE branch that is not taken.
bool repeats_safely(const ExprList& arguments, const Expr& bare) {
  if (has_subquery(bare)) return false;
  std::vector<int> uses(arguments.size(), 0);
  count_uses(bare, uses);
  for (size_t i = 0; i < arguments.size(); i++) {
    if (uses[i] > 1 && (contains_volatile(*arguments[i]) || has_subquery(*arguments[i]))) return false;
  }
  return true;
}

}  // namespace

ExprPtr with_arguments(const ExprPtr& e, const ExprList& arguments, int depth) {
  if (const auto* p = try_as<ParamExpr>(e)) return raise_levels(arguments[static_cast<size_t>(p->index)], depth);
  if (const auto* link = try_as<SubLinkExpr>(e)) {
    auto copy = std::make_shared<SubLinkExpr>(*link);
    if (copy->test) copy->test = with_arguments(copy->test, arguments, depth);
    copy->query = map_expressions(
        copy->query, [&](const ExprPtr& x, int inner) { return with_arguments(x, arguments, depth + 1 + inner); },
        nullptr);
    return copy;
  }
  return map_children(e, [&](const ExprPtr& c) { return with_arguments(c, arguments, depth); });
}

bool everybody_may_execute(catalog::CatalogView& catalog, Oid function) {
  bool may = true;
  const Datum key = Datum::of_oid(function);
  catalog.system_table_rows(catalog::pg_proc::kOid, -1, {&key, 1}, [&](const catalog::RowReader& row) {
    const auto nobody = [](Oid) { return false; };
    may = row.is_null(catalog::pg_proc::c_proacl) ||
          (types::acl_privileges(types::read_acl(row.str(catalog::pg_proc::c_proacl)), nobody) &
           types::kPrivilegeExecute) != 0;
    return false;
  });
  return may;
}

Result<ExprPtr> call_or_inline(Analysis& a, const types::FunctionInfo& function, ExprList arguments,
                               const TypeRef& result, CallExpr::Form form, Oid op, int location) {
  if (function.oid >= oid::kFirstUserOid) {
    if (a.inline_functions && may_inline(a.catalog, function, result) &&
        everybody_may_execute(a.catalog, function.oid)) {
      // What is wrong with the body is told when the function runs, with its context.
      ExprPtr bare;
      auto body = inlined_body(a, function, arguments, result, true, location, &bare);
      if (body.ok() && *body && keeps_promises(function, bare) && repeats_safely(arguments, *bare)) return body;
    }
  } else if (function.language == "sql" && a.inline_functions) {
    const bool native = types::find_scalar(function.oid) != nullptr || types::find_set(function.oid) != nullptr;
    if (!native || safe_to_repeat(arguments)) {
      INDIGO_ASSIGN(ExprPtr body, inlined_body(a, function, arguments, result, native, location));
      if (body) return body;
    }
  }
  return make_call(a, function, std::move(arguments), result, form, op, location);
}

}  // namespace indigo::sql
