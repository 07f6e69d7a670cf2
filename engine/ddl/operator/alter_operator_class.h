// ALTER OPERATOR CLASS and FAMILY: OWNER TO, RENAME TO, SET SCHEMA (a name begins with the access method), and a family's ADD
// and DROP.
// Thread safety: one definition statement.
#pragma once

#include <string_view>

#include "engine/ddl/ddl.h"
#include "sql/parse/tree_names.h"

struct PgQuery__AlterOpFamilyStmt;

namespace indigo::engine::ddl {

Status execute_alter_operator_family(DdlContext& c, const PgQuery__AlterOpFamilyStmt& s);
Status change_operator_group_owner(DdlContext& c, sql::NodeList name, bool family, Oid owner);
Status rename_operator_group(DdlContext& c, sql::NodeList name, bool family, std::string_view to);
Status move_operator_group(DdlContext& c, sql::NodeList name, bool family, std::string_view new_schema);

}  // namespace indigo::engine::ddl
