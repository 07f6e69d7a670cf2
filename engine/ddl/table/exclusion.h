// EXCLUDE, for CREATE TABLE and ALTER TABLE ... ADD; what it does to rows is engine/exec/change/exclusion_check.h.
#pragma once

#include "engine/ddl/table/constraint.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status add_exclusion_constraint(DdlContext& c, const ConstraintTarget& target, const PgQuery__Constraint& k);

// Another table's constraint, for LIKE; `spec` has the index's keys in the new table's columns.
Status add_exclusion_like(DdlContext& c, const ConstraintTarget& target, const ConstraintInfo& constraint,
                          const IndexInfo& index, IndexSpec spec, const std::vector<StoredExpression>& expressions);

// After a rewrite that changed values: 23P01 when two rows exclude each other now.
Status validate_exclusion(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& k);

}  // namespace indigo::engine::ddl
