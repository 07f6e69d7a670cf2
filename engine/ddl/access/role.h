// CREATE, ALTER and DROP ROLE (USER, GROUP), memberships.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_create_role(DdlContext& c, const PgQuery__CreateRoleStmt& s);
Status execute_alter_role(DdlContext& c, const PgQuery__AlterRoleStmt& s);
Status execute_drop_role(DdlContext& c, const PgQuery__DropRoleStmt& s);
Status execute_grant_role(DdlContext& c, const PgQuery__GrantRoleStmt& s);
Status rename_role(DdlContext& c, std::string_view from, std::string_view to);

}  // namespace indigo::engine::ddl
