// What a table takes over from the tables that it inherits from, or that it is a partition of: columns, CHECK constraints,
// indexes; and the rows that link the two.
//
// A partition differs from an inheriting table: it has exactly its parent's columns, goes with its parent, and has its
// parent's indexes and foreign keys, too.
#pragma once

#include "engine/ddl/table/create_table.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// The tables behind INHERITS or PARTITION OF, locked. 42809 for what cannot be inherited from.
Result<std::vector<RelationPtr>> open_parents(DdlContext& c, const PgQuery__CreateStmt& s, char persistence);
// `columns` are the table's own; becomes the inherited ones, merged with them, and then the others.
Status inherit_columns(DdlContext& c, const std::vector<RelationPtr>& parents, bool partition,
                       std::vector<ColumnSpec>& columns);
// The parents' CHECK constraints for the new table `relation`.
Status inherit_checks(DdlContext& c, Oid relation, const std::vector<RelationPtr>& parents);
Status inherit_check(DdlContext& c, Oid relation, const RelationInfo& parent, const ConstraintInfo& check);
// Merges the table's own constraint of this name and meaning with the parent's: true. 42710 when they differ, 42P17 when the
// own one may not be inherited or is not validated.
Result<bool> merge_check(DdlContext& c, const RelationInfo& relation, const RelationInfo& parent,
                         const ConstraintInfo& inherited);

// pg_inherits, dependencies, relhassubclass. `bound`: of a partition, as stored.
Status link_child(DdlContext& c, Oid child, Oid parent, int32_t sequence, const std::string* bound);
Status unlink_child(DdlContext& c, Oid child, Oid parent);
// The parent's indexes for a new partition.
Status inherit_indexes(DdlContext& c, ConstraintTarget& target, const RelationPtr& parent);
Status inherit_foreign_keys(DdlContext& c, ConstraintTarget& target, const RelationPtr& parent);

// The relation and all that inherit from it, parents before children; locked.
Result<std::vector<Oid>> with_descendants(DdlContext& c, Oid relation, TableLockMode mode);

}  // namespace indigo::engine::ddl
