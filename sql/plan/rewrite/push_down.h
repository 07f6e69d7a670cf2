// Conditions on a subquery's columns moved into the subquery.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// What gives a subquery's column; null: it has none of this number.
const TargetEntry* visible_target(const Query& q, int column);

// Takes the restrictions that the subquery can apply itself off `rel` and answers the subquery with them. Into a security
// barrier only what is leakproof: it could tell of rows that the subquery hides.
std::shared_ptr<const Query> push_conditions(Level& level, Rel& rel, const std::shared_ptr<const Query>& subquery);

}  // namespace indigo::sql::planning
