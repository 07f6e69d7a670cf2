// What things cost, in PostgreSQL's units where they mean the same (cpu_tuple_cost 0.01 is handling one row), but for data
// that is in memory: there are no pages to read; a descent in a tree costs as much as reading some twenty rows in order.
// Thread safety: pure functions.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

inline constexpr double kRowCost = 0.01, kOperatorCost = 0.0025, kDescentCost = 0.2, kFetchCost = 0.12,
                        kIndexEntryCost = 0.005, kColumnCost = 0.0005, kHashRowCost = 0.015, kRescanCost = 0.02;

// Cost of evaluating an expression once.
double expression_cost(const Level& level, const ExprPtr& e);
double clauses_cost(const Level& level, const std::vector<const Clause*>& clauses);
double sort_cost(double rows, double limit_rows);  // beyond its input
// Whether `setting` (enable_hashjoin ...) is on.
bool enabled(Statement& s, int bit);
enum EnableBit : int {
  kEnableNestLoop,
  kEnableHashJoin,
  kEnableMergeJoin,
  kEnableIndexScan,
  kEnableSort,
  kEnableHashAgg,
  kEnableSeqScan,
  kEnableIncrementalSort
};
inline constexpr double kDisabledCost = 1e10;

}  // namespace indigo::sql::planning
