// ORDER BY, GROUP BY, DISTINCT and windows: expressions that refer to the target list by name, position or value.
// Thread safety: part of one analysis.
#pragma once

#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/scope.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

Result<SortKey> make_sort_key(Analysis& a, const PgQuery__SortBy& node, const ExprPtr& e);

// A target's expression for an ORDER BY, GROUP BY or DISTINCT ON item: by output name or position (SQL-92 rules), else as an
// expression; one that no target has is added as a hidden target when `add_hidden`.
Result<ExprPtr> target_for(Scope& scope, const PgQuery__Node* node, Clause clause, bool add_hidden);

Status transform_order_by(Scope& scope, NodeList list);
Status transform_group_by(Scope& scope, NodeList list, bool distinct);
Status transform_distinct(Scope& scope, NodeList distinct);
Status transform_limit(Scope& scope, const PgQuery__SelectStmt& node);

// Windows (windows.cpp): the number of the definition that OVER names or makes; then all of them.
Result<int> find_window(Scope& scope, const PgQuery__WindowDef& over);
Status transform_windows(Scope& scope);

// Every column outside aggregates must be grouped (grouping.cpp).
Status check_grouping(Scope& scope);

}  // namespace indigo::sql
