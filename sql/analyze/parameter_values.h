// A query for certain values of its parameters.
// Thread safety: pure function.
#pragma once

#include <memory>
#include <span>

#include "sql/query.h"
#include "types/value/datum.h"

namespace indigo::sql {

// The query with a constant in the place of each parameter that has a value in `values`.
std::shared_ptr<const Query> with_parameter_values(const std::shared_ptr<const Query>& query,
                                                   std::span<const Datum> values);

}  // namespace indigo::sql
