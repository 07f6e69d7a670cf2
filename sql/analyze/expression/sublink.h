// Subqueries in expressions.
// Thread safety: part of one analysis.
#pragma once

#include "sql/analyze/scope.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// (a, b) op (SELECT ...)
Result<ExprPtr> transform_row_sublink(Scope& scope, const PgQuery__Node* row, NodeList op, const PgQuery__SubLink& link,
                                      int location);
// SET (a, b) = (SELECT ...): a kMultiAssign sublink of type record with `columns` columns.
Result<ExprPtr> transform_assign_sublink(Scope& scope, const PgQuery__SubLink& link, int columns, int location);

}  // namespace indigo::sql
