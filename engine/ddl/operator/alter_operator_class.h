// ALTER OPERATOR CLASS and FAMILY: OWNER TO, RENAME TO, SET SCHEMA. A name begins with the access method.
// Thread safety: one definition statement.
#pragma once

#include <string_view>

#include "engine/ddl/ddl.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status change_operator_group_owner(DdlContext& c, sql::NodeList name, bool family, Oid owner);
Status rename_operator_group(DdlContext& c, sql::NodeList name, bool family, std::string_view to);
Status move_operator_group(DdlContext& c, sql::NodeList name, bool family, Oid schema);

}  // namespace indigo::engine::ddl
