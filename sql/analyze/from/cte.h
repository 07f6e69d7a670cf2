// WITH: common table expressions, recursive ones included.
// Thread safety: part of one analysis.
#pragma once

#include "sql/analyze/scope.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// Analyzes every item into scope.query->ctes; later code finds them by find_cte.
Status transform_with(Scope& scope, const PgQuery__WithClause& with);

// The item that `name` means here, null when none; `levels_up`: between here and the query that owns it.
Result<CteName*> find_cte(Scope& scope, std::string_view name, int* levels_up);
// A WITH item of that name exists but is not in view yet.
bool is_future_cte(const Scope& scope, std::string_view name);

}  // namespace indigo::sql
