// Which side a hash join reads first. If the left one has no rows, the right one is not built; if the right one has none, an inner
// or semi join reads nothing of the left one.
// Thread safety: pure functions.
#pragma once

#include "sql/plan.h"

namespace indigo::engine::exec {

// Else a first left row is looked for before the right side is built.
bool reads_right_first(const sql::HashJoinPlan& plan, const sql::PlannedStatement& statement);

}  // namespace indigo::engine::exec
