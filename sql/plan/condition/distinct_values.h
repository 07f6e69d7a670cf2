// How many different values an expression has.
// Thread safety: pure functions.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// The expression below relabelling, which is part of `e`; the column that it is, or null.
const ExprPtr& stripped(const ExprPtr& e);
inline const VarExpr* var_of(const ExprPtr& e) { return try_as<VarExpr>(stripped(e)); }

double tuples_of(const Level& level, const VarExpr& v);
// A unique column by itself.
bool is_unique(const Level& level, const VarExpr& v);
double var_distinct(const Level& level, const VarExpr& v);

// Distinct values of an expression among `rows` rows.
double distinct_values(Level& level, const ExprPtr& e, double rows);
// Distinct combinations.
double group_count(Level& level, const ExprList& groups, double rows);

// Notes, for the level above, how many different values each of the plan's columns has. `outputs`: what they are at this level.
void note_distinct_outputs(Level& level, const PlanPtr& plan, const ExprList& outputs);

}  // namespace indigo::sql::planning
