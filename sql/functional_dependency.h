// Columns that GROUP BY does not name but a primary key in it determines: analysis puts them at the end of Query::group_by.
// Thread safety: pure functions.
#pragma once

#include "sql/query.h"

namespace indigo::sql {

// The relation whose primary key, grouped by before it, determines group_by[index]; null: somebody wrote that item.
const RelationInfo* determining_relation(const Query& query, size_t index);

}  // namespace indigo::sql
