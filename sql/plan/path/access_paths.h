// Ways into one table: its own tree, whole or a range, and its secondary indexes.
// Thread safety: one planning, one thread.
#pragma once

#include <vector>

#include "sql/plan/level.h"
#include "sql/plan/path/index_trees.h"

namespace indigo::sql::planning {

// All useful paths of a base table, unparameterised and parameterised by other relations' columns.
Status table_paths(Level& level, Rel& rel);
// A scan's filters (those of `conditions` that its tree does not make true), rows and costs, from its bounds. `met`: how many
// times the expected rows lie where it looks.
void finish_scan(Level& level, const Rel& rel, Path& p, const IndexTree& tree, const KeyMatch& match,
                 const std::vector<const Clause*>& conditions, double met = 1);
void cost_scan(Level& level, Path& p, double fetched, double ranges, double descent = 1, bool entries_only = false);
// Whether a condition that joins the table with others may bound a scan of it. An outer join's own condition may bound its
// null-extended side only; others bound any side, unless they must wait for an outer join.
bool can_parameterise(const Level& level, const Rel& rel, const Clause& c);
// At most one row, because a unique key is fixed by constants.
bool is_point(const Rel& rel);
// The expressions that the relation may have equated with unique key columns: at most one row for each value of them.
bool is_unique_for(Level& level, const Rel& rel, const ExprList& columns);

}  // namespace indigo::sql::planning
