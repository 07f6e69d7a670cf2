// What each place of a statement allows: aggregates, window functions, set-returning functions, subqueries.
// Thread safety: pure functions.
#pragma once

#include "sql/analyze/scope.h"

namespace indigo::sql {

// Errors with PostgreSQL's wording, or nothing.
Status check_aggregate_allowed(const Scope& scope, bool grouping_call, int location);
Status check_window_allowed(const Scope& scope, int location);
Status check_set_function_allowed(const Scope& scope, int location);
Status check_subquery_allowed(const Scope& scope, int location);

}  // namespace indigo::sql
