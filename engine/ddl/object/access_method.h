// CREATE ACCESS METHOD over a handler that is built in, and which method a new table has: rows of pg_am. A table's method under
// another name is a table like all others; an index's is a definition that operator classes can be made for.
// Thread safety: as the DdlContext.
#pragma once

#include <optional>

#include "engine/ddl/drop/dependency.h"

struct PgQuery__CreateAmStmt;

namespace indigo::engine::ddl {

inline constexpr Oid kHeapMethod = 2;

Status execute_create_access_method(DdlContext& c, const PgQuery__CreateAmStmt& s);
Result<std::optional<Address>> find_dropped_access_method(DdlContext& c, std::string_view name, bool missing_ok);
Result<Address> find_own_access_method(DdlContext& c, std::string_view name);

// USING name; empty: default_table_access_method. 42704, 42809.
Result<Oid> new_table_method(DdlContext& c, std::string_view name);
Status record_table_method(DdlContext& c, Oid relation, Oid method);
// ALTER TABLE ... SET ACCESS METHOD
Status set_table_method(DdlContext& c, const RelationInfo& relation, std::string_view name);

}  // namespace indigo::engine::ddl
