// FOR VALUES of CREATE TABLE ... PARTITION OF and ATTACH PARTITION: from the parse tree to a bound, and its place among the
// parent's other partitions.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"
#include "sql/partition/bound.h"

namespace indigo::engine::ddl {

// Reads the bound; its values are computed now. 42P16 when it does not fit the parent's key.
Result<sql::partition::Bound> read_bound_spec(DdlContext& c, const RelationInfo& parent,
                                              const PgQuery__PartitionBoundSpec& spec);
// 42P17 when partition `name` would hold what another one holds.
Status check_new_bound(DdlContext& c, const RelationInfo& parent, std::string_view name,
                       const sql::partition::Bound& bound, const PgQuery__PartitionBoundSpec& spec);
// 23514 when a row of the default partition belongs to the new one.
Status check_default_partition(DdlContext& c, const RelationPtr& parent, const sql::partition::Bound& bound);

}  // namespace indigo::engine::ddl
