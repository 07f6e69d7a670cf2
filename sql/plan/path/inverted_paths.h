// Ways into one table through its inverted indexes (gin): by the keys that conditions ask for (types/inverted). The rows that
// are found so may be others, too, so that a scan evaluates its conditions all the same.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Adds paths for the table's own conditions, and for those that join it with others.
Status add_inverted_paths(Level& level, Rel& rel);

}  // namespace indigo::sql::planning
