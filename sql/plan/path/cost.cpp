#include "sql/plan/path/cost.h"

#include <algorithm>
#include <cmath>

namespace indigo::sql::planning {

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
      break;
    }
    case ExprKind::kCall:
    case ExprKind::kDistinct:
    case ExprKind::kIoCast:
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
