// Ways into one table by an index that finds the nearest: for ORDER BY column OPERATOR value, where a LIMIT leaves few rows. The
// index has a graph of neighbours (hnsw), or cells, which are read ring by ring (gist, spgist).
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

Status add_nearest_paths(Level& level, Rel& rel);

}  // namespace indigo::sql::planning
