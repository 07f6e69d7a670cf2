// Ways into one table through several indexes, for an OR that no single one serves: (a = 1 OR b = 2) reads what an index of a
// and an index of b give, each row once.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Adds a path for each such OR among the table's own conditions and those that join it with others.
Status add_index_unions(Level& level, Rel& rel);

}  // namespace indigo::sql::planning
