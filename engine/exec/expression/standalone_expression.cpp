#include "engine/exec/expression/standalone_expression.h"

#include "engine/exec/builder.h"

namespace indigo::engine::exec {

namespace {

// Nothing but the expression: all of them share it.
const std::shared_ptr<const sql::PlannedStatement>& no_plan() {
  static const auto plan = std::make_shared<const sql::PlannedStatement>();
  return plan;
}

}  // namespace

StandaloneExpression::StandaloneExpression(sql::ExprPtr expr) : expr_(std::move(expr)), state_(no_plan()) {}

Result<Datum> StandaloneExpression::evaluate(const ExecutionContext& context) {
  state_.begin(context);
  if (node_ == nullptr) {
    Builder builder(state_);
    INDIGO_ASSIGN(node_, builder.compile(expr_));
  }
  const Vector& value = node_->evaluate(Frame{{nullptr, nullptr}, 1}, Selection{nullptr, 1});
  if (state_.functions().failed()) return state_.functions().take_error();
  return value.datum(0);
}

}  // namespace indigo::engine::exec
