// Foreign keys of partitioned tables and to partitioned tables: the constraints that partitions have for them
// (catalog/descriptor/foreign_key_info.h).
//
// Invariants:
// 1. A constraint that references a partitioned table has one below it for each partition, of the same referencing table, with
//    the partition's action triggers. It depends on the one above (i).
// 2. A partition of a referencing table has a constraint with check triggers alone; it depends on the one above (P) and on its
//    table (S).
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/table/foreign_key.h"

namespace indigo::engine::ddl {

// ---- the referenced side
// For all partitions of the referenced table, and what is below them.
// `leaving`: a partition that is about to be detached, which gets none.
Status add_referenced_partitions(DdlContext& c, const NewConstraint& n, Oid leaving = kInvalidOid);
// For a new partition of `parent`, whose indexes are there: all foreign keys that reference `parent`.
Status add_referenced_partition(DdlContext& c, const RelationInfo& parent, Oid partition);
// DETACH: 23503 when a row of the partition is referenced; the referencing tables are locked.
Status check_not_referenced(DdlContext& c, const RelationInfo& partition);
// The same, and the constraints below those of the parent go.
Status remove_referenced_partition(DdlContext& c, const RelationInfo& partition);

// ---- the referencing side
// The foreign key of a partitioned table in a partition, and in what is below that; an equal one that is there becomes it.
Status add_foreign_key_like(DdlContext& c, const ConstraintTarget& target, const RelationInfo& parent,
                            const ConstraintInfo& k);
// In all partitions of a partitioned table; of others nothing.
Status add_foreign_key_below(DdlContext& c, const RelationPtr& relation, Oid constraint);
// DETACH: the partition's constraint stands for itself.
Status detach_foreign_key(DdlContext& c, const RelationInfo& partition, const ConstraintInfo& k);

// ---- ALTER CONSTRAINT, of a constraint and all below it
Status defer_foreign_key(DdlContext& c, Oid constraint, bool deferrable, bool deferred);
// 55000 for a constraint that belongs to another.
Status refuse_inherited_foreign_key(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& k);

}  // namespace indigo::engine::ddl
