// Ways to join two relations: nested loops with parameterised look-ups, hash joins, merge joins.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Adds to `out` (the relation of both sides) the paths that join them so; `left` is the side that `type` keeps, `clauses` are
// those between the two.
void add_join_paths(Level& level, Rel& out, Rel& left, Rel& right, JoinType type, const SpecialJoin* special,
                    const std::vector<const Clause*>& clauses);

// Conditions that become applicable when these two are joined.
std::vector<const Clause*> clauses_between(Level& level, const Rel& left, const Rel& right);

}  // namespace indigo::sql::planning
