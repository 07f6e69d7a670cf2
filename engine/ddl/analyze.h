// ANALYZE: a sample of each table's rows to pg_statistic (null fraction, width, distinct values, most common values,
// histogram) and pg_class.reltuples and relpages.
// Source: PostgreSQL's documentation of pg_statistic; the estimate of distinct values is Haas and Stokes' Duj1.
#pragma once

#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status analyze_table(DdlContext& c, const RelationPtr& relation, std::span<const int16_t> columns);
Status execute_analyze(DdlContext& c, const PgQuery__VacuumStmt& s);

}  // namespace indigo::engine::ddl
