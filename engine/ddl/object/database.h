// CREATE, ALTER and DROP DATABASE. A new database is a copy of its template: rows of the system tables, tables, indexes and
// counters; built-in rows are shared.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_create_database(DdlContext& c, const PgQuery__CreatedbStmt& s);
Status execute_drop_database(DdlContext& c, const PgQuery__DropdbStmt& s);
Status execute_alter_database(DdlContext& c, const PgQuery__AlterDatabaseStmt& s);
Status execute_refresh_database_collation(DdlContext& c, const PgQuery__AlterDatabaseRefreshCollStmt& s);
Status rename_database(DdlContext& c, std::string_view from, std::string_view to);
Status change_database_owner(DdlContext& c, std::string_view name, Oid owner);
// From a clone of a database that sessions use: it has those sessions' temporary objects, too.
Status drop_temporary_objects_of_all(DdlContext& c, const std::shared_ptr<catalog::Database>& clone);

}  // namespace indigo::engine::ddl
