// READ COMMITTED's second look: the conditions that a changed row must still meet, and the columns to read again.
// Thread safety: one planning, one thread.
#pragma once

#include <utility>
#include <vector>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Before FROM is rewritten: keeps the conditions of WHERE and inner joins in level.recheck for statements that need them.
Status keep_recheck(Level& level);
// (input column, table column) of the entry's own columns.
std::vector<std::pair<int, int>> refreshed_columns(const Layout& layout, int entry);

}  // namespace indigo::sql::planning
