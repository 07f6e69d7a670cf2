// Aggregates and window functions: which query level an aggregate belongs to, what may stand inside, its own ORDER BY.
#include <algorithm>

#include <climits>

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/function_call.h"
#include "sql/analyze/from/names.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/clauses.h"
#include "sql/analyze/select/sorting.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "sql/query_walk.h"
#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

// The innermost levels that an aggregate's arguments refer to; INT_MAX: none.
struct Levels {
  int variable = INT_MAX, aggregate = INT_MAX;
  int aggregate_location = -1, window_location = -1, set_location = -1;
};

void measure(const ExprPtr& e, Levels& out) {
  visit_expressions(e, [&](const Expr& x, int depth) {
    switch (x.kind) {
      case ExprKind::kVar:
        if (as<VarExpr>(x).levels_up >= depth) out.variable = std::min(out.variable, as<VarExpr>(x).levels_up - depth);
        break;
      case ExprKind::kWholeRow:
        if (as<WholeRowExpr>(x).levels_up >= depth)
          out.variable = std::min(out.variable, as<WholeRowExpr>(x).levels_up - depth);
        break;
      case ExprKind::kAggregate: {
        const int level = as<AggregateExpr>(x).levels_up - depth;
        if (level >= 0 && level < out.aggregate) {
          out.aggregate = level;
          out.aggregate_location = x.location;
        }
        break;  // an aggregate of a subquery may have one of an outer level within
      }
      case ExprKind::kGrouping:
        if (depth == 0 && out.aggregate > 0) {
          out.aggregate = 0;
          out.aggregate_location = x.location;
        }
        break;
      case ExprKind::kWindowCall:
        if (depth == 0 && out.window_location < 0) out.window_location = std::max(x.location, 0);
        break;
      case ExprKind::kCall:
        if (depth == 0 && as<CallExpr>(x).returns_set && out.set_location < 0)
          out.set_location = std::max(x.location, 0);
        break;
      default: break;
    }
    return true;
  });
}

// The level that the aggregate belongs to.
Result<int> aggregate_level(Scope& scope, const AggregateExpr& e) {
  Levels inner, direct;
  for (const ExprPtr& x : e.arguments) measure(x, inner);
  for (const SortKey& key : e.order) measure(key.expr, inner);
  if (e.filter) measure(e.filter, inner);
  for (const ExprPtr& x : e.direct) measure(x, direct);
  const int set_location = inner.set_location >= 0 ? inner.set_location : direct.set_location;
  const int window_location = inner.window_location >= 0 ? inner.window_location : direct.window_location;
  if (set_location >= 0) {
    return scope
        .error(sqlstate::kFeatureNotSupported, "aggregate function calls cannot contain set-returning function calls",
               set_location)
        .with_hint("You might be able to move the set-returning function into a LATERAL FROM item.");
  }
  if (window_location >= 0) {
    return scope.error(sqlstate::kGroupingError, "aggregate function calls cannot contain window function calls",
                       window_location);
  }
  const int lowest = std::min(inner.variable, inner.aggregate);
  const int level = lowest == INT_MAX ? 0 : lowest;
  if (inner.aggregate == level) {
    return scope.error(sqlstate::kGroupingError, "aggregate function calls cannot be nested", inner.aggregate_location);
  }
  if (direct.variable < level || direct.aggregate <= level) {
    return scope.error(sqlstate::kGroupingError,
                       direct.variable < level
                           ? "outer-level aggregate cannot contain a lower-level variable in its direct arguments"
                           : "aggregate function calls cannot be nested",
                       direct.aggregate_location);
  }
  return level;
}

ExprPtr without_implicit_casts(const ExprPtr& e) {
  const auto* relabel = try_as<RelabelExpr>(e);
  if (relabel != nullptr && relabel->implicit) return without_implicit_casts(relabel->argument);
  const auto* io = try_as<IoCastExpr>(e);
  if (io != nullptr && io->implicit) return without_implicit_casts(io->argument);
  const auto* call = try_as<CallExpr>(e);
  if (call != nullptr && call->form == CallExpr::Form::kImplicitCast) {
    return without_implicit_casts(call->arguments.front());
  }
  return e;
}

// The argument that an ORDER BY key repeats as it was before its conversion to the parameter's type; else the key itself.
ExprPtr argument_of(const AggregateExpr& e, const ExprPtr& key) {
  for (const ExprPtr& argument : e.arguments) {
    if (equal(without_implicit_casts(argument), key)) return argument;
  }
  return key;
}

Status transform_order(Scope& scope, const PgQuery__FuncCall& node, AggregateExpr& e) {
  if (e.distinct) {
    for (ExprPtr& argument : e.arguments) {
      INDIGO_ASSIGN(argument, unknown_to_text(scope.a, argument));
    }
  }
  // Constants are values here, not positions.
  const NodeList list = nodes(node.n_agg_order, node.agg_order);
  ExprList keys;
  for (size_t i = 0; i < list.size(); i++) {
    ExprPtr key;
    if (node.agg_within_group) {
      key = e.arguments[i];
    } else {
      INDIGO_ASSIGN(key, transform(scope, list[i]->sort_by->node));
      INDIGO_ASSIGN(key, unknown_to_text(scope.a, key));
      if (e.distinct) key = argument_of(e, key);
    }
    INDIGO_ASSIGN(SortKey made, make_sort_key(scope.a, *list[i]->sort_by, key));
    e.order.push_back(std::move(made));
    keys.push_back(std::move(key));
  }
  if (!e.distinct) return {};
  for (const ExprPtr& argument : e.arguments) {
    INDIGO_TRY(sort_operators(scope.a, argument->type.oid, false, true, argument->location));
    auto ordered = sort_operators(scope.a, argument->type.oid, true, true, argument->location);
    if (!ordered.ok()) {
      Error error = std::move(*ordered.take_error());
      error.hint.clear();
      return std::move(error).with_detail("Aggregates with DISTINCT must be able to sort their inputs.");
    }
  }
  for (const ExprPtr& key : keys) {
    if (std::find(e.arguments.begin(), e.arguments.end(), key) == e.arguments.end()) {
      return scope.error(sqlstate::kInvalidColumnReference,
                         "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
                         expr_location(key));
    }
  }
  return {};
}

Status check_ordered_set(Scope& scope, const types::AggregateInfo& info, const CallDecoration& d) {
  if (info.kind == 'n') {
    if (d.node->agg_within_group) {
      return scope.error(sqlstate::kWrongObjectType,
                         d.name + " is not an ordered-set aggregate, so it cannot have WITHIN GROUP", d.location);
    }
    return {};
  }
  if (!d.node->agg_within_group) {
    return scope.error(sqlstate::kWrongObjectType, "WITHIN GROUP is required for ordered-set aggregate " + d.name,
                       d.location);
  }
  if (d.node->over != nullptr) {
    return scope.error(sqlstate::kFeatureNotSupported, "OVER is not supported for ordered-set aggregate " + d.name,
                       d.location);
  }
  return {};
}

// How many of an ordered-set call's arguments are direct: 42883 when the numbers do not fit.
Result<size_t> direct_arguments(Scope& scope, const types::AggregateInfo& info, const ExprList& arguments,
                                const CallDecoration& d) {
  const size_t ordered = d.node->n_agg_order, direct = arguments.size() - ordered;
  const auto wanted = static_cast<size_t>(info.direct_arguments);
  std::string hint;
  if (info.kind == 'h' && direct != ordered) {
    hint = "To use the hypothetical-set aggregate " + d.name + ", the number of hypothetical direct arguments (here " +
           std::to_string(direct) + ") must match the number of ordering columns (here " + std::to_string(ordered) +
           ").";
  } else if (info.kind == 'o' && direct != wanted) {
    hint = "There is an ordered-set aggregate " + d.name + ", but it requires " + std::to_string(wanted) +
           " direct argument" + (wanted == 1 ? "" : "s") + ", not " + std::to_string(direct) + ".";
  }
  if (hint.empty()) return direct;
  std::vector<Oid> types;
  for (const ExprPtr& e : arguments) types.push_back(e->type.oid);
  return scope
      .error(sqlstate::kUndefinedFunction,
             "function " + signature_text(scope.catalog(), d.name, types) + " does not exist", d.location)
      .with_hint(hint);
}

// Each direct argument of a hypothetical-set aggregate and its column get a common type.
Status unify_hypothetical(Scope& scope, ExprList& arguments) {
  const size_t columns = arguments.size() / 2;
  for (size_t i = 0; i < columns; i++) {
    ExprList pair{arguments[columns + i], arguments[i]};
    INDIGO_TRY(unify(scope.a, pair, "WITHIN GROUP"));
    arguments[columns + i] = pair[0];
    arguments[i] = pair[1];
  }
  return {};
}

}  // namespace

Status check_aggregate_form(Scope& scope, const types::FunctionInfo& function, const CallDecoration& d) {
  const types::AggregateInfo* info = scope.catalog().aggregate(function.oid);
  if (info == nullptr || (scope.a.require_implementations && types::find_aggregate(function.oid) == nullptr)) {
    return scope.error(sqlstate::kFeatureNotSupported,
                       "aggregate function " + signature_text(scope.catalog(), function.name, function.arguments) +
                           " is not supported",
                       d.location);
  }
  return check_ordered_set(scope, *info, d);
}

Result<ExprPtr> make_aggregate(Scope& scope, const types::FunctionInfo& function, ExprList arguments,
                               const TypeRef& result, const CallDecoration& d) {
  const types::AggregateInfo* info = scope.catalog().aggregate(function.oid);
  auto e = std::make_shared<AggregateExpr>();
  e->function = function.oid;
  e->kind_of = info->kind;
  e->location = d.location;
  e->type = result;
  e->star = d.node->agg_star;
  e->distinct = d.node->agg_distinct;
  e->filter = d.filter;
  INDIGO_ASSIGN(e->collation, input_collation(scope.a, arguments));
  if (e->type.collation != kInvalidOid && e->collation != kInvalidOid) e->type.collation = e->collation;
  if (info->kind != 'n') {
    INDIGO_ASSIGN(const size_t direct, direct_arguments(scope, *info, arguments, d));
    if (info->kind == 'h') INDIGO_TRY(unify_hypothetical(scope, arguments));
    e->direct.assign(arguments.begin(), arguments.begin() + static_cast<ptrdiff_t>(direct));
    arguments.erase(arguments.begin(), arguments.begin() + static_cast<ptrdiff_t>(direct));
  }
  e->arguments = std::move(arguments);
  INDIGO_TRY(transform_order(scope, *d.node, *e));
  INDIGO_ASSIGN(e->levels_up, aggregate_level(scope, *e));
  Scope* owner = &scope;
  for (int i = 0; i < e->levels_up && owner->parent; i++) owner = owner->parent;
  if (owner->clause == Clause::kFromSubquery && owner != &scope && !owner->lateral_active) {
    return scope.error(sqlstate::kGroupingError,
                       "aggregate functions are not allowed in FROM clause of their own query level", d.location);
  }
  INDIGO_TRY(check_aggregate_allowed(*owner, false, d.location));
  owner->query->has_aggregates = true;
  if (owner->aggregate_location < 0) owner->aggregate_location = d.location;
  return ExprPtr(e);
}

Result<ExprPtr> make_window_call(Scope& scope, const types::FunctionInfo& function, ExprList arguments,
                                 const TypeRef& result, const CallDecoration& d) {
  const bool aggregate = function.kind == types::FunctionKind::kAggregate;
  if (d.node->agg_distinct) {
    return scope.error(sqlstate::kFeatureNotSupported, "DISTINCT is not implemented for window functions", d.location);
  }
  if (d.node->n_agg_order > 0) {
    return scope.error(sqlstate::kFeatureNotSupported, "aggregate ORDER BY is not implemented for window functions",
                       d.location);
  }
  if (!aggregate && d.filter) {
    return scope.error(sqlstate::kFeatureNotSupported, "FILTER is not implemented for non-aggregate window functions",
                       d.location);
  }
  Levels inner;
  for (const ExprPtr& e : arguments) measure(e, inner);
  if (d.filter) measure(d.filter, inner);
  if (inner.window_location >= 0) {
    return scope.error(sqlstate::kWindowingError, "window function calls cannot be nested", inner.window_location);
  }
  if (inner.set_location >= 0) {
    return scope
        .error(sqlstate::kFeatureNotSupported, "window function calls cannot contain set-returning function calls",
               inner.set_location)
        .with_hint("You might be able to move the set-returning function into a LATERAL FROM item.");
  }
  INDIGO_TRY(check_window_allowed(scope, d.location));
  auto e = std::make_shared<WindowCallExpr>();
  e->function = function.oid;
  e->aggregate = aggregate;
  e->star = d.node->agg_star;
  e->type = result;
  e->location = d.location;
  INDIGO_ASSIGN(e->collation, input_collation(scope.a, arguments));
  if (e->type.collation != kInvalidOid && e->collation != kInvalidOid) e->type.collation = e->collation;
  e->arguments = std::move(arguments);
  e->filter = d.filter;
  INDIGO_ASSIGN(e->window, find_window(scope, *d.node->over));
  scope.query->has_windows = true;
  return ExprPtr(e);
}

}  // namespace indigo::sql
