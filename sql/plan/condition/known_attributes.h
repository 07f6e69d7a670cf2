// What extended statistics (CREATE STATISTICS) say of a table's attributes: how many rows several conditions together let pass,
// how many combinations several columns have, and what is known of an expression.
// Source: PostgreSQL's documentation, chapter "Multivariate Statistics Examples"; its order of choices, so that estimates agree.
// Thread safety: one planning, one thread.
#pragma once

#include <optional>
#include <vector>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Whether anything is known of attributes of this one relation; quick.
bool knows_attributes(const Level& level, RelSet rels);

// The selectivity of those of `conditions`, which must all hold, that common combinations and functional dependencies of one
// relation tell of; these are marked in `told`. 1: of none.
double known_selectivity(Level& level, const ExprList& conditions, std::vector<bool>& told);
// The same for alternatives, of which one must hold; by common combinations alone. 0: of none.
double known_alternatives(Level& level, const ExprList& conditions, std::vector<bool>& told);

// Combinations of those of `attributes`, all of the same relation, that statistics tell most of; these are taken out. Nothing:
// they tell of no two.
std::optional<double> known_combinations(Level& level, ExprList& attributes);

// Of an expression that is no column; null: nothing is known of it.
const catalog::ColumnStatistics* expression_statistics(const Level& level, const ExprPtr& e);

}  // namespace indigo::sql::planning
