// Which tables of a plan need no lock in a run, because values of parameters leave out the partitions that they are.
//
// A plan for any parameters reads a thousand partitions where a run reads one; locks of all of them would be most of its cost.
// Only tables that nothing but an Append's inputs names are left out: the Append does not open those inputs either, as it prunes
// by the same values (engine/exec/pruned_inputs.h).
// Thread safety: pure functions.
#pragma once

#include <span>
#include <vector>

#include "catalog/descriptor/session_context.h"
#include "sql/plan.h"

namespace indigo::sql::partition {

// Orders the statement's relations and fills always_locked and lock_prunings.
void find_lock_prunings(PlannedStatement& statement);

// The dependencies behind `always_locked` that a run with these parameters reads, by place in `relations`, ascending. All of them
// where the parameters do not tell.
Result<std::vector<uint32_t>> pruned_dependencies(catalog::SessionContext& session, const PlannedStatement& statement,
                                                  std::span<const Datum> parameters);

}  // namespace indigo::sql::partition
