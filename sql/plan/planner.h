// Query to PlannedStatement: rewrite (subquery pull-up, decorrelation, constant folding), access paths, join order and
// methods by cost, aggregation, sorting, limits. See sql/plan/README.md.
// Thread safety: one planning belongs to one session; the result is immutable and shared.
#pragma once

#include <memory>
#include <span>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/plan.h"
#include "sql/query.h"

namespace indigo::sql {

struct PlanInput {
  const AnalyzedStatement& statement;
  std::span<const Datum> sample_parameters;  // values of this execution, for selectivity only; may be empty
  bool for_cursor = false;  // the result tells where each row comes from (PlannedStatement::cursor_tables)
  // What enable_* say, kept by the caller from one planning to the next while no setting changes; -1: not known yet. Null:
  // looked up each time.
  int* switches = nullptr;
};

Result<std::shared_ptr<const PlannedStatement>> plan(catalog::SessionContext& session, const PlanInput& input);

}  // namespace indigo::sql
