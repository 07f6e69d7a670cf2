// min and max of one table without grouping, read from the end of an index or of the table's key: for each aggregate one row,
// the first in its order that is not null.
#include "sql/analyze/make.h"
#include "sql/plan/condition/equivalence.h"
#include "sql/plan/finish/finish.h"
#include "sql/plan/finish/ordering.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/resolve.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

// The btree strategy of the aggregate's order: 1 for min, 5 for max, 0 for anything else.
int order_of(Level& level, const AggregateExpr& a) {
  if (a.star || a.arguments.size() != 1 || a.filter || !a.order.empty() || !a.direct.empty()) return 0;
  const auto* info = level.s.catalog().aggregate(a.function);
  return info && info->sort_operator != kInvalidOid ? level.s.catalog().btree_strategy(info->sort_operator) : 0;
}

// The cheapest way to the first row in that order.
const Path* first_row_path(Level& level, const ExprPtr& argument, bool descending) {
  const int id = sort_id(level, argument);
  const Path* best = nullptr;
  for (const Path* p : level.final_rel->paths) {
    const bool ordered = !p->keys.empty() && p->keys[0].id == id && p->keys[0].descending == descending;
    if (!p->outer.empty() || !ordered) continue;
    if (!best || p->total < best->total) best = p;
  }
  return best;
}

Result<Built> first_value(Level& level, const ExprPtr& e, const Path& path) {
  const auto& a = as<AggregateExpr>(*e);
  VarSet needed;
  needed.add_vars(a.arguments[0]);
  INDIGO_ASSIGN(Stage stage, stage_of_path(level, path, needed));
  Built input = stage.built;
  if (!is_never_null(level, a.arguments[0])) {
    INDIGO_ASSIGN(input.plan, filtered(level, input, {make_null_test(a.arguments[0], false)}, input.plan->rows));
  }
  auto limit = make_above<LimitPlan>(input.plan);
  limit->limit = make_const({oid::kInt8, -1, kInvalidOid}, Datum::of(int64_t{1}));
  limit->total_cost = cost_of(*input.plan, 1);
  limit->rows = 1;
  Resolver resolve(input.layout);
  auto aggregate = std::make_shared<AggregateExpr>(a);
  INDIGO_ASSIGN(aggregate->arguments, resolve.list(a.arguments));
  auto plan = make_plan<SortedAggregatePlan>({limit});
  plan->aggregates.push_back(std::move(aggregate));
  plan->columns.push_back({"", e->type});
  plan->rows = 1;
  plan->startup_cost = plan->total_cost = limit->total_cost + kRowCost;
  Built out;
  out.plan = plan;
  out.layout.outputs.push_back(e);
  return out;
}

}  // namespace

Result<bool> first_rows_stage(Level& level, const ExprList& aggregates, Stage& out) {
  const Query& q = level.work;
  if (!q.group_by.empty() || !q.grouping_sets.empty() || aggregates.empty() || aggregates.size() > 8) return false;
  if (!level.final_rel || level.rels.size() != 1 || level.entry(level.rels[0].entry).kind != EntryKind::kTable)
    return false;
  std::vector<const Path*> paths;
  for (const ExprPtr& e : aggregates) {
    const auto& a = as<AggregateExpr>(*e);
    const int strategy = order_of(level, a);
    if (strategy == 0 || contains_volatile(*a.arguments[0])) return false;
    paths.push_back(first_row_path(level, a.arguments[0], strategy == 5));
    if (!paths.back()) return false;
  }
  for (size_t i = 0; i < aggregates.size(); i++) {
    INDIGO_ASSIGN(Built one, first_value(level, aggregates[i], *paths[i]));
    if (i == 0) {
      out.built = std::move(one);
      continue;
    }
    auto join = make_plan<NestedLoopPlan>({out.built.plan, one.plan});
    join->columns = out.built.plan->columns;
    join->columns.push_back(one.plan->columns[0]);
    join->rows = 1;
    join->startup_cost = out.built.plan->startup_cost + one.plan->startup_cost;
    join->total_cost = out.built.plan->total_cost + one.plan->total_cost;
    out.built.plan = join;
    out.built.layout.outputs.push_back(aggregates[i]);
  }
  return true;
}

}  // namespace indigo::sql::planning
