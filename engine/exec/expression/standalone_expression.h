// An expression over parameters alone, evaluated without a plan: what programs compute between their statements.
// Thread safety: none; belongs to one session. Not reentrant: an expression that is being evaluated is not evaluated again.
#pragma once

#include <memory>

#include "engine/exec/expression/expression.h"
#include "engine/exec/query_state.h"

namespace indigo::engine::exec {

class StandaloneExpression {
 public:
  // Without columns, subqueries, aggregates and sets.
  explicit StandaloneExpression(sql::ExprPtr expr);

  // Strings live until the next evaluation.
  Result<Datum> evaluate(const ExecutionContext& context);
  const sql::TypeRef& type() const { return expr_->type; }

 private:
  sql::ExprPtr expr_;
  QueryState state_;
  NodePtr node_;
};

}  // namespace indigo::engine::exec
