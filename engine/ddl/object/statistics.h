// CREATE, ALTER and DROP STATISTICS: rows of pg_statistic_ext. The expressions are kept as trees, as those of an index are.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_create_statistics(DdlContext& c, const PgQuery__CreateStatsStmt& s);
// LIKE ... INCLUDING STATISTICS: those of another table, for one that has columns of these names.
Status copy_statistics(DdlContext& c, const RelationInfo& source, const RelationPtr& relation, bool comments);
// SET STATISTICS
Status execute_alter_statistics(DdlContext& c, const PgQuery__AlterStatsStmt& s);

// By name, for its owner: 42704 when there is none, unless missing_ok (nothing then, after a notice).
Result<std::optional<Address>> find_own_statistics(DdlContext& c, NodeList name, bool missing_ok,
                                                   Right right = Right::kOwner);
Status rename_statistics(DdlContext& c, NodeList name, std::string_view to);
Status move_statistics(DdlContext& c, NodeList name, std::string_view new_schema);
Status change_statistics_owner(DdlContext& c, NodeList name, Oid owner);

}  // namespace indigo::engine::ddl
