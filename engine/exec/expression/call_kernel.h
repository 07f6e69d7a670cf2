// The kernel that a call runs.
// Thread safety: pure function.
#pragma once

#include "sql/expr.h"
#include "types/function/registry.h"

namespace indigo::engine::exec {

// Null: the function is not supported.
types::ScalarKernel call_kernel(const sql::CallExpr& e);

}  // namespace indigo::engine::exec
