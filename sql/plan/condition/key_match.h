// Conditions to key bounds: which clauses an index (or the table's own tree) can turn into a range of its keys.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// One column of a key, as an expression over the table's Vars.
struct KeyPart {
  ExprPtr expr;
  bool descending = false, nulls_first = false, not_null = false;
};

// Fills `bounds` from the clauses; values may refer to other relations. Answers the fraction of the rows inside the bounds.
double match_key(Level& level, const Rel& rel, const std::vector<KeyPart>& parts,
                 const std::vector<const Clause*>& clauses, IndexBounds& bounds);

}  // namespace indigo::sql::planning
