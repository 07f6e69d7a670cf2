// Window functions: one Window node for each window, over input sorted by its partition and order. Windows with the longest
// keys come first, so that others can share their sort.
#include <algorithm>

#include "sql/plan/finish/finish.h"
#include "sql/plan/finish/ordering.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/resolve.h"

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
};

Status add_window(Level& level, Stage& stage, const Keyed& keyed, const ExprList& calls) {
  INDIGO_TRY(add_sort(level, stage, keyed.keys, false));
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
  plan->total_cost += plan->rows * (kRowCost + kOperatorCost * static_cast<double>(plan->calls.size()));
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
    Keyed k{w, ascending(level, q.windows[w].partition)};
    k.keys.insert(k.keys.end(), q.windows[w].order.begin(), q.windows[w].order.end());
    order.push_back(std::move(k));
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Keyed& a, const Keyed& b) { return a.keys.size() > b.keys.size(); });
  // Windows that share a prefix of the one before need no sort of their own: bring them together.
  for (size_t i = 0; i + 1 < order.size(); i++) {
    bool plain;
    const auto mine = path_keys(level, order[i].keys, plain);
    const auto next =
        std::find_if(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, order.end(), [&](const Keyed& k) {
          bool other_plain;
          const auto keys = path_keys(level, k.keys, other_plain);
          return common_prefix(mine, keys) == keys.size();
        });
    if (next != order.end()) std::rotate(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, next, next + 1);
  }
  for (const Keyed& k : order) {
    INDIGO_TRY(add_window(level, stage, k, calls));
  }
  return {};
}

}  // namespace indigo::sql::planning
