// ANALYZE's part for CREATE STATISTICS: from a sample of a table's rows to pg_statistic_ext_data.
#pragma once

#include "engine/ddl/object_lookup.h"

namespace indigo::engine::ddl {

// For each statistics object of the table; one that needs a column that is not among `columns` (empty: all) is left as it is,
// with a warning. `rows`: how many the table has. Expressions are evaluated as the table's owner; their errors are ANALYZE's.
Status gather_extended_statistics(DdlContext& c, const RelationPtr& relation, std::span<const int16_t> columns,
                                  uint64_t rows);
// What was found for a statistics object goes.
Status forget_gathered(DdlContext& c, Oid statistics);

}  // namespace indigo::engine::ddl
