// CREATE and ALTER SERVER: rows of pg_foreign_server. CREATE, ALTER and DROP USER MAPPING: rows of pg_user_mapping, whose role
// kInvalidOid is PUBLIC. IMPORT FOREIGN SCHEMA.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/foreign/foreign_object.h"

struct PgQuery__AlterForeignServerStmt;
struct PgQuery__AlterUserMappingStmt;
struct PgQuery__CreateForeignServerStmt;
struct PgQuery__CreateUserMappingStmt;
struct PgQuery__DropUserMappingStmt;
struct PgQuery__ImportForeignSchemaStmt;

namespace indigo::engine::ddl {

Status execute_create_server(DdlContext& c, const PgQuery__CreateForeignServerStmt& s);
Status execute_alter_server(DdlContext& c, const PgQuery__AlterForeignServerStmt& s);
Status change_server_owner(DdlContext& c, std::string_view name, Oid owner);
// Tables of a server of postgres_fdw; HV00P for another handler, 55000 without one.
Status execute_import_foreign_schema(DdlContext& c, const PgQuery__ImportForeignSchemaStmt& s);

Status execute_create_user_mapping(DdlContext& c, const PgQuery__CreateUserMappingStmt& s);
Status execute_alter_user_mapping(DdlContext& c, const PgQuery__AlterUserMappingStmt& s);
// Nothing: there is none.
std::optional<Address> find_user_mapping(DdlContext& c, const PgQuery__AlterUserMappingStmt& s);
Status execute_drop_user_mapping(DdlContext& c, const PgQuery__DropUserMappingStmt& s);
// "role on server s"
std::string user_mapping_text(DdlContext& c, Oid oid);

}  // namespace indigo::engine::ddl
