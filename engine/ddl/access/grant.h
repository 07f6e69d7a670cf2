// GRANT and REVOKE on tables, columns, sequences, schemas, databases and types: acl columns.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_grant(DdlContext& c, const PgQuery__GrantStmt& s);

}  // namespace indigo::engine::ddl
