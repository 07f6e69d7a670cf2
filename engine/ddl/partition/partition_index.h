// Indexes of partitioned tables: each has one index in every partition that belongs to it.
#pragma once

#include "engine/ddl/table/constraint.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// A partitioned table with a unique index has no foreign tables below it (42809): nothing could keep their rows unique.
Status check_no_foreign_partition(DdlContext& c, const RelationInfo& table);
Status check_foreign_partition(const RelationInfo& parent);
// 0A000 when a unique index leaves out a column of the partition key: no partition could answer for the others.
Status check_partitioned_key(DdlContext& c, const RelationInfo& relation, const IndexSpec& spec);
// The parent's index in a partition: one that is there and fits, or a new one.
Status add_partition_index(DdlContext& c, ConstraintTarget& target, const RelationInfo& parent, const IndexInfo& index);
// The same in all partitions of a partitioned table, down to the last; locks them.
Status add_partition_indexes(DdlContext& c, const RelationPtr& relation, Oid index);
// ALTER INDEX ... ATTACH PARTITION.
Status attach_index(DdlContext& c, const RelationPtr& index, const PgQuery__RangeVar* partition);
// Takes a partition's index out of its parent's (DETACH).
Status unlink_index(DdlContext& c, Oid index);

}  // namespace indigo::engine::ddl
