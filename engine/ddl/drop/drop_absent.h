// DROP of objects of kinds that cannot be created here, as transforms. They do not exist, which is an
// error or, with IF EXISTS, a notice: scripts that drop before they create continue.
// Thread safety: as DdlContext.
#pragma once

#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// One object of DROP's list; 0A000 for kinds whose built-in objects would have to be told apart.
Status drop_absent(DdlContext& c, const PgQuery__DropStmt& s, const PgQuery__Node& object);

}  // namespace indigo::engine::ddl
