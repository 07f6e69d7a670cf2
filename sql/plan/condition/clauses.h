// Clauses: conditions with what the planner knows of them.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// A clause over the given relations, owned by the level; `required` is `rels` until the caller says otherwise.
Clause& make_clause(Level& level, const ExprPtr& e, RelSet rels);
// Whether both sides of a comparison have the collation that it works with: hash tables and orders made of the sides agree
// with it.
bool compared_under_own_collation(catalog::CatalogView& catalog, const CallExpr& call);
// To the one relation that it needs, or to the join clauses.
void attach_clause(Level& level, Clause& c);

}  // namespace indigo::sql::planning
