// UNION ALL under ORDER BY and LIMIT: each branch gives its own first rows in order, which are merged.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/finish/finish.h"

namespace indigo::sql::planning {

// False: the level is no such query, or its order is none that can be merged by; `out` is as it was.
Result<bool> plan_ordered_union(Level& level, Stage& out);

}  // namespace indigo::sql::planning
