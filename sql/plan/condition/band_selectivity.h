// How many pairs of rows a range between two relations holds for: x > y, x BETWEEN y AND y + 5. The other side's statistics
// say which values y has, the column's histogram which part of its rows lies between the bounds for each of them.
// Thread safety: pure functions.
#pragma once

#include <vector>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// One comparison of a band: `column` over one relation, `bound` over another; `low`: the bound is from below.
struct BandSide {
  ExprPtr column, bound;
  bool low = false;
};

// The ways to read a comparison of columns of two relations as one of a column with a bound; none when it is no such thing.
std::vector<BandSide> band_sides(const Level& level, const ExprPtr& condition);

// `low` or `high` may be null. Negative: there are no statistics to tell.
double band_selectivity(Level& level, const ExprPtr& column, const ExprPtr& low, const ExprPtr& high);

}  // namespace indigo::sql::planning
