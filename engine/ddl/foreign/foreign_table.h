// CREATE FOREIGN TABLE, and what ALTER does to one that a table has not: rows of pg_foreign_table, options of columns.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/object_lookup.h"
#include "engine/ddl/tree.h"

struct PgQuery__AlterTableCmd;
struct PgQuery__Constraint;
struct PgQuery__CreateForeignTableStmt;

namespace indigo::engine::ddl {

Status execute_create_foreign_table(DdlContext& c, const PgQuery__CreateForeignTableStmt& s);

// The row of pg_foreign_table of a relation that has just been made. 42704: no such server; 42501.
Status insert_foreign_table(DdlContext& c, Oid relation, const PgQuery__CreateForeignTableStmt& s);
Status remove_foreign_table(DdlContext& c, Oid relation);

// ALTER FOREIGN TABLE ... OPTIONS, and ALTER COLUMN ... OPTIONS.
Status change_foreign_options(DdlContext& c, const RelationInfo& relation, NodeList options);
Status change_column_options(DdlContext& c, const RelationInfo& relation, std::string_view column, NodeList options);

// 0A000 for keys, foreign keys and exclusion constraints of a foreign table.
Status check_foreign_constraint(const DdlContext& c, const PgQuery__Constraint& k);

}  // namespace indigo::engine::ddl
