// FOREIGN KEY, for CREATE TABLE and ALTER TABLE ... ADD; what it does to rows is sql's and engine/exec's.
#pragma once

#include "engine/ddl/table/constraint.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status add_foreign_key(DdlContext& c, const ConstraintTarget& target, const PgQuery__Constraint& k);

// The row and what it depends on.
Status insert_foreign_key(DdlContext& c, const NewConstraint& n);
// The = that compares a referenced column with a referencing one; 42804 when there is none.
Result<Oid> foreign_key_operator(DdlContext& c, std::string_view constraint, const ColumnInfo& mine,
                                 const ColumnInfo& theirs);

// "pk.a = fk.b", in the referenced column's order where the two columns' collations differ.
std::string key_match(DdlContext& c, const ColumnInfo& referenced, const ColumnInfo& own);

// Existing rows against the constraint (VALIDATE CONSTRAINT, ADD without NOT VALID): 23503 with the first that violates it.
Status validate_foreign_key(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& k);
// After a change of a column's type: 42804 when the two sides cannot be compared any more.
Status check_foreign_key_types(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& k);

}  // namespace indigo::engine::ddl
