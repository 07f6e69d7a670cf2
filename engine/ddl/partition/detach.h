// ALTER TABLE ... DETACH PARTITION and NO INHERIT.
//
// DETACH ... CONCURRENTLY lets others read and write the table. As in PostgreSQL it is two transactions:
//   1. marks the partition (pg_inherits.inhdetachpending), keeps its bound as a CHECK constraint, and commits. From then on it
//      is no partition to any newer snapshot; transactions whose snapshot is older go on with it
//      (catalog/descriptor/detaching_partitions.cpp);
//   2. waits for the transactions that have the table locked, takes the partition for itself, and lets it go.
// What ends the second (an error, a cancel, a crash) leaves the mark, and DETACH ... FINALIZE does the rest. At most one
// partition of a table is marked.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status detach_partition(DdlContext& c, const RelationPtr& parent, const PgQuery__PartitionCmd& cmd);
Status finalize_detach(DdlContext& c, const RelationPtr& parent, const PgQuery__PartitionCmd& cmd);
// 55000 for a marked partition, which nothing but FINALIZE and DROP may change.
Status refuse_detaching(const RelationInfo& relation);
Status drop_inheritance(DdlContext& c, const RelationPtr& child, const PgQuery__RangeVar* parent);

}  // namespace indigo::engine::ddl
