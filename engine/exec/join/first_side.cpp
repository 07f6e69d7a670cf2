#include "engine/exec/join/first_side.h"

#include <algorithm>

namespace indigo::engine::exec {
namespace {

using sql::JoinType;
using sql::PlanKind;

// What it costs to compute them, for whoever reads them first, is not in the costs of their scans.
double cost_of_common_tables(const sql::Plan& plan, const sql::PlannedStatement& statement) {
  double cost = 0;
  if (plan.kind == PlanKind::kCteScan) {
    const int cte = static_cast<const sql::CteScanPlan&>(plan).cte;
    cost = statement.ctes[static_cast<size_t>(cte)].plan->total_cost;
  }
  for (const sql::PlanPtr& input : plan.inputs) cost += cost_of_common_tables(*input, statement);
  return cost;
}

bool may_end(JoinType type) { return type == JoinType::kInner || type == JoinType::kSemi; }

// What is paid until a plan that has no rows says so: joins end at their side that is empty, and what stands above them with it.
double known_empty_after(const sql::Plan& plan) {
  const auto of_input = [&](size_t i) { return known_empty_after(*plan.inputs[i]); };
  switch (plan.kind) {
    case PlanKind::kHashJoin:
      if (!may_end(static_cast<const sql::HashJoinPlan&>(plan).type)) break;
      return std::min(of_input(0), of_input(1));
    case PlanKind::kHashAggregate:
      if (static_cast<const sql::HashAggregatePlan&>(plan).groups.empty()) break;
      return of_input(0);
    case PlanKind::kNestedLoop:
    case PlanKind::kSort:
    case PlanKind::kFilter:
    case PlanKind::kProject: return of_input(0);
    default: break;
  }
  return plan.total_cost;
}

}  // namespace

// To look for a first left row may mean to read all of that side; when the right one is so much cheaper, and may turn out to be
// empty, or is cheaper than what the first left row takes, it is read first; and so when a part of it that may be empty is that
// much cheaper, for without that part nothing else of it is read.
bool reads_right_first(const sql::HashJoinPlan& plan, const sql::PlannedStatement& statement) {
  const sql::Plan &left = *plan.inputs[0], &right = *plan.inputs[1];
  const double common = cost_of_common_tables(right, statement), cost = right.total_cost + common;
  if (cost <= left.startup_cost) return true;
  if (!may_end(plan.type)) return false;
  if (cost * 3 < left.total_cost) return true;
  if (right.rows > 1) return false;
  const double first_left = left.startup_cost + (left.total_cost - left.startup_cost) / std::max(1.0, left.rows);
  return (known_empty_after(right) + common) * 3 < first_left;
}

}  // namespace indigo::engine::exec
