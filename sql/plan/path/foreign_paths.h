// The path of a foreign table: what the wrapper's handler reads is planned as rows of a function of the session's.
// Thread safety: part of one planning.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Of a relation that is a foreign table, or a partition or child that is one (Rel::table). Sets Rel::tuples and rows.
Status foreign_paths(Level& level, Rel& rel);

// The foreign table that a relation's rows come from; null: from none.
const RelationInfo* foreign_table_of(Level& level, const Rel& rel);

}  // namespace indigo::sql::planning
