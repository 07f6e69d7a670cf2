// Plan nodes for paths.
// Thread safety: one planning, one thread.
#pragma once

#include <utility>
#include <vector>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

template <class P>
std::shared_ptr<P> make_plan(std::vector<PlanPtr> inputs = {}) {
  auto p = std::make_shared<P>();
  Plan& plan = *p;  // a type that does not depend on P: clang-tidy sees the move
  plan.inputs = std::move(inputs);
  return p;
}
// A node above one input that passes its columns through.
template <class P>
std::shared_ptr<P> make_above(const PlanPtr& input) {
  auto p = std::make_shared<P>();
  p->inputs = {input};
  p->columns = input->columns;
  p->startup_cost = input->startup_cost;
  p->total_cost = input->total_cost;
  p->rows = input->rows;
  p->width = input->width;
  return p;
}

// A filter above a plan; the plan itself when there are no conditions.
Result<PlanPtr> filtered(Level& level, const Built& input, const ExprList& conditions, double rows);
// Picks and orders columns.
PlanPtr projected(const PlanPtr& input, ExprList projection, std::vector<PlanColumn> columns);

}  // namespace indigo::sql::planning
