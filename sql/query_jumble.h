// The number by which pg_stat_statements knows a query: of what it means, not of how it is written. Constants count by their types,
// tables and functions by their OIDs; names that the query gives, blanks and the case of letters do not count.
// Thread safety: pure functions.
// Source: PostgreSQL 15's manual, pg_stat_statements.
#pragma once

#include <cstdint>

#include "sql/query.h"

namespace indigo::sql {

struct Jumbled {
  uint64_t number = 0;
  int parameters = 0;  // the highest $n that it has
};

// Of a query as the analyzer has made it (AnalyzeInput::inline_functions false), before rules and policies.
Jumbled jumble(const Query& query);

}  // namespace indigo::sql
