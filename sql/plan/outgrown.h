// Whether tables have grown, or shrunk, so much since a plan was made that another one may be far better: a scan of all rows is
// best for an empty table, and the worst for a large one.
//
// To plan again costs less than it takes to change so many rows, and a table that is filled and emptied again and again between two
// sizes is planned for the larger one: a plan for many rows costs little over few, the other way round it may cost everything.
//
// Who notes sizes: the planner (Statement::size), of tables that the plan reads more of than the one row of a key. Who
// compares: engine/session/portal/preparation.h before a kept plan runs; of partitions that a run leaves out nobody.
// Thread safety: pure functions of plans, and of tables' counters.
#pragma once

#include "sql/plan.h"

namespace indigo::sql {

bool outgrown(const PlannedStatement::Dependency& table);
// Of the tables that are read whatever the parameters are.
bool outgrown(const PlannedStatement& statement);

}  // namespace indigo::sql
