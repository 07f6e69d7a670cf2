// Rewrites of queries that cross levels: merging a subquery into its parent, putting expressions in the place of Vars.
// Thread safety: pure functions.
#pragma once

#include <functional>
#include <memory>

#include "sql/query.h"

namespace indigo::sql::planning {

// Maps the nodes that know their level (Var, WholeRow, Aggregate) of an expression and of the subqueries inside it.
// map(node, depth) gets nodes with depth levels of subqueries around them; null: leave as it is. Children come first.
using LevelMapper = std::function<ExprPtr(const ExprPtr& node, int depth)>;
ExprPtr map_levels(const ExprPtr& e, const LevelMapper& map, int depth = 0);
std::shared_ptr<const Query> map_levels(const std::shared_ptr<const Query>& q, const LevelMapper& map, int depth = 0);

// levels_up of a node that has one, else -1; and a copy with another one.
int levels_of(const Expr& e);
// The entry that a column or a row is of; -1: it is neither.
int entry_of(const Expr& e);
ExprPtr with_levels(const ExprPtr& e, int levels_up);

// The expression as seen from `levels` deeper.
ExprPtr raised(const ExprPtr& e, int levels);
// The query as seen from `levels` deeper: what refers outside of it moves up.
std::shared_ptr<const Query> raised(const std::shared_ptr<const Query>& q, int levels);

// Whether the expression (query) refers to the query `levels` above its own (to anything above it).
bool refers_to_level(const ExprPtr& e, int levels);
bool is_correlated(const Query& q);
bool refers_to_level(const Query& q, int levels);

}  // namespace indigo::sql::planning
