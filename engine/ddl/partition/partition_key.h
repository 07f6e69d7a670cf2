// PARTITION BY: the key of a partitioned table, in pg_partitioned_table.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// 'r', 'l' or 'h'; 22023 for others, 42P17 for a list of several columns.
Result<char> partition_strategy(const PgQuery__PartitionSpec& spec);
// The key of a table whose columns are there.
Status add_partition_key(DdlContext& c, const RelationPtr& relation, const PgQuery__PartitionSpec& spec);
// pg_partitioned_table.partdefid.
Status set_default_partition(DdlContext& c, Oid parent, Oid partition);
// 42P16 when the column belongs to the key of the partitioned table.
Status check_not_in_partition_key(DdlContext& c, const RelationInfo& relation, int16_t column, std::string_view verb);
Status remove_partition_key(DdlContext& c, Oid relation);

}  // namespace indigo::engine::ddl
