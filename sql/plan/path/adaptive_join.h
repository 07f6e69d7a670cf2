// What a nested loop becomes when more rows come than were expected: a hash join of the rows that are left.
// Thread safety: one planning, one thread.
#pragma once

#include <optional>
#include <vector>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

struct HashedInstead {
  const Path* right = nullptr;  // what is hashed
  std::vector<const Clause*> keys, others;
  double patience = 0, left_row_cost = 0, right_row_cost = 0;  // as in NestedLoopPlan
};

// Nothing where it is not possible, or where the tables are so small that it cannot matter.
std::optional<HashedInstead> hashed_instead(Level& level, const Path& nested_loop);

}  // namespace indigo::sql::planning
