// Conditions on a subquery's row_number() and its kin: their values only grow from row to row of a partition, so what comes
// after a row for which they are too large need not be read.
// Thread safety: one planning, one thread.
#pragma once

#include <memory>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Notes those among the restrictions of `rel`, which stay there, that the windows of its subquery can use.
void note_run_conditions(Level& level, const Rel& rel, const std::shared_ptr<const Query>& subquery);
// What the level's window may stop at: comparisons with its calls; empty: nothing.
ExprList run_conditions(const Level& level);
// The first rows of the window's order that they leave; `conditions`: of run_conditions.
struct RowsWanted {
  double expected = 0;  // 0: it is not known
  ExprPtr most;         // int8; null: there may be more
};
RowsWanted rows_wanted(const Level& level, const ExprList& conditions);

}  // namespace indigo::sql::planning
