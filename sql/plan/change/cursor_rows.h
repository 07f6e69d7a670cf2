// Queries of cursors tell where their rows come from: the row keys of the tables that UPDATE and DELETE ... WHERE CURRENT OF may
// change are further result columns. PostgreSQL's rule: with FOR UPDATE and the like every locked table, else the one table of
// a query without joins, grouping, sorting and the like.
// Thread safety: one planning, one thread.
#pragma once

#include <memory>

#include "base/error.h"
#include "sql/plan.h"
#include "sql/query.h"

namespace indigo::sql::planning {

// A copy of `query` with the keys as its last targets, noted in out.cursor_tables and out.locks_rows.
std::shared_ptr<const Query> with_row_keys(const std::shared_ptr<const Query>& query, PlannedStatement& out);

// Once planned: without locks only a plain scan counts; whatever else stands in the plan ends it.
void check_cursor_tables(PlannedStatement& out);

}  // namespace indigo::sql::planning
