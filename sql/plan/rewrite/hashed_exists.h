// EXISTS that an index answers row by row, or a hash table for all rows at once: which is cheaper is known when it is known how
// many rows ask. Both are planned; the one for each row stands in the expressions until they become part of a plan. Where it is
// kept, the other one goes with it as its `test`, for when more rows ask than were expected.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Plans the other way for an EXISTS that has become `subplan`, where many rows may ask.
Status note_hashed_exists(Level& level, const SubLinkExpr& link, const SubPlanExpr& subplan);
// The expression with what is cheaper when `rows` rows ask it. What is among `known` has been computed.
ExprPtr with_hashed_exists(const Level& level, const ExprPtr& e, double rows, const ExprList& known = {});

}  // namespace indigo::sql::planning
