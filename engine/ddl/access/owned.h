// REASSIGN OWNED and DROP OWNED: everything in this database that roles own, and the privileges that they have.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_reassign_owned(DdlContext& c, const PgQuery__ReassignOwnedStmt& s);
Status execute_drop_owned(DdlContext& c, const PgQuery__DropOwnedStmt& s);

}  // namespace indigo::engine::ddl
