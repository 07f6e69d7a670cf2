// Values for rows of a VALUES node that is run for many more rows than it has: each row is like one of the node's, with its own
// values in the places of that row's parameters.
// Thread safety: none; belongs to one execution's caller, who keeps it while the execution is open.
#pragma once

#include <cstdint>
#include <vector>

#include "sql/plan.h"
#include "types/value/datum.h"

namespace indigo::engine {

struct RowParameters {
  const sql::ValuesPlan* values = nullptr;
  std::vector<uint32_t> first_parameter;  // by row of `values`: the statement's parameter that is its first
  struct Row {
    uint32_t like;   // a row of `values`
    uint32_t first;  // its first value in `parameters`
  };
  std::vector<Row> rows;
  std::vector<Datum> parameters;
};

}  // namespace indigo::engine
