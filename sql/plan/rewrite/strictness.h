// What an expression says about nulls: which relations or columns must not be null where it is true (or not null itself).
// Thread safety: pure functions.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Relations r such that the condition cannot be true when every column of r is null.
RelSet nonnullable_rels(const Level& level, const ExprPtr& condition);
// Columns that cannot be null where the condition is true.
void nonnullable_vars(const ExprPtr& condition, VarSet& out);
// The expression is null whenever some Var inside it (all its Vars being of `rel`) is null, and has such a Var.
bool is_null_preserving(const ExprPtr& e);

}  // namespace indigo::sql::planning
