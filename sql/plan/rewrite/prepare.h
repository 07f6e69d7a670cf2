// Expressions of a level made ready for planning: folded; outer Vars and aggregates turned into runtime parameters; subqueries
// that were not pulled up planned, as initplans or subplans; whole rows spelled out.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// A slot that receives `from` (over `owner`'s row) before the subquery that asks for it runs.
ExprPtr request(Statement& s, Level& owner, const ExprPtr& from);
Result<ExprPtr> plan_sublink(Level& level, const SubLinkExpr& link);  // sublinks.cpp

}  // namespace indigo::sql::planning
