// CREATE [OR REPLACE] VIEW, and what materialized views share with it. The query is kept as a tree (sql/stored/stored_tree.h).
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/references.h"
#include "engine/ddl/table/create_table.h"

namespace indigo::engine::ddl {

Result<std::string> execute_create_view(DdlContext& c, const PgQuery__ViewStmt& s);

// The rule that keeps the relation's query, and what it depends on.
Status store_query(DdlContext& c, Oid relation, const std::string& tree, const References& references);
// What the query shows; the first of its columns get other names.
Result<std::vector<NewColumn>> query_columns(DdlContext& c, const sql::Query& query,
                                             const std::vector<std::string>& aliases);
// 0A000 when the query has a constant that cannot be kept.
Status check_constants(DdlContext& c, const References& references);

}  // namespace indigo::engine::ddl
