// ORs: what all alternatives have in common holds by itself, and what each alternative says of one table restricts that table.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Conjuncts that together mean the same as `conditions`: (a AND b) OR (a AND c) becomes a, b OR c.
ExprList without_common_factors(const ExprList& conditions);

// ((r.x = 1 AND s.y = 2) OR (r.x = 3 AND s.y = 4)) also gives r.x = 1 OR r.x = 3, and the same for s. For every join clause; the
// clause itself is still checked.
void derive_restrictions(Level& level);

}  // namespace indigo::sql::planning
