// Whether two sets of relations may be joined next, and how: what outer and semi joins demand. Follows PostgreSQL's
// join_is_legal.
// Thread safety: pure functions.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

struct LegalJoin {
  bool ok = false;
  bool reversed = false;                 // b is its left side
  const SpecialJoin* special = nullptr;  // null: an inner join
};
LegalJoin legal_join(const Level& level, RelSet a, RelSet b);

}  // namespace indigo::sql::planning
