// Conditions to key bounds: which clauses an index (or the table's own tree) can turn into ranges of its keys.
// Thread safety: one planning, one thread.
#pragma once

#include <vector>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// One column of a key, as an expression over the table's Vars.
struct KeyPart {
  ExprPtr expr;
  bool descending = false, nulls_first = false, not_null = false;
};

struct KeyMatch {
  IndexBounds bounds;                  // values may refer to other relations
  double part = 1;                     // of the rows that lie inside
  double ranges = 1;                   // that are read
  bool points = false;                 // each is one value of the whole key, not null
  std::vector<const Clause*> matched;  // clauses that the bounds were made of
};

// Of those of `all` that may bound a scan (security.h).
KeyMatch match_key(Level& level, const Rel& rel, const std::vector<KeyPart>& parts,
                   const std::vector<const Clause*>& all);

}  // namespace indigo::sql::planning
