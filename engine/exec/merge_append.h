// Merge Append: inputs that are each in one order, merged into that order. Reads of each input only as far as is needed.
// Thread safety: none; belongs to one execution.
#pragma once

#include "engine/exec/pruned_inputs.h"

namespace indigo::engine::exec {

// p.order is not empty, and its types have byte keys (SortOps::encodable), which the planner sees to.
Result<OperatorPtr> make_merge_append(Builder& b, const sql::AppendPlan& p, PrunedInputs inputs);

}  // namespace indigo::engine::exec
