// Columns of subqueries in FROM that nothing above reads: they are not computed.
// Thread safety: one planning, one thread.
#pragma once

#include <memory>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Everything of the level that its own columns are read by. Conditions that became members of equivalence classes have no
// clause of their own. What is lateral is planned later and may read any column.
VarSet read_vars(Level& level);
// The subquery of `rel` with nulls for columns that the level does not read, where that leaves its rows as they are. Called when
// the level's conditions have been distributed.
std::shared_ptr<const Query> without_unused_outputs(Level& level, const Rel& rel, std::shared_ptr<const Query> query);

}  // namespace indigo::sql::planning
