// How many pairs of rows meet an equality between two relations.
// Thread safety: pure functions.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

double joined_equal_selectivity(Level& level, const ExprPtr& left, const ExprPtr& right);

}  // namespace indigo::sql::planning
