// DROP TABLE, INDEX, VIEW, SEQUENCE, SCHEMA, TYPE, DOMAIN: names to objects, then along pg_depend.
#pragma once

#include "engine/ddl/drop/dependency.h"

namespace indigo::engine::ddl {

Result<std::string> execute_drop(DdlContext& c, const PgQuery__DropStmt& s);
// "TABLE", "MATERIALIZED VIEW" ... of command tags.
std::string_view object_type_tag(PgQuery__ObjectType type);

}  // namespace indigo::engine::ddl
