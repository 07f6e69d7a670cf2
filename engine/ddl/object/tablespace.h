// Tablespaces: objects of the whole instance with an owner, privileges and options, and a location that is kept and shown and
// means nothing here. Relations and databases say which they lie in; storage does not look at it.
//
// The location is a row of pg_shdescription of no class (PostgreSQL has a symbolic link).
// Thread safety: as the DdlContext.
#pragma once

#include <string>
#include <string_view>

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

struct PgQuery__AlterTableMoveAllStmt;
struct PgQuery__AlterTableSpaceOptionsStmt;
struct PgQuery__CreateTableSpaceStmt;
struct PgQuery__DropTableSpaceStmt;

namespace indigo::engine::ddl {

// kInvalidOid: there is none.
Oid tablespace_named(DdlContext& c, std::string_view name);
Result<Oid> existing_tablespace(DdlContext& c, std::string_view name);  // 42704
// For something of the current database to lie there: 42704, 42501, 22023 for pg_global. As pg_class.reltablespace: kInvalidOid
// for the database's own.
Result<Oid> usable_tablespace(DdlContext& c, std::string_view name);
// For a database.
Result<Oid> database_tablespace(DdlContext& c, std::string_view name);

// Where a new relation goes: the one that is named, else what default_tablespace or temp_tablespaces says.
// `partitioned`: a table that is, which may not name the database's own (0A000).
Result<Oid> new_relation_tablespace(DdlContext& c, std::string_view name, char persistence, bool partitioned = false);
Oid tablespace_of(DdlContext& c, Oid relation);

// SET TABLESPACE of a table, index or materialized view.
Status move_to_tablespace(DdlContext& c, Oid relation, std::string_view name);

Result<Address> find_own_tablespace(DdlContext& c, std::string_view name);  // 42704, 42501
Status rename_tablespace(DdlContext& c, std::string_view name, std::string_view to);
Status change_tablespace_owner(DdlContext& c, std::string_view name, Oid owner);

Status execute_create_tablespace(DdlContext& c, const PgQuery__CreateTableSpaceStmt& s);
Status execute_drop_tablespace(DdlContext& c, const PgQuery__DropTableSpaceStmt& s);
Status execute_alter_tablespace(DdlContext& c, const PgQuery__AlterTableSpaceOptionsStmt& s);
Status execute_move_all(DdlContext& c, const PgQuery__AlterTableMoveAllStmt& s);

}  // namespace indigo::engine::ddl
