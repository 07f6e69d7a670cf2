#include "sql/plan/path/cost.h"

#include <algorithm>
#include <cmath>

#include "sql/plan/condition/distinct_values.h"

namespace indigo::sql::planning {

namespace {

// The part of all rows that asks a subquery with values which have not come before: what it has answered is remembered.
double new_values(const Level& level, const SubPlanExpr& sub) {
  if (sub.passes.empty() || (sub.form != SubLinkExpr::Form::kScalar && sub.form != SubLinkExpr::Form::kExists))
    return 1;
  double values = 1, tuples = 1;
  RelSet counted;
  for (const auto& pass : sub.passes) {
    const VarExpr* v = var_of(pass.from);
    if (v == nullptr || v->levels_up != 0) return 1;
    values *= var_distinct(level, *v);
    const RelSet rel = level.rels_of(pass.from);
    if (!counted.contains(rel)) tuples *= tuples_of(level, *v);
    counted |= rel;
  }
  return std::min(1.0, std::max(0.01, values / tuples));
}

}  // namespace

double expression_cost(const Level& level, const ExprPtr& e) {
  if (!e) return 0;
  double own = 0;
  switch (e->kind) {
    case ExprKind::kVar:
    case ExprKind::kConst:
    case ExprKind::kParam:
    case ExprKind::kRuntimeParam:
    case ExprKind::kColumn: return 0;
    case ExprKind::kArrayCompare: {
      const auto* array = try_as<ArrayExpr>(as<ArrayCompareExpr>(*e).array);
      // Long lists are hashed.
      own = kOperatorCost * (array ? std::min(static_cast<double>(array->elements.size()) / 2, 5.0) : 5);
      break;
    }
    case ExprKind::kSubPlan: {
      const auto& sub = as<SubPlanExpr>(*e);
      const Plan& plan = *level.s.out->subplans[static_cast<size_t>(sub.subplan)];
      if (sub.hashed) {
        own = kOperatorCost * 4;
      } else if (sub.form == SubLinkExpr::Form::kExists) {
        own = plan.startup_cost + (plan.total_cost - plan.startup_cost) / std::max(1.0, plan.rows) + kDescentCost / 2;
      } else {
        own = plan.total_cost + kDescentCost / 2;
      }
      own = own * new_values(level, sub) + kOperatorCost * 2;
      break;
    }
    case ExprKind::kCall:
    case ExprKind::kDistinct:
    case ExprKind::kIoCast:
    case ExprKind::kRowCast:
    case ExprKind::kArrayCast:
    case ExprKind::kRowCompare: own = kOperatorCost; break;
    default: own = kOperatorCost / 4; break;
  }
  for_each_child(*e, [&](const ExprPtr& c) { own += expression_cost(level, c); });
  return own;
}

double clauses_cost(const Level& level, const std::vector<const Clause*>& clauses) {
  double sum = 0;
  for (const Clause* c : clauses) {
    if (c->cost < 0) c->cost = expression_cost(level, c->expr);
    sum += c->cost;
  }
  return sum;
}

double sort_cost(double rows, double limit_rows) {
  rows = std::max(rows, 2.0);
  const double compared = limit_rows > 0 && limit_rows < rows / 2 ? std::max(2 * limit_rows, 2.0) : rows;
  return 2 * kOperatorCost * rows * std::log2(compared) + rows * kOperatorCost;
}

bool enabled(Statement& s, int bit) {
  static constexpr const char* kNames[] = {
      "enable_nestloop", "enable_hashjoin", "enable_mergejoin", "enable_indexscan",
      "enable_sort",     "enable_hashagg",  "enable_seqscan",   "enable_incremental_sort"};
  if (s.settings < 0) {
    s.settings = 0;
    for (int i = 0; i < 8; i++) {
      std::string value;
      const bool known = s.session.setting(kNames[i], value);
      if (!known || value == "on" || value == "true" || value == "1" || value.empty()) s.settings |= 1 << i;
    }
  }
  return (s.settings >> bit & 1) != 0;
}

}  // namespace indigo::sql::planning
