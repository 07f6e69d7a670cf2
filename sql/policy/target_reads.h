// Which columns of its target a change reads, beyond what the table's own rules do: what asks for SELECT.
// Thread safety: pure functions.
#pragma once

#include <vector>

#include "sql/query.h"

namespace indigo::sql {

// Whether `e` is one of the conditions that AND makes `condition` of.
bool is_conjunct_of(const Expr& e, const ExprPtr& condition);

struct TargetReads {
  std::vector<int> columns;    // in the order in which they are found
  bool system_column = false;  // ... or tableoid and the like
  bool any() const { return system_column || !columns.empty(); }
};
// Outside of `condition`, which a view brings with it (null: none).
TargetReads target_reads(const Query& q, const ExprPtr& condition);

}  // namespace indigo::sql
