// TABLESAMPLE as a condition on the table's rows. BERNOULLI and SYSTEM both decide row by row (PostgreSQL's SYSTEM takes whole
// pages): by random(), or with REPEATABLE by a hash of the row's place and the seed. tsm_system_rows' method draws so many rows of
// the whole table, tsm_system_time's takes those that a scan meets before the time is over.
// Thread safety: part of one planning.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// The condition of the entry's sample; null when it takes every row. 2202H and 2202G for impossible arguments; arguments that
// are not constant are refused.
Result<ExprPtr> sample_condition(Level& level, int entry);

}  // namespace indigo::sql::planning
