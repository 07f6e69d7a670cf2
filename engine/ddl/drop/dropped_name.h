// What the names of DROP's objects may be, whether there are such objects or not.
// Thread safety: as DdlContext.
#pragma once

#include "engine/ddl/object_lookup.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// 0A000: of another database. 42601: more parts than a name has.
Status check_dropped_name(DdlContext& c, PgQuery__ObjectType type, const PgQuery__Node& object);

}  // namespace indigo::engine::ddl
