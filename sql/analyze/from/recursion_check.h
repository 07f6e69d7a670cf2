// Where the query of a recursive WITH item may mention the item: once, in the right side of its top UNION, and not below an
// outer join's nullable side, a subquery in an expression, INTERSECT ALL or EXCEPT. Works on the parse tree, before names are
// resolved.
// Thread safety: pure function.
#pragma once

#include "sql/analyze/scope.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// `item` mentions itself. 42P19 or 0A000 as PostgreSQL says it.
Status check_recursion(const Scope& scope, const PgQuery__CommonTableExpr& item);

}  // namespace indigo::sql
