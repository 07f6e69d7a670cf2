#include "sql/plan/rewrite/run_condition.h"

#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/plan/rewrite/push_down.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

constexpr Oid kRowNumberFunction = 3100, kRankFunction = 3101, kDenseRankFunction = 3102, kCountFunction = 2147,
              kCountStarFunction = 2803;
// int8 <, <=, = and their kin with int2 and int4 at the right.
constexpr Oid kLess[] = {412, 418, 1864}, kLessEqual[] = {414, 420, 1866}, kEqual[] = {410, 416, 1862};
// Larger numbers are no reason to sort otherwise.
constexpr int64_t kFewRows = 100'000;

bool is_one_of(Oid op, const Oid (&ops)[3]) { return std::find(std::begin(ops), std::end(ops), op) != std::end(ops); }

// A call whose value never falls from row to row of a partition, and depends on none behind the row: not on its peers either.
bool grows(const Query& q, const WindowCallExpr& call) {
  if (call.function == kRowNumberFunction || call.function == kRankFunction || call.function == kDenseRankFunction)
    return true;
  if (call.function != kCountFunction && call.function != kCountStarFunction) return false;
  const Window& w = q.windows[static_cast<size_t>(call.window)];
  return w.mode == Window::Mode::kRows && w.start.kind == FrameBound::Kind::kUnboundedPreceding &&
         w.end.kind == FrameBound::Kind::kCurrentRow && w.exclude == Window::Exclude::kNoOthers;
}

// All window calls are of one window, and grow.
bool stops_early(const Query& q) {
  int window = -1;
  const auto fits = [&](const auto& self, const ExprPtr& e) -> bool {
    if (!e) return true;
    if (const auto* call = try_as<WindowCallExpr>(e)) {
      if (window >= 0 && window != call->window) return false;
      window = call->window;
      return grows(q, *call);
    }
    bool ok = true;
    for_each_child(*e, [&](const ExprPtr& c) { ok = ok && self(self, c); });
    return ok;
  };
  return std::all_of(q.targets.begin(), q.targets.end(), [&](const TargetEntry& t) { return fits(fits, t.expr); }) &&
         std::all_of(q.order_by.begin(), q.order_by.end(), [&](const SortKey& k) { return fits(fits, k.expr); });
}

bool is_known(const ExprPtr& e) { return e->kind == ExprKind::kConst || e->kind == ExprKind::kParam; }

}  // namespace

void note_run_conditions(Level& level, const Rel& rel, const std::shared_ptr<const Query>& subquery) {
  const Query& q = *subquery;
  if (!q.has_windows || rel.restrictions.empty() || q.command != CommandKind::kSelect || q.set_operation || q.limit ||
      q.offset || !q.distinct_on.empty() || !q.row_locks.empty())
    return;
  std::vector<Statement::RunCondition> found;
  for (const Clause* c : rel.restrictions) {
    const auto* call = try_as<CallExpr>(c->expr);
    if (call == nullptr || call->arguments.size() != 2 || !is_known(call->arguments[1])) continue;
    const auto* column = try_as<VarExpr>(call->arguments[0]);
    if (column == nullptr || column->entry != rel.entry || column->levels_up != 0 || column->column < 0) continue;
    auto comparison = std::make_shared<CallExpr>(*call);
    if (is_one_of(call->op, kEqual)) {
      const auto at = static_cast<size_t>(std::find(std::begin(kEqual), std::end(kEqual), call->op) - kEqual);
      const auto* op = level.s.catalog().operator_by_oid(kLessEqual[at]);
      if (op == nullptr) continue;
      comparison->op = kLessEqual[at];
      comparison->function = op->function;
    } else if (!is_one_of(call->op, kLess) && !is_one_of(call->op, kLessEqual)) {
      continue;
    }
    const TargetEntry* target = visible_target(q, column->column);
    if (target == nullptr || target->expr->kind != ExprKind::kWindowCall) continue;
    if (!grows(q, as<WindowCallExpr>(*target->expr))) continue;
    found.push_back({column->column, std::move(comparison)});
  }
  if (!found.empty() && stops_early(q)) level.s.run_conditions[subquery.get()] = std::move(found);
}

ExprList run_conditions(const Level& level) {
  const auto at = level.s.run_conditions.find(level.source.get());
  if (at == level.s.run_conditions.end()) return {};
  ExprList out;
  for (const Statement::RunCondition& c : at->second) {
    const TargetEntry* target = visible_target(level.work, c.column);
    if (target == nullptr || target->expr->kind != ExprKind::kWindowCall) continue;
    auto comparison = std::make_shared<CallExpr>(as<CallExpr>(*c.comparison));
    comparison->arguments[0] = target->expr;
    out.push_back(std::move(comparison));
  }
  return out;
}

RowsWanted rows_wanted(const Level& level, const ExprList& conditions) {
  RowsWanted out;
  for (const ExprPtr& e : conditions) {
    const auto& comparison = as<CallExpr>(*e);
    const auto& call = as<WindowCallExpr>(*comparison.arguments[0]);
    const auto* value = try_as<ConstExpr>(comparison.arguments[1]);
    if (value == nullptr || !level.work.windows[static_cast<size_t>(call.window)].partition.empty()) continue;
    const Datum& d = value->value.get();
    if (d.null) continue;
    const int64_t rows = d.phys == Phys::kI16 ? d.i16 : d.phys == Phys::kI32 ? d.i32 : d.i64;
    if (rows < 0 || rows > kFewRows) continue;
    out.expected = std::max(1.0, static_cast<double>(rows));
    if (call.function == kRowNumberFunction) out.most = make_const({oid::kInt8, -1, kInvalidOid}, Datum::of(rows));
  }
  return out;
}

}  // namespace indigo::sql::planning
