// ALTER ... RENAME TO, RENAME COLUMN, RENAME CONSTRAINT, SET SCHEMA and OWNER TO.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_rename(DdlContext& c, const PgQuery__RenameStmt& s);
Status execute_set_schema(DdlContext& c, const PgQuery__AlterObjectSchemaStmt& s);
Status execute_owner(DdlContext& c, const PgQuery__AlterOwnerStmt& s);

}  // namespace indigo::engine::ddl
