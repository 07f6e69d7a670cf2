// How many rows pass a condition: from column statistics, else PostgreSQL's defaults.
// Thread safety: pure functions.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

double selectivity(Level& level, const ExprPtr& condition);
// Of conditions that must all hold.
double conjunction_selectivity(Level& level, const ExprList& conditions);
double clause_selectivity(Level& level, const Clause& clause);
double clauses_selectivity(Level& level, const std::vector<const Clause*>& clauses);
// The statistics of a column that an expression is (through relabelling), or of an expression that CREATE STATISTICS names; null
// when there are none. Of a table that stands for
// others (partitions), the largest of these speaks when it has none of its own.
const catalog::ColumnStatistics* column_statistics(const Level& level, const VarExpr& v);
const catalog::ColumnStatistics* column_statistics(const Level& level, const ExprPtr& e);
int average_width(const Level& level, int entry, int column);
int average_width(const Level& level, const ExprPtr& e);

}  // namespace indigo::sql::planning
