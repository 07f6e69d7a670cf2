// What of a foreign table's conditions another server may be asked, as text over the table's column names.
//
// Invariant: it only ever leaves out rows that the conditions leave out here, whatever the other server's collations and
// settings are; the scan looks at all conditions again.
// Thread safety: part of one planning.
#pragma once

#include <string>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Joined by AND; empty: none.
std::string remote_condition(Level& level, const Rel& rel);

}  // namespace indigo::sql::planning
