// REINDEX and CLUSTER: tables and indexes made anew. Nothing here ever needs it, since trees keep themselves compact and a table is
// ordered by its primary key; CLUSTER keeps its choice of an index for who asks (pg_index.indisclustered), and rewrites.
#pragma once

#include "engine/ddl/drop/dependency.h"

namespace indigo::engine::ddl {

Result<std::string> execute_reindex(DdlContext& c, const PgQuery__ReindexStmt& s);
Result<std::string> execute_cluster(DdlContext& c, const PgQuery__ClusterStmt& s);

}  // namespace indigo::engine::ddl
