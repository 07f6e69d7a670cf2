// An expression over parameters alone, compiled for one row at a time: what programs compute between their statements.
// Thread safety: none; belongs to one session. Not reentrant: an expression that is being evaluated is not evaluated again.
#pragma once

#include <memory>
#include <optional>

#include "base/memory/arena.h"
#include "engine/exec/scalar/scalar_node.h"
#include "sql/expr.h"

namespace indigo::engine::exec {

class ScalarExpression {
 public:
  // Without columns, subqueries, aggregates and sets; otherwise, and when it is nested too deep, evaluation fails.
  ScalarExpression(types::SessionContext& session, sql::ExprPtr expr);

  const sql::TypeRef& type() const { return expr_->type; }
  // Whether it must be evaluated within an execution context.
  bool needs_context() const { return needs_context_; }

  // Strings live until the next evaluation. Without `context` only when !needs_context(). Inline: a call would cost a
  // program's short statement a tenth.
  [[gnu::always_inline]] Status evaluate(const Datum* parameters, Datum& out,
                                         const ExecutionContext* context = nullptr) {
    if (needs_functions_) begin();
    ScalarRun run{parameters, *functions_, context};
    const Datum* const value = root_.get(run, out);
    if (value == nullptr) [[unlikely]]
      return functions_->take_error();
    if (value != &out) copy_scalar(out, *value);
    if (out.null) out.phys = phys_;
    return {};
  }

 private:
  void begin();

  const sql::ExprPtr expr_;  // constants borrow from it
  types::SessionContext& session_;
  ScalarOperand root_;
  Phys phys_ = Phys::kI64;
  bool needs_functions_ = false, needs_context_ = false, needs_fresh_ = false;
  Arena arena_{512};
  std::optional<types::FuncContext> functions_;
};

}  // namespace indigo::engine::exec
