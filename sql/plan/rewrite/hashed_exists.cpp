#include "sql/plan/rewrite/hashed_exists.h"

#include <algorithm>
#include <utility>

#include "sql/plan/path/cost.h"
#include "sql/plan/rewrite/correlation.h"
#include "storage/table.h"

namespace indigo::sql::planning {
namespace {

constexpr double kManyRows = 1000;

// All rows of a large table may ask; where a few are fetched at the end, it is not known how many do.
bool may_ask_often(const Level& level) {
  if (level.work.limit || level.tuple_fraction > 0) return false;
  return std::any_of(level.entries.begin(), level.entries.end(), [](const Entry* e) {
    return e->kind == EntryKind::kTable && e->relation->table != nullptr &&
           static_cast<double>(e->relation->table->rows()) >= kManyRows;
  });
}

}  // namespace

Status note_hashed_exists(Level& level, const SubLinkExpr& link, const SubPlanExpr& subplan) {
  if (!may_ask_often(level)) return {};
  const ExprPtr any = exists_as_any(level, link, true);
  if (!any) return {};
  INDIGO_ASSIGN(const ExprPtr instead, prepare_expression(level, any));
  const auto* test = try_as<BooleanTestExpr>(instead);
  const auto* hashed = test == nullptr ? nullptr : try_as<SubPlanExpr>(test->argument);
  if (hashed == nullptr || !hashed->hashed) return {};
  const Plan& all = *level.s.out->subplans[static_cast<size_t>(hashed->subplan)];
  level.s.hashed_exists[subplan.subplan] = {instead, all.total_cost + all.rows * (kHashRowCost + kRowCost)};
  return {};
}

ExprPtr with_hashed_exists(const Level& level, const ExprPtr& e, double rows, const ExprList& known) {
  if (level.s.hashed_exists.empty() || !e) return e;
  if (std::any_of(known.begin(), known.end(), [&](const ExprPtr& k) { return equal(k, e); })) return e;
  if (const auto* subplan = try_as<SubPlanExpr>(e)) {
    const auto at = level.s.hashed_exists.find(subplan->subplan);
    if (at == level.s.hashed_exists.end()) return e;
    if (rows * expression_cost(level, e) > at->second.cost) return at->second.instead;
    auto adaptive = std::make_shared<SubPlanExpr>(*subplan);
    adaptive->test = at->second.instead;
    return adaptive;
  }
  return map_children(e, [&](const ExprPtr& c) { return with_hashed_exists(level, c, rows, known); });
}

}  // namespace indigo::sql::planning
