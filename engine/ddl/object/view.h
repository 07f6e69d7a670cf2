// CREATE [OR REPLACE] VIEW. The definition is kept as SQL text with every relation qualified.
#pragma once

#include "engine/ddl/table/create_table.h"

namespace indigo::engine::ddl {

Result<std::string> execute_create_view(DdlContext& c, const PgQuery__ViewStmt& s);

}  // namespace indigo::engine::ddl
