// Window functions: one Window node for each window, over input sorted by its partition and order. Windows with the longest
// keys come first, so that others can share their sort.
#include <algorithm>

#include "sql/plan/finish/finish.h"
#include "sql/plan/finish/ordering.h"
#include "sql/plan/interrupt.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/resolve.h"
#include "sql/plan/rewrite/run_condition.h"

namespace indigo::sql::planning {
namespace {

void collect(const ExprPtr& e, ExprList& out) {
  if (!e) return;
  if (e->kind == ExprKind::kWindowCall) {
    if (std::none_of(out.begin(), out.end(), [&](const ExprPtr& o) { return equal(o, e); })) out.push_back(e);
    return;
  }
  for_each_child(*e, [&](const ExprPtr& c) { collect(c, out); });
}

struct Keyed {
  size_t window;
  std::vector<SortKey> keys;  // partition, then order
  std::vector<PathKey> path;  // the same as orders are compared
};

// Only the first rows of the sort are wanted.
void limit_sort(Stage& stage, const PlanPtr& input, const ExprPtr& rows) {
  if (!rows || stage.built.plan == input || stage.built.plan->kind != PlanKind::kSort) return;
  auto sort = std::make_shared<SortPlan>(static_cast<const SortPlan&>(*stage.built.plan));
  if (sort->presorted > 0) return;
  const auto wanted = static_cast<double>(as<ConstExpr>(*rows).value.get().i64);
  sort->limit = rows;
  sort->rows = std::min(sort->rows, std::max(1.0, wanted));
  sort->startup_cost = input->total_cost + sort_cost(input->rows, wanted);
  sort->total_cost = sort->startup_cost + sort->rows * kOperatorCost;
  stage.built.plan = std::move(sort);
}

Status add_window(Level& level, Stage& stage, const Keyed& keyed, const ExprList& calls) {
  const PlanPtr input = stage.built.plan;
  INDIGO_TRY(add_sort(level, stage, keyed.keys, false));
  const ExprList stops = run_conditions(level);
  const RowsWanted wanted = rows_wanted(level, stops);
  limit_sort(stage, input, wanted.most);
  auto plan = make_above<WindowPlan>(stage.built.plan);
  Resolver resolve(stage.built.layout);
  plan->window = level.work.windows[keyed.window];
  INDIGO_ASSIGN(plan->window.partition, resolve.list(plan->window.partition));
  INDIGO_ASSIGN(plan->window.order, resolve.keys(plan->window.order));
  INDIGO_ASSIGN(plan->window.start.offset, resolve(plan->window.start.offset));
  INDIGO_ASSIGN(plan->window.end.offset, resolve(plan->window.end.offset));
  Layout layout = stage.built.layout;
  for (const ExprPtr& e : calls) {
    const auto& call = as<WindowCallExpr>(*e);
    if (static_cast<size_t>(call.window) != keyed.window) continue;
    auto copy = std::make_shared<WindowCallExpr>(call);
    INDIGO_ASSIGN(copy->arguments, resolve.list(call.arguments));
    INDIGO_ASSIGN(copy->filter, resolve(call.filter));
    plan->calls.push_back(std::move(copy));
    plan->columns.push_back({"", e->type});
    layout.outputs.push_back(e);
  }
  if (wanted.expected > 0) {
    plan->total_cost = cost_of(*stage.built.plan, wanted.expected);
    plan->rows = std::min(plan->rows, wanted.expected);
  }
  plan->total_cost += plan->rows * (kRowCost + kOperatorCost * static_cast<double>(plan->calls.size()));
  if (!stops.empty()) {
    Resolver of_output(layout);
    INDIGO_ASSIGN(plan->run_condition, resolve_all(of_output, stops));
  }
  stage.built = {plan, std::move(layout)};
  return {};
}

}  // namespace

Status add_windows(Level& level, Stage& stage) {
  Query& q = level.work;
  ExprList calls;
  for (const TargetEntry& t : q.targets) collect(t.expr, calls);
  for (const SortKey& k : q.order_by) collect(k.expr, calls);
  for (const ExprPtr& e : q.distinct_on) collect(e, calls);
  std::vector<Keyed> order;
  for (size_t w = 0; w < q.windows.size(); w++) {
    const bool used = std::any_of(calls.begin(), calls.end(), [&](const ExprPtr& e) {
      return static_cast<size_t>(as<WindowCallExpr>(*e).window) == w;
    });
    if (!used) continue;
    Keyed k{w, ascending(level, q.windows[w].partition), {}};
    k.keys.insert(k.keys.end(), q.windows[w].order.begin(), q.windows[w].order.end());
    order.push_back(std::move(k));
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Keyed& a, const Keyed& b) { return a.keys.size() > b.keys.size(); });
  for (Keyed& k : order) {
    INDIGO_TRY(check_interrupt());
    bool plain;
    k.path = path_keys(level, k.keys, plain);
  }
  // Windows that share a prefix of the one before need no sort of their own: bring them together.
  for (size_t i = 0; i + 1 < order.size(); i++) {
    const auto next =
        std::find_if(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, order.end(),
                     [&](const Keyed& k) { return common_prefix(order[i].path, k.path) == k.path.size(); });
    if (next != order.end()) std::rotate(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, next, next + 1);
  }
  for (const Keyed& k : order) {
    INDIGO_TRY(check_interrupt());
    INDIGO_TRY(add_window(level, stage, k, calls));
  }
  return {};
}

}  // namespace indigo::sql::planning
