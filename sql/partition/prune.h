// Pruning: which partitions may hold rows whose key lies within bounds (sql/plan.h, KeyBounds over the partition key).
//
// The planner asks with the values that it knows, the executor when the others are there, too.
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sql/partition/partition_map.h"
#include "sql/plan.h"

namespace indigo::sql::partition {

// The expressions of the bounds in the order in which prune() takes their values.
ExprList bound_expressions(const KeyBounds& bounds);

// Partitions in the order of their bounds. `types` and `values`: of bound_expressions.
Result<PartitionSet> prune(types::FuncContext& context, const PartitionMap& map, const KeyBounds& bounds,
                           std::span<const TypeRef> types, std::span<const Datum> values);

// The inputs of an Append that all its prunings leave, ascending; `found[i]`: what prunings[i] leaves, null when it is not known.
std::vector<size_t> inputs_left(const AppendPlan& append, std::span<const std::optional<PartitionSet>> found);

}  // namespace indigo::sql::partition
