// CREATE, ALTER and DROP COLLATION. ICU's collations are all there are beside C order: of the C library's only C and POSIX.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_create_collation(DdlContext& c, const PgQuery__DefineStmt& s);
// Collations of the C library's and ICU's locales in that schema, where it has none of the name; the answer: how many are new.
Result<int32_t> import_collations(DdlContext& c, Oid schema);
// REFRESH VERSION: the version is always ICU's own, so there is never anything to refresh.
Status execute_alter_collation(DdlContext& c, const PgQuery__AlterCollationStmt& s);
// By its name; 42704 when there is none, 42501 without ownership.
Result<Oid> owned_collation(DdlContext& c, NodeList name, Right right = Right::kOwner);
// DROP COLLATION: nothing, with a notice, when it is missing and may be.
Result<std::optional<Address>> find_dropped_collation(DdlContext& c, NodeList name, bool missing_ok);
Status rename_collation(DdlContext& c, NodeList name, std::string_view to);
Status move_collation(DdlContext& c, NodeList name, std::string_view new_schema);

}  // namespace indigo::engine::ddl
