// REINDEX and CLUSTER: tables and indexes rebuilt. Nothing here ever needs it, since trees keep themselves compact and a table is
// ordered by its primary key; CLUSTER records its choice of an index (pg_index.indisclustered) and rewrites.
#pragma once

#include <string>

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_reindex(DdlContext& c, const PgQuery__ReindexStmt& s);
// What of it cannot run in a transaction block; empty: all can.
std::string reindex_in_block(const PgQuery__Node& node);
Status execute_cluster(DdlContext& c, const PgQuery__ClusterStmt& s);
// Whether CLUSTER can go by the index: 0A000.
Status check_clusterable(const catalog::IndexInfo& index);

}  // namespace indigo::engine::ddl
