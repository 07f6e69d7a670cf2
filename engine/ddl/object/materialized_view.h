// CREATE MATERIALIZED VIEW and REFRESH: a table whose rows are what its query gave last.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_create_materialized_view(DdlContext& c, const PgQuery__CreateTableAsStmt& s);
Status execute_refresh(DdlContext& c, const PgQuery__RefreshMatViewStmt& s);

}  // namespace indigo::engine::ddl
