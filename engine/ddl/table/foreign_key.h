// FOREIGN KEY, for CREATE TABLE and ALTER TABLE ... ADD; what it does to rows is sql's and engine/exec's.
#pragma once

#include "engine/ddl/table/constraint.h"

namespace indigo::engine::ddl {

Status add_foreign_key(DdlContext& c, const ConstraintTarget& target, const PgQuery__Constraint& k);

// The foreign key of a partitioned table in a partition, and in what is below that.
Status add_foreign_key_like(DdlContext& c, const ConstraintTarget& target, const RelationInfo& parent,
                            const ConstraintInfo& k);
// In all partitions of a partitioned table; of others nothing.
Status add_foreign_key_below(DdlContext& c, const RelationPtr& relation, Oid constraint);

// Existing rows against the constraint (VALIDATE CONSTRAINT, ADD without NOT VALID): 23503 with the first that violates it.
Status validate_foreign_key(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& k);
// After a change of a column's type: 42804 when the two sides cannot be compared any more.
Status check_foreign_key_types(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& k);

}  // namespace indigo::engine::ddl
