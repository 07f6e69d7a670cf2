// Orders of rows: what is asked for (SortKeys) against what a path gives (PathKeys).
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// The path keys that stand for the sort keys; constants and repeated expressions drop out. `plain` is cleared when some key
// has an order of its own (USING), which no path gives.
std::vector<PathKey> path_keys(Level& level, const std::vector<SortKey>& keys, bool& plain);
// How many leading keys of `wanted` the order has.
size_t common_prefix(const std::vector<PathKey>& order, const std::vector<PathKey>& wanted);
// Whether rows in this order have equal values of the expressions next to each other.
bool groups_together(Level& level, const std::vector<PathKey>& order, const ExprList& expressions);
// Ascending sort keys over expressions, with their types' < operators.
std::vector<SortKey> ascending(Level& level, const ExprList& expressions);
// Whether PostgreSQL has no hash for values of one of them, and groups rows by sorting them alone: programs rely on the order.
bool grouped_by_order(Level& level, const ExprList& expressions);
bool is_never_null(const Level& level, const ExprPtr& e);

}  // namespace indigo::sql::planning
