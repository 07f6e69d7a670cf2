// Tables that stand for others: partitioned tables and tables that others inherit from. Their rows are those of the tables
// below, read one after the other; partitions that cannot hold a row are left out here when the values are known, else when
// the plan is opened.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Does the entry read other tables beside or instead of its own?
bool has_leaves(const Entry& entry);
// The relation's leaves, its size and its paths. After its restrictions are known.
Status leaf_paths(Level& level, Rel& rel);
// Whether rows that are in order of values of this type can be merged: by byte keys.
bool merges_by_key(const TypeRef& type);
// What merging so many inputs costs, for each row.
double merge_cost(size_t inputs);
// The columns of `upper` in `lower`, by name.
ScannedTable mapped_table(const RelationInfo& upper, std::shared_ptr<const RelationInfo> lower);

}  // namespace indigo::sql::planning
