// What a partition's bound says of its rows, as SQL: for validation of rows that are there, and for \d+.
// Thread safety: pure functions over descriptors.
#pragma once

#include <string>

#include "catalog/descriptor/session_context.h"
#include "sql/partition/partition_map.h"

namespace indigo::sql::partition {

// The condition of one bound among the partitions of `parent`; the default partition's is that no other takes the row.
// Empty: always true.
Result<std::string> bound_condition(catalog::SessionContext& session, const RelationInfo& parent, const Bound& bound);
// All conditions on a partition's rows, its ancestors' first. Empty: none.
Result<std::string> partition_condition(catalog::SessionContext& session, const RelationInfo& partition);

}  // namespace indigo::sql::partition
