// SEARCH and CYCLE of recursive WITH items: their columns, checked as PostgreSQL checks them. What computes the columns is
// added by the planner (sql/plan/rewrite/search_cycle.h).
// Thread safety: part of one analysis.
#pragma once

#include <string>
#include <vector>

#include "sql/analyze/scope.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// Before the item's query is analyzed, whose recursive term may name the columns: their names and the mark's type.
Status begin_search_cycle(Scope& scope, const PgQuery__CommonTableExpr& item, CommonTable& out);
// After it: 42601 and 0A000 when the query or the names do not fit; the columns that are searched by.
// `names`: the item's columns without those that are added.
Status finish_search_cycle(const Scope& scope, const PgQuery__CommonTableExpr& item, const Query& query,
                           const std::vector<std::string>& names, CommonTable& out);
// The columns that a reference to the item has at its end.
void add_search_cycle_columns(const CommonTable& table, std::vector<std::string>& names, std::vector<TypeRef>& types);

}  // namespace indigo::sql
