// The tables that store a relation's rows, as far as some columns' values say: how foreign keys find rows of a partitioned table.
// Thread safety: none; belongs to one execution.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/exec/query_state.h"

namespace indigo::engine::exec {

using LeafVisitor = std::function<Result<bool>(const std::shared_ptr<const catalog::RelationInfo>& leaf)>;

// Calls visit(leaf) for the relation itself, or for the tables below a partitioned one that may hold rows with these values
// (of the columns' types, not null), locked ROW SHARE or, where rows are to change, ROW EXCLUSIVE; stops when it answers false.
Status for_each_leaf(QueryState& state, const std::shared_ptr<const catalog::RelationInfo>& relation,
                     std::span<const int16_t> columns, std::span<const Datum> values, bool changes,
                     const LeafVisitor& visit);

// Columns of `from` as those of `to`, which has columns of the same names.
std::vector<int16_t> columns_by_name(const catalog::RelationInfo& from, std::span<const int16_t> columns,
                                     const catalog::RelationInfo& to);

}  // namespace indigo::engine::exec
