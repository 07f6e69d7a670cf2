// Schemas: CREATE SCHEMA, the session's temporary schema, and who may create in a schema.
#pragma once

#include "engine/ddl/ddl.h"
#include "sql/parse/tree_names.h"
#include "types/value/acl.h"

namespace indigo::engine::ddl {

using types::kPrivilegeCreate;
using types::kPrivilegeUsage;

Result<Oid> create_schema(DdlContext& c, std::string_view name, Oid owner);
Status execute_create_schema(DdlContext& c, const PgQuery__CreateSchemaStmt& s);
// The session's own, made when it is missing.
Result<Oid> temporary_schema(DdlContext& c);
// 42501 "permission denied for schema s", "... for database d" (the current one).
Status check_schema_privilege(DdlContext& c, Oid schema, uint32_t privileges);
// Where SET SCHEMA moves to: an existing schema, or the session's own temporary one. 3F000.
Result<Oid> schema_to_move_to(DdlContext& c, std::string_view name);
// SET SCHEMA: 42501 for who may not create in `to`; 0A000 when either is temporary or pg_toast.
Status check_may_move(DdlContext& c, Oid from, Oid to);
Status check_database_privilege(DdlContext& c, uint32_t privileges);

}  // namespace indigo::engine::ddl
