// Equivalence classes: expressions made equal by = conditions. They give the planner x = const for every member, join clauses
// between any two members, and let one order stand for another.
//
// 1. Members have one type; an = across types is an ordinary clause.
// 2. Within a relation (base or joined), all members that it covers have been made equal.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Takes `l = r` into the classes; false when it does not make one (another operator, other types, volatile ...).
bool add_equality(Level& level, const ExprPtr& e);
// After all conditions: restrictions of single relations that the classes imply.
void finish_equivalence(Level& level);
// Clauses that joining these two relations must add, from the classes.
void join_equalities(Level& level, RelSet left, RelSet right, std::vector<const Clause*>& out);
// Clauses `column = expression of other relations` for parameterised look-ups of one relation's column.
void column_equalities(Level& level, const ExprPtr& column, RelSet rel, std::vector<const Clause*>& out);
// The number of an expression for path keys; equal expressions have one number.
int sort_id(Level& level, const ExprPtr& e);
// The class is equal to a constant: it does not matter in an order.
bool is_constant_id(const Level& level, int id);

}  // namespace indigo::sql::planning
