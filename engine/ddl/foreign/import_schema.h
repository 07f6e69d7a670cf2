// IMPORT FOREIGN SCHEMA from a server of postgres_fdw.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/object_lookup.h"
#include "engine/ddl/tree.h"

struct PgQuery__ImportForeignSchemaStmt;

namespace indigo::engine::ddl {

// The statement is allowed, and the server is one of postgres_fdw.
Status import_remote_schema(DdlContext& c, const PgQuery__ImportForeignSchemaStmt& s, Oid server);

}  // namespace indigo::engine::ddl
