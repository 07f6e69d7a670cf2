// Typed tables: CREATE TABLE ... OF a composite type, ALTER TABLE ... OF and NOT OF, and what ALTER TYPE does to the tables of
// a type. The type stands in pg_class.reloftype.
//
// Invariant: a typed table has the type's attributes as its columns, in their order. Only ALTER TYPE changes them.
// Thread safety: as the DdlContext.
#pragma once

#include <vector>

#include "engine/ddl/partition/alter_children.h"
#include "engine/ddl/table/create_table.h"

namespace indigo::engine::ddl {

// kInvalidOid: the table is not typed.
Oid type_of_table(DdlContext& c, Oid relation);

// The composite type that OF names, held; 42809 for any other type.
Result<RelationPtr> open_table_type(DdlContext& c, const PgQuery__TypeName* name);

// The columns of a table of the type: its attributes with the options (WITH OPTIONS) that `columns` has for them.
Status add_type_columns(const RelationInfo& type, std::vector<ColumnSpec>& columns);

// reloftype and its dependency.
Status record_table_type(DdlContext& c, Oid table, Oid type);

Status set_table_type(DdlContext& c, const RelationPtr& table, const PgQuery__TypeName* name);
Status clear_table_type(DdlContext& c, const RelationPtr& table);

// 42809 for a command that would change a typed table's columns or parents.
Status check_alters_typed(DdlContext& c, const RelationInfo& table, const PgQuery__AlterTableCmd& command);

// The tables of a composite type, which change with it; 2BP01 when there are some and `cascade` is not asked for.
Result<std::vector<RelationPtr>> tables_of_type(DdlContext& c, const RelationInfo& type, bool cascade);

}  // namespace indigo::engine::ddl
