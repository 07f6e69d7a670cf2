// Row security among a table's conditions: which are evaluated first, and which may choose the rows that are read.
//
// Invariants
//  1. A table's own policies come first, in their order; what may leak comes behind all of them. Leakproof conditions may be
//     evaluated before.
//  2. Only leakproof conditions and the first policy become bounds of keys.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// The entries' conditions of row security, over the level's entries and prepared, into level.security; those of tables whose
// changed rows are looked at again, into level.recheck. After subqueries have been merged.
Status prepare_security(Level& level);
// Makes them the relations' restrictions.
void add_security_clauses(Level& level);

// A condition of a table with policies: its place in the order of evaluation.
int security_rank(Level& level, const Rel& rel, const Clause& c);
// Whether it may bound a scan of the table.
bool may_bound(Level& level, const Rel& rel, const Clause& c);

}  // namespace indigo::sql::planning
