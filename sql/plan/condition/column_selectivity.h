// How many rows have a column equal to a value, or on one side of it: from its common values and its histogram.
// Thread safety: pure functions.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

inline constexpr double kDefaultEqual = 0.005, kDefaultRange = 1.0 / 3;

// A value that is known while planning: a constant, or a parameter's value in this execution; null: it is not.
const Datum* value_of(const Level& level, const ExprPtr& e);

double equal_to(Level& level, const ExprPtr& var, const ExprPtr& other, bool negated);
// `strategy`: of a B-tree's comparisons, 1 (<) to 5 (>).
double range_selectivity(Level& level, const ExprPtr& var, const ExprPtr& other, int strategy);

}  // namespace indigo::sql::planning
