// What of a foreign table's conditions another server may be asked, as text in which the table's columns and values that only
// the run knows are marks (catalog/descriptor/foreign_source.h): whoever sends it knows what they are called there.
//
// Invariant: it only ever leaves out rows that the conditions leave out here, whatever the other server's collations and
// settings are; the scan looks at all conditions again.
// Thread safety: part of one planning.
#pragma once

#include <string>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

struct RemoteCondition {
  std::string text;     // conditions joined by AND; empty: none
  ExprList parameters;  // values that the run knows
};
RemoteCondition remote_condition(Level& level, const Rel& rel);

}  // namespace indigo::sql::planning
