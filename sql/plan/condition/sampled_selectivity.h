// How many rows pass a condition on what is computed of one column: it is evaluated for the column's common values and for
// those of its histogram, which stand for all others. LIKE, EXTRACT, x % 7 = 0, substring(x, 1, 2) IN (...).
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

struct SampledSelectivity {
  double fraction = 0;   // of all rows
  double precision = 0;  // what to expect where it holds for none of the sample
};

// Nothing: there is no sample, or the condition looks at more than one column, or at what is not known while planning.
std::optional<SampledSelectivity> sampled_selectivity(Level& level, const ExprPtr& condition);

// What the expression is for a sample of its one column, and what part of the rows each stands for. Expressions over the same
// column are asked with the same sample, in the same order. False: as above.
bool sampled_values(Level& level, const ExprPtr& e, std::vector<OwnedDatum>& values, std::vector<double>& weights);

}  // namespace indigo::sql::planning
