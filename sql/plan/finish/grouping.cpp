// GROUP BY, aggregates, grouping sets, HAVING: by hashing, or over input that is in group order already.
#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/equivalence.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/finish/finish.h"
#include "sql/plan/finish/ordering.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/resolve.h"

namespace indigo::sql::planning {
namespace {

struct Calls {
  ExprList aggregates, groupings;
};

void add_new(ExprList& list, const ExprPtr& e) {
  if (std::none_of(list.begin(), list.end(), [&](const ExprPtr& o) { return equal(o, e); })) list.push_back(e);
}

void collect(const ExprPtr& e, Calls& out) {
  if (!e) return;
  if (e->kind == ExprKind::kAggregate) {
    // Each volatile one is called for itself.
    if (!contains_volatile(*e)) {
      add_new(out.aggregates, e);
    } else if (std::find(out.aggregates.begin(), out.aggregates.end(), e) == out.aggregates.end()) {
      out.aggregates.push_back(e);
    }
    return;
  }
  if (e->kind == ExprKind::kGrouping) add_new(out.groupings, e);
  for_each_child(*e, [&](const ExprPtr& c) { collect(c, out); });
}

// The aggregates of the target list, HAVING, ORDER BY and windows.
Calls collect_calls(const Query& q) {
  Calls out;
  for (const TargetEntry& t : q.targets) collect(t.expr, out);
  collect(q.having, out);
  for (const SortKey& k : q.order_by) collect(k.expr, out);
  for (const ExprPtr& e : q.distinct_on) collect(e, out);
  for (const Window& w : q.windows) {
    for (const ExprPtr& e : w.partition) collect(e, out);
    for (const SortKey& k : w.order) collect(k.expr, out);
    collect(w.start.offset, out);
    collect(w.end.offset, out);
  }
  return out;
}

using Aggregate = std::shared_ptr<const AggregateExpr>;

// Aggregates over the columns of their input. Of several grouping sets each reads the rows: what volatile functions give is then
// computed below them, once a row, a column for each place that it stands at.
class AggregateInput {
 public:
  AggregateInput(catalog::CatalogView& catalog, const Layout& layout, bool computes_volatile)
      : catalog_(catalog), resolve_(layout), computes_volatile_(computes_volatile) {
    for (size_t i = 0; i < layout.outputs.size(); i++)
      projection_.push_back(make_column(0, static_cast<int>(i), layout.outputs[i]->type));
    input_columns_ = projection_.size();
  }

  Result<Aggregate> resolved(const AggregateExpr& a) {
    auto out = std::make_shared<AggregateExpr>(a);
    INDIGO_ASSIGN(out->direct, resolve_.list(a.direct));
    INDIGO_ASSIGN(const ExprPtr filter, resolve_(a.filter));
    out->filter = filter;
    if (is_computed(a.filter)) out->filter = compute(filter);
    for (ExprPtr& argument : out->arguments) INDIGO_TRY(place(argument, filter));
    for (SortKey& key : out->order) {
      const auto at = std::find_if(a.arguments.begin(), a.arguments.end(),
                                   [&](const ExprPtr& argument) { return equal(argument, key.expr); });
      if (at != a.arguments.end()) {
        key.expr = out->arguments[static_cast<size_t>(at - a.arguments.begin())];
      } else {
        INDIGO_TRY(place(key.expr, filter));
      }
    }
    return Aggregate(std::move(out));
  }

  // The input with the columns that are computed.
  PlanPtr plan(const PlanPtr& input) {
    if (projection_.size() == input_columns_) return input;
    std::vector<PlanColumn> columns = input->columns;
    for (size_t i = input_columns_; i < projection_.size(); i++) columns.push_back({"", projection_[i]->type});
    return projected(input, std::move(projection_), std::move(columns));
  }

 private:
  bool is_computed(const ExprPtr& e) const { return computes_volatile_ && e && contains_volatile(*e); }

  // Only of rows that pass the filter, unless that is volatile itself.
  Status place(ExprPtr& e, const ExprPtr& filter) {
    const bool computed = is_computed(e);
    INDIGO_ASSIGN(e, resolve_(e));
    if (!computed) return {};
    if (filter && !contains_volatile(*filter)) {
      auto guarded = std::make_shared<CaseExpr>();
      guarded->type = e->type;
      guarded->whens.push_back({filter, e});
      guarded->otherwise = make_null(catalog_, e->type);
      e = std::move(guarded);
    }
    e = compute(std::move(e));
    return {};
  }

  ExprPtr compute(ExprPtr e) {
    const TypeRef type = e->type;
    projection_.push_back(std::move(e));
    return make_column(0, static_cast<int>(projection_.size() - 1), type);
  }

  catalog::CatalogView& catalog_;
  Resolver resolve_;
  const bool computes_volatile_;
  ExprList projection_;
  size_t input_columns_;
};

}  // namespace

Status add_grouping(Level& level, Stage& stage) {
  Query& q = level.work;
  const Calls calls = collect_calls(q);
  Resolver resolve(stage.built.layout);
  AggregateInput below(level.s.catalog(), stage.built.layout, q.grouping_sets.size() > 1);
  AggregatePlan parts;
  INDIGO_ASSIGN(parts.groups, resolve.list(q.group_by));
  double cost = 0;
  for (const ExprPtr& e : calls.aggregates) {
    const auto& a = as<AggregateExpr>(*e);
    INDIGO_ASSIGN(Aggregate aggregate, below.resolved(a));
    parts.aggregates.push_back(std::move(aggregate));
    cost += kOperatorCost;
    for (const ExprPtr& argument : a.arguments) cost += expression_cost(level, argument);
    if (!a.order.empty() || a.distinct) cost += kOperatorCost * 10;
  }
  stage.built.plan = below.plan(stage.built.plan);
  if (q.grouping_sets.empty() && !q.group_by.empty() && !groups_together(level, stage.order, q.group_by) &&
      grouped_by_order(level, q.group_by))
    INDIGO_TRY(add_sort(level, stage, ascending(level, q.group_by), false));
  const Plan& input = *stage.built.plan;
  std::shared_ptr<Plan> plan;
  Layout layout;
  layout.outputs = q.group_by;
  layout.outputs.insert(layout.outputs.end(), calls.aggregates.begin(), calls.aggregates.end());
  const double groups = q.group_by.empty() ? 1 : group_count(level, q.group_by, input.rows);
  if (!q.grouping_sets.empty()) {
    auto node = std::make_shared<GroupingSetsPlan>();
    static_cast<AggregatePlan&>(*node) = std::move(parts);
    node->sets = q.grouping_sets;
    for (const ExprPtr& e : calls.groupings) node->groupings.push_back(as<GroupingExpr>(*e).group_columns);
    layout.outputs.insert(layout.outputs.end(), calls.groupings.begin(), calls.groupings.end());
    const auto sets = static_cast<double>(node->sets.size());
    node->startup_cost = node->total_cost = input.total_cost + sets * input.rows * (cost + kHashRowCost);
    node->rows = sets * groups;
    stage.order.clear();
    plan = std::move(node);
  } else if (q.group_by.empty() || groups_together(level, stage.order, q.group_by)) {
    auto node = std::make_shared<SortedAggregatePlan>();
    static_cast<AggregatePlan&>(*node) = std::move(parts);
    node->total_cost = input.total_cost + input.rows * (cost + kOperatorCost * static_cast<double>(q.group_by.size()));
    node->startup_cost = q.group_by.empty() ? node->total_cost : input.startup_cost;
    node->rows = groups;
    // The groups come in the input's order, as far as that is of grouping expressions.
    const auto grouped = [&](const PathKey& k) {
      return std::any_of(q.group_by.begin(), q.group_by.end(),
                         [&](const ExprPtr& e) { return sort_id(level, e) == k.id; });
    };
    stage.order.erase(std::find_if_not(stage.order.begin(), stage.order.end(), grouped), stage.order.end());
    plan = std::move(node);
  } else {
    auto node = std::make_shared<HashAggregatePlan>();
    static_cast<AggregatePlan&>(*node) = std::move(parts);
    node->startup_cost = input.total_cost + input.rows * (cost + kHashRowCost);
    node->total_cost = node->startup_cost + groups * kRowCost;
    node->rows = groups;
    if (!enabled(level.s, kEnableHashAgg)) node->total_cost += kDisabledCost;
    stage.order.clear();
    plan = std::move(node);
  }
  plan->inputs = {stage.built.plan};
  for (const ExprPtr& e : layout.outputs) plan->columns.push_back({"", e->type});
  stage.built = {plan, std::move(layout)};
  return add_having(level, stage, groups);
}

namespace {

bool must_follow_grouping(const ExprPtr& e) {
  switch (e->kind) {
    case ExprKind::kAggregate:
    case ExprKind::kGrouping:
    case ExprKind::kSubLink: return true;
    case ExprKind::kCall:
      if (as<CallExpr>(*e).volatility == types::Volatility::kVolatile) return true;
      break;
    default: break;
  }
  bool found = false;
  for_each_child(*e, [&](const ExprPtr& c) { found = found || must_follow_grouping(c); });
  return found;
}

}  // namespace

void move_having(Level& level) {
  Query& q = level.work;
  if (!q.having || !q.grouping_sets.empty()) return;
  if (q.group_by.empty()) {
    if (q.has_aggregates) return;
    // One group whatever FROM has: its rows are not looked at.
    level.from->children.clear();
    level.from->conditions.clear();
    flatten_and(q.having, level.from->conditions);
    q.having = nullptr;
    return;
  }
  ExprList all, kept;
  flatten_and(q.having, all);
  for (const ExprPtr& e : all) (must_follow_grouping(e) ? kept : level.from->conditions).push_back(e);
  q.having = kept.empty() ? nullptr : make_and(std::move(kept));
}

ExprList query_aggregates(const Query& q) { return collect_calls(q).aggregates; }

Status add_having(Level& level, Stage& stage, double groups) {
  if (!level.work.having) return {};
  ExprList conditions;
  flatten_and(level.work.having, conditions);
  double passing = 1;
  for (const ExprPtr& e : conditions) passing *= selectivity(level, e);
  INDIGO_ASSIGN(stage.built.plan, filtered(level, stage.built, conditions, std::max(1.0, groups * passing)));
  return {};
}

}  // namespace indigo::sql::planning
