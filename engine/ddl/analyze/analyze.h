// ANALYZE: a sample of each table's rows to pg_statistic (null fraction, width, distinct values, most common values,
// histogram), to pg_statistic_ext_data what CREATE STATISTICS asks for, and to pg_class.reltuples and relpages.
#pragma once

#include "engine/ddl/object_lookup.h"

namespace indigo::engine::ddl {

// All columns when none are named. The caller has the lock.
Status analyze_table(DdlContext& c, const RelationPtr& relation, std::span<const int16_t> columns);
// Of the rows of a table and of all that is below it: what pg_stats calls inherited. A partitioned table has no others.
Status analyze_tree(DdlContext& c, const RelationPtr& relation, std::span<const Oid> tree,
                    std::span<const int16_t> columns);

}  // namespace indigo::engine::ddl
