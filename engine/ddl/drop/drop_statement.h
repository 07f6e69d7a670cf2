// DROP TABLE, INDEX, VIEW, SEQUENCE, SCHEMA, TYPE, DOMAIN: names to objects, then along pg_depend.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_drop(DdlContext& c, const PgQuery__DropStmt& s);

}  // namespace indigo::engine::ddl
