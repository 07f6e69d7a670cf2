// What grouping plans are compiled to: the group columns' expressions, how their values compare, and the aggregates.
#pragma once

#include <vector>

#include "engine/exec/aggregate/aggregate_call.h"
#include "engine/exec/builder.h"
#include "engine/exec/expression/expression.h"
#include "engine/exec/row_keys.h"

namespace indigo::engine::exec {

struct Grouping {
  ExpressionSet columns;
  KeyOps ops;
  std::vector<Phys> phys;  // of the columns
  std::vector<AggregateCall> calls;

  static Result<Grouping> make(Builder& b, const sql::AggregatePlan& p);
  static Result<std::vector<AggregateCall>> make_calls(Builder& b, const sql::AggregatePlan& p);
};

}  // namespace indigo::engine::exec
