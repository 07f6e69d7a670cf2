// Constant folding and simplification of one expression node whose children are folded already.
// Only immutable functions are evaluated; an error leaves the call for run time, but one of a function of users' own, which must
// not be called again to find it, is raised (base/raised_error.h). Follows eval_const_expressions.
// Thread safety: pure, but for the session's catalog.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/expr.h"

namespace indigo::sql::planning {

// Are functions of users' own called, or left for run time?
enum class FoldRoutines : uint8_t { kCall, kLeave };

ExprPtr fold_node(catalog::SessionContext& session, const ExprPtr& e, FoldRoutines routines = FoldRoutines::kCall);
// The whole tree, bottom up.
ExprPtr fold(catalog::SessionContext& session, const ExprPtr& e, FoldRoutines routines = FoldRoutines::kCall);
// Folds the children with `map`, in the order of evaluation: what a constant among them keeps from being reached is dropped.
ExprPtr fold_children(const ExprPtr& e, const std::function<ExprPtr(const ExprPtr&)>& map);
// NOT e, pushed down where an operator has a negator.
ExprPtr negate(catalog::SessionContext& session, const ExprPtr& e);

bool is_true(const ExprPtr& e);           // the constant
bool is_false_or_null(const ExprPtr& e);  // the constants that let no row pass

// The value of an expression without columns and parameters, immutable throughout; null pointer when that fails, with what it
// failed with in `failure`.
ExprPtr evaluate_call(catalog::SessionContext& session, const CallExpr& call,
                      std::unique_ptr<Error>* failure = nullptr);
// The error that PostgreSQL ends the planning of a folded expression with. (Functions of users' own have raised theirs.)
Status folding_failure(catalog::SessionContext& session, const ExprPtr& e);

}  // namespace indigo::sql::planning
