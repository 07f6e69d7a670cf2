// Ways into one table: its own tree, whole or a range, and its secondary indexes.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// All useful paths of a base table, unparameterised and parameterised by other relations' columns.
Status table_paths(Level& level, Rel& rel);
// Keeps `path` unless another is at least as good in every respect; drops those that it beats.
void add_path(Rel& rel, Path* path);
// At most one row, because a unique key is fixed by constants.
bool is_point(const Rel& rel);
// The expressions that the relation may have equated with unique key columns: at most one row for each value of them.
bool is_unique_for(Level& level, const Rel& rel, const ExprList& columns);

}  // namespace indigo::sql::planning
