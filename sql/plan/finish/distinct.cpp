// DISTINCT and DISTINCT ON, over projected rows.
#include <algorithm>

#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/finish/finish.h"
#include "sql/plan/finish/ordering.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/resolve.h"

namespace indigo::sql::planning {

Status add_distinct(Level& level, Stage& stage) {
  Query& q = level.work;
  ExprList keys = q.distinct_on;
  if (keys.empty()) {
    for (const TargetEntry& t : q.targets) {
      if (!t.hidden) keys.push_back(t.expr);
    }
  }
  bool sorted = groups_together(level, stage.order, keys);
  if (q.distinct_on.empty() && q.order_by.empty() && !sorted && grouped_by_order(level, keys)) {
    INDIGO_TRY(add_sort(level, stage, ascending(level, keys), false));
    sorted = true;
  }
  if (!q.distinct_on.empty()) {
    // The first row of each group in ORDER BY's order, which begins with the group's expressions. Without ORDER BY the
    // groups come sorted as well: PostgreSQL has no other way, and programs rely on it.
    const std::vector<SortKey> order = q.order_by.empty() ? ascending(level, keys) : q.order_by;
    if (std::all_of(order.begin(), order.end(), [](const SortKey& k) { return k.less != kInvalidOid; })) {
      INDIGO_TRY(add_sort(level, stage, order, false));
      sorted = true;
    }
  }
  const Plan& input = *stage.built.plan;
  auto plan = make_above<DistinctPlan>(stage.built.plan);
  Resolver resolve(stage.built.layout);
  INDIGO_ASSIGN(plan->on, resolve.list(keys));
  plan->sorted = sorted;
  plan->rows = group_count(level, keys, input.rows);
  plan->total_cost = input.total_cost + input.rows * (sorted ? kOperatorCost : kHashRowCost);
  // Hashing passes each first row on at once, in the input's order.
  stage.built.plan = plan;
  return {};
}

}  // namespace indigo::sql::planning
