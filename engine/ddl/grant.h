// GRANT and REVOKE on tables, columns, sequences, schemas, databases and types: acl columns.
#pragma once

#include "engine/ddl/dependency.h"

namespace indigo::engine::ddl {

Result<std::string> execute_grant(DdlContext& c, const PgQuery__GrantStmt& s);
// REASSIGN OWNED and DROP OWNED.
Result<std::string> execute_reassign_owned(DdlContext& c, const PgQuery__ReassignOwnedStmt& s);
Result<std::string> execute_drop_owned(DdlContext& c, const PgQuery__DropOwnedStmt& s);

}  // namespace indigo::engine::ddl
