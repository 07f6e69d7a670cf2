// UPDATE, DELETE and MERGE of a table with others below it: hands each row of the source to the change of the row's own table.
// Thread safety: none; belongs to one execution.
#pragma once

#include <functional>

#include "engine/exec/builder.h"

namespace indigo::engine::exec {

// Makes the change of one table over the operator that feeds it, when its first row has come; so it keeps no builder.
using MakeChange = std::function<Result<OperatorPtr>(OperatorPtr feed)>;
struct DispatchedTable {
  Oid relation = kInvalidOid;  // kInvalidOid: rows of no table (MERGE's source rows without a match)
  MakeChange make;
};

// `in_order`: rows come out in the source's order.
Result<OperatorPtr> make_dispatch(OperatorPtr input, int table_column, bool in_order,
                                  std::vector<DispatchedTable> tables);

}  // namespace indigo::engine::exec
