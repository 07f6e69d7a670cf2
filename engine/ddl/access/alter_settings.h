// ALTER ROLE ... SET and ALTER DATABASE ... SET: what engine/settings/stored_settings.h reads when a session begins.
#pragma once

#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_alter_role_set(DdlContext& c, const PgQuery__AlterRoleSetStmt& s);
Status execute_alter_database_set(DdlContext& c, const PgQuery__AlterDatabaseSetStmt& s);

}  // namespace indigo::engine::ddl
