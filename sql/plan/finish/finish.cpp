#include "sql/plan/finish/finish.h"

#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/equivalence.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/finish/ordering.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/resolve.h"
#include "sql/plan/rewrite/fold.h"
#include "sql/plan/rewrite/hashed_exists.h"
#include "sql/plan/rewrite/run_condition.h"
#include "sql/query_walk.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

bool is_column(const ExprPtr& e) { return e->kind == ExprKind::kColumn; }

// A scan that outputs other columns, or the same in another order. Only when no filter refers to them.
PlanPtr reordered_scan(const PlanPtr& plan, const ExprList& columns) {
  const auto apply = [&](auto& node) -> bool {
    if (node.filter) return false;
    std::vector<int> scan_columns;
    std::vector<PlanColumn> described;
    for (const ExprPtr& e : columns) {
      const auto at = static_cast<size_t>(as<ColumnExpr>(*e).column);
      if (std::find(scan_columns.begin(), scan_columns.end(), node.scan_columns[at]) != scan_columns.end())
        return false;
      scan_columns.push_back(node.scan_columns[at]);
      described.push_back(node.columns[at]);
    }
    node.scan_columns = std::move(scan_columns);
    node.columns = std::move(described);
    return true;
  };
  if (plan->kind == PlanKind::kTableScan) {
    auto copy = std::make_shared<TableScanPlan>(static_cast<const TableScanPlan&>(*plan));
    if (apply(*copy)) return copy;
  } else if (plan->kind == PlanKind::kIndexScan) {
    auto copy = std::make_shared<IndexScanPlan>(static_cast<const IndexScanPlan&>(*plan));
    if (apply(*copy)) return copy;
  }
  return nullptr;
}

// Nested set-returning calls are computed by one ProjectSet below the other: those inside first.
int set_depth(const ExprPtr& e) {
  int below = 0;
  for_each_child(*e, [&](const ExprPtr& c) { below = std::max(below, set_depth(c)); });
  const auto* c = try_as<CallExpr>(e);
  return below + (c && c->returns_set ? 1 : 0);
}

// The outermost set-returning calls of nesting depth `depth` exactly.
void calls_at_depth(const ExprPtr& e, int depth, ExprList& out) {
  const auto* c = try_as<CallExpr>(e);
  if (c && c->returns_set && set_depth(e) == depth) {
    if (std::none_of(out.begin(), out.end(), [&](const ExprPtr& o) { return o == e; })) out.push_back(e);
    return;
  }
  for_each_child(*e, [&](const ExprPtr& child) { calls_at_depth(child, depth, out); });
}

Status project_sets(Stage& stage, const ExprList& all) {
  int deepest = 0;
  ExprList expressions;
  for (const ExprPtr& e : all) {
    const ExprList& known = stage.built.layout.outputs;
    if (std::none_of(known.begin(), known.end(), [&](const ExprPtr& o) { return equal(o, e); }))
      expressions.push_back(e);
  }
  for (const ExprPtr& e : expressions) deepest = std::max(deepest, set_depth(e));
  for (int depth = 1; depth <= deepest; depth++) {
    ExprList calls;
    for (const ExprPtr& e : expressions) calls_at_depth(e, depth, calls);
    std::erase_if(calls, [&](const ExprPtr& call) {  // GROUP BY has it
      const ExprList& known = stage.built.layout.outputs;
      return std::any_of(known.begin(), known.end(), [&](const ExprPtr& o) { return equal(o, call); });
    });
    if (calls.empty()) continue;
    Resolver resolve(stage.built.layout);
    auto plan = make_plan<ProjectSetPlan>({stage.built.plan});
    Layout layout = stage.built.layout;
    plan->columns = stage.built.plan->columns;
    for (size_t i = 0; i < layout.outputs.size(); i++) {
      plan->projection.push_back(make_column(0, static_cast<int>(i), layout.outputs[i]->type));
    }
    for (const ExprPtr& call : calls) {
      INDIGO_ASSIGN(ExprPtr resolved, resolve(call));
      plan->projection.push_back(std::move(resolved));
      plan->columns.push_back({"", call->type});
      layout.outputs.push_back(call);
    }
    plan->startup_cost = stage.built.plan->startup_cost;
    plan->rows = stage.built.plan->rows * 10;
    plan->total_cost = stage.built.plan->total_cost + plan->rows * kRowCost;
    stage.built = {plan, std::move(layout)};
  }
  return {};
}

// What must be known of rows before they are sorted: keys that must not be computed twice, or not before.
bool must_project_first(const Level& level) {
  return std::any_of(level.work.order_by.begin(), level.work.order_by.end(),
                     [](const SortKey& k) { return contains_volatile(*k.expr) || has_set_function(k.expr); });
}

// With ORDER BY, set-returning functions that neither it nor DISTINCT ON names run for the rows that DISTINCT ON leaves.
bool sets_come_last(const Level& level) {
  const Query& q = level.work;
  return !q.distinct_on.empty() && !q.order_by.empty() && !q.with_ties && !must_project_first(level) &&
         std::none_of(q.distinct_on.begin(), q.distinct_on.end(), has_set_function);
}

double known_count(const Level& level, const ExprPtr& e, double otherwise) {
  const Datum* d = nullptr;
  if (const auto* c = try_as<ConstExpr>(e)) d = &c->value.get();
  if (const auto* p = try_as<ParamExpr>(e); p && static_cast<size_t>(p->index) < level.s.sample_parameters.size())
    d = &level.s.sample_parameters[static_cast<size_t>(p->index)];
  if (!d || d->null || d->phys != Phys::kI64) return otherwise;
  return std::max(0.0, static_cast<double>(d->i64));
}

Status add_limit(Level& level, Stage& stage) {
  const ExprPtr limit = is_null_const(level.work.limit) ? nullptr : level.work.limit;
  const ExprPtr offset = is_null_const(level.work.offset) ? nullptr : level.work.offset;
  if (!limit && !offset) return {};
  auto plan = make_above<LimitPlan>(stage.built.plan);
  plan->limit = limit;
  plan->offset = offset;
  if (level.work.with_ties && limit) {
    plan->with_ties = true;
    Resolver resolve(stage.built.layout);
    INDIGO_ASSIGN(plan->ties, resolve.keys(level.work.order_by));
  }
  const Plan& input = *stage.built.plan;
  const double skipped = offset ? known_count(level, offset, input.rows / 10) : 0;
  const double wanted = limit ? known_count(level, limit, input.rows / 10) : input.rows;
  plan->startup_cost = cost_of(input, std::min(skipped, input.rows));
  if (skipped == 0) plan->startup_cost = input.startup_cost;
  plan->total_cost = cost_of(input, std::max(1.0, std::min(input.rows, skipped + wanted)));
  plan->rows = std::max(1.0, std::min(wanted, input.rows - skipped));
  stage.built.plan = plan;
  return {};
}

// Expressions of the targets, visible ones only or all.
void targets_of(const Level& level, bool hidden, ExprList& expressions, std::vector<std::string>& names) {
  for (const TargetEntry& t : level.work.targets) {
    if (t.hidden && !hidden) continue;
    expressions.push_back(t.expr);
    names.push_back(t.name);
  }
}

bool is_grouped(const Query& q) {
  return q.has_aggregates || !q.group_by.empty() || !q.grouping_sets.empty() || q.having;
}

// Everything above grouping.
Status finish_grouped(Level& level, Stage& stage) {
  Query& q = level.work;
  if (q.has_windows) {
    INDIGO_TRY(add_windows(level, stage));
  }
  ExprList all, visible;
  std::vector<std::string> all_names, visible_names;
  targets_of(level, true, all, all_names);
  targets_of(level, false, visible, visible_names);
  const bool distinct = q.distinct || !q.distinct_on.empty();
  const bool sets = std::any_of(visible.begin(), visible.end(), has_set_function);
  if (sets && sets_come_last(level)) {
    INDIGO_TRY(add_distinct(level, stage));
    INDIGO_TRY(add_sort(level, stage, q.order_by, false));
    INDIGO_TRY(add_projection(level, stage, visible, visible_names));
    return add_limit(level, stage);
  }
  if (distinct || q.with_ties || must_project_first(level)) {
    // The row locks' columns must survive; with DISTINCT there are none.
    ExprList wide = all;
    if (!q.row_locks.empty()) {
      for (const ExprPtr& e : stage.built.layout.outputs) {
        if (std::none_of(wide.begin(), wide.end(), [&](const ExprPtr& o) { return equal(o, e); })) wide.push_back(e);
      }
      all_names.resize(wide.size());
    }
    INDIGO_TRY(add_projection(level, stage, wide, all_names));
    if (distinct) {
      INDIGO_TRY(add_distinct(level, stage));
    }
    if (!q.order_by.empty()) {
      INDIGO_TRY(add_sort(level, stage, q.order_by, q.row_locks.empty() && !q.with_ties));
    }
    INDIGO_TRY(add_row_locks(level, stage));
    INDIGO_TRY(add_limit(level, stage));
    return add_projection(level, stage, visible, visible_names);
  }
  if (!q.order_by.empty()) {
    INDIGO_TRY(add_sort(level, stage, q.order_by, q.row_locks.empty() && !sets));
  }
  INDIGO_TRY(add_row_locks(level, stage));
  INDIGO_TRY(add_projection(level, stage, visible, visible_names));
  return add_limit(level, stage);
}

Status finish(Level& level, Stage& stage) {
  if (is_grouped(level.work)) {
    const ExprList& keys = level.work.group_by;
    if (std::any_of(keys.begin(), keys.end(), has_set_function)) INDIGO_TRY(project_sets(stage, keys));
    INDIGO_TRY(add_grouping(level, stage));
  }
  return finish_grouped(level, stage);
}

}  // namespace

bool has_set_function(const ExprPtr& e) { return set_depth(e) > 0; }

double cost_of(const Plan& plan, double rows_wanted) {
  if (rows_wanted <= 0 || rows_wanted >= plan.rows || plan.rows <= 0) return plan.total_cost;
  return plan.startup_cost + (plan.total_cost - plan.startup_cost) * rows_wanted / plan.rows;
}

double limit_rows(const Level& level) {
  const ExprPtr &limit = level.work.limit, &offset = level.work.offset;
  if (!limit || is_null_const(limit)) return 0;
  const double n = known_count(level, limit, -1);
  if (n < 0) return 0;
  return std::max(1.0, n + (offset ? known_count(level, offset, 0) : 0));
}

Status add_projection(Level& level, Stage& stage, const ExprList& expressions, const std::vector<std::string>& names) {
  if (std::any_of(expressions.begin(), expressions.end(), has_set_function)) {
    INDIGO_TRY(project_sets(stage, expressions));
  }
  Resolver resolve(stage.built.layout);
  ExprList chosen = expressions;
  for (ExprPtr& e : chosen) e = with_hashed_exists(level, e, stage.built.plan->rows, stage.built.layout.outputs);
  INDIGO_ASSIGN(ExprList resolved, resolve.list(chosen));
  const Plan& input = *stage.built.plan;
  bool same = resolved.size() == input.columns.size();
  bool columns_only = true;
  for (size_t i = 0; i < resolved.size(); i++) {
    columns_only = columns_only && is_column(resolved[i]);
    same = same && is_column(resolved[i]) && as<ColumnExpr>(*resolved[i]).column == static_cast<int>(i);
  }
  std::vector<PlanColumn> columns;
  for (size_t i = 0; i < expressions.size(); i++) columns.push_back({names[i], expressions[i]->type});
  if (!same) {
    PlanPtr plan = columns_only && !expressions.empty() ? reordered_scan(stage.built.plan, resolved) : nullptr;
    if (!plan && input.kind == PlanKind::kResult && input.inputs.empty() &&
        static_cast<const ResultPlan&>(input).projection.empty() && input.columns.empty()) {
      auto copy = std::make_shared<ResultPlan>(static_cast<const ResultPlan&>(input));
      copy->projection = resolved;
      copy->columns = columns;
      plan = copy;
    }
    double cost = 0;
    int width = 0;
    for (const ExprPtr& e : expressions) {
      cost += expression_cost(level, e);
      width += average_width(level, e);
    }
    if (!plan) {
      plan = projected(stage.built.plan, std::move(resolved), std::move(columns));
      const_cast<Plan&>(*plan).total_cost += input.rows * cost;
    }
    const_cast<Plan&>(*plan).width = width;
    stage.built.plan = std::move(plan);
  }
  stage.built.layout.outputs = expressions;
  return {};
}  // namespace indigo::sql::planning

namespace {

// The input is in the order of the first `have` keys: groups of rows that are equal in these are sorted one after the other.
void sort_groups(Level& level, SortPlan& plan, const Plan& input, const std::vector<SortKey>& keys, size_t have,
                 double limit) {
  bool plain;
  size_t n = keys.size();  // as written, keys may be constant or come twice
  while (n > 0 && path_keys(level, {keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n)}, plain).size() > have)
    n--;
  ExprList groups;
  for (size_t i = 0; i < n; i++) groups.push_back(keys[i].expr);
  plan.presorted = static_cast<int>(n);
  const double count = group_count(level, groups, input.rows);
  const double rows = std::max(1.0, input.rows / count);
  plan.startup_cost = input.startup_cost + (input.total_cost - input.startup_cost) / count + sort_cost(rows, limit);
  plan.total_cost = input.total_cost + count * sort_cost(rows, limit) + input.rows * kOperatorCost;
}

}  // namespace

Status add_sort(Level& level, Stage& stage, const std::vector<SortKey>& keys, bool top_n) {
  bool plain;
  const std::vector<PathKey> wanted = path_keys(level, keys, plain);
  if (wanted.empty()) return {};
  const size_t have = plain ? common_prefix(stage.order, wanted) : 0;
  if (have == wanted.size()) return {};
  const Plan& input = *stage.built.plan;
  auto plan = make_above<SortPlan>(stage.built.plan);
  Resolver resolve(stage.built.layout);
  INDIGO_ASSIGN(plan->keys, resolve.keys(keys));
  double limit = 0;
  if (top_n && level.work.limit && !is_null_const(level.work.limit)) {
    plan->limit = level.work.limit;
    plan->offset = level.work.offset && !is_null_const(level.work.offset) ? level.work.offset : nullptr;
    limit = limit_rows(level);
  }
  plan->startup_cost = input.total_cost + sort_cost(input.rows, limit);
  plan->total_cost = plan->startup_cost + input.rows * kOperatorCost;
  if (have > 0 && enabled(level.s, kEnableIncrementalSort)) sort_groups(level, *plan, input, keys, have, limit);
  if (!enabled(level.s, kEnableSort)) plan->total_cost += kDisabledCost;
  stage.built.plan = plan;
  stage.order = wanted;
  return {};
}

Stage stage_without_from(Level& level) {
  auto plan = std::make_shared<ResultPlan>();
  if (!level.constant_conditions.empty()) plan->condition = make_and(level.constant_conditions);
  plan->rows = 1;
  plan->total_cost = kRowCost;
  Stage out;
  out.built.plan = plan;
  return out;
}

Result<Stage> stage_of_path(Level& level, const Path& path, const VarSet& needed) {
  Stage out;
  INDIGO_ASSIGN(out.built, build_path(level, path, needed));
  out.order = path.keys;
  if (level.constant_conditions.empty()) return out;
  const ExprPtr condition = make_and(level.constant_conditions);
  const bool never = std::any_of(level.constant_conditions.begin(), level.constant_conditions.end(), is_false_or_null);
  if (never) {
    // No row, whatever the tables hold.
    auto plan = std::make_shared<ResultPlan>();
    plan->condition = make_bool(false);
    plan->columns = out.built.plan->columns;
    for (const PlanColumn& c : plan->columns) plan->projection.push_back(make_null(level.s.catalog(), c.type));
    plan->rows = 1;
    plan->total_cost = kRowCost;
    out.built.plan = plan;
    return out;
  }
  auto plan = make_above<ResultPlan>(out.built.plan);
  plan->condition = condition;
  out.built.plan = plan;
  return out;
}

VarSet needed_vars(Level& level) {
  VarSet out;
  for_each_own_expression(level.work, [&](ExprPtr& e) { out.add_vars(e); });
  need_row_locks(level, out);
  return out;
}

Result<PlanPtr> finish_select(Level& level) {
  if (level.work.set_operation) {
    INDIGO_ASSIGN(Stage stage, plan_set_operation(level));
    INDIGO_TRY(finish(level, stage));
    return stage.built.plan;
  }
  const VarSet needed = needed_vars(level);
  if (!level.final_rel) {
    Stage stage = stage_without_from(level);
    INDIGO_TRY(finish(level, stage));
    return stage.built.plan;
  }
  PlanPtr best;
  double best_cost = 0;
  size_t best_at = 0;
  const std::vector<Path*>& paths = level.final_rel->paths;
  const auto try_path = [&](size_t at) -> Status {
    INDIGO_ASSIGN(Stage stage, stage_of_path(level, *paths[at], needed));
    INDIGO_TRY(finish(level, stage));
    const double cost = cost_of(*stage.built.plan, level.tuple_fraction);
    if (!best || cost < best_cost || (cost == best_cost && at < best_at)) {
      best = stage.built.plan;
      best_cost = cost;
      best_at = at;
    }
    return {};
  };
  // What comes above a path only adds to its cost: the cheapest one, finished, is the measure of what is worth finishing.
  const auto first =
      static_cast<size_t>(std::find(paths.begin(), paths.end(), level.final_rel->cheapest) - paths.begin());
  if (first < paths.size()) INDIGO_TRY(try_path(first));
  const bool all_rows = level.tuple_fraction == 0 && !level.work.limit && run_conditions(level).empty();
  for (size_t at = 0; at < paths.size(); at++) {
    const Path& p = *paths[at];
    if (at == first || !p.outer.empty()) continue;
    if (best && (all_rows ? p.total : p.startup) > best_cost) continue;
    INDIGO_TRY(try_path(at));
  }
  if (level.work.has_aggregates) {
    Stage stage;
    INDIGO_ASSIGN(const bool possible, first_rows_stage(level, query_aggregates(level.work), stage));
    if (possible) {
      INDIGO_TRY(add_having(level, stage, 1));
      INDIGO_TRY(finish_grouped(level, stage));
      if (!best || stage.built.plan->total_cost < best_cost) best = stage.built.plan;
    }
  }
  return best;
}

}  // namespace indigo::sql::planning
