// CREATE [OR REPLACE] VIEW, and what materialized views share with it. The query is kept as a tree (sql/stored/stored_tree.h).
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/references.h"
#include "engine/ddl/table/create_table.h"
#include "sql/analyze/analyzer.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_create_view(DdlContext& c, const PgQuery__ViewStmt& s);

// A query that will be kept. What it mentions goes to `references`, is locked (engine/ddl/hold.h), and is as it was when it was
// analyzed.
Result<sql::AnalyzedStatement> analyze_kept(DdlContext& c, const PgQuery__Node* query, References& references);

// The rule that keeps the relation's query, and what it depends on.
Status store_query(DdlContext& c, Oid relation, const std::string& tree, const References& references);
// What the query shows; the first of its columns get other names.
Result<std::vector<NewColumn>> query_columns(DdlContext& c, const sql::Query& query,
                                             const std::vector<std::string>& aliases);
// 0A000 when the query has a constant that cannot be kept.
Status check_constants(DdlContext& c, const References& references);

}  // namespace indigo::engine::ddl
