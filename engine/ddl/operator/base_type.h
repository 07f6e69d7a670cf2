// CREATE TYPE of shells and of base types over functions: rows of pg_type. A base type here has the form of the built-in type
// whose input function it has (TypeInfo::like).
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/operator/definition.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_create_base_type(DdlContext& c, const PgQuery__DefineStmt& s);
// Whoever may create in its schema makes one.
Result<Oid> create_shell_type(DdlContext& c, sql::NodeList name);
// A type that has a name and nothing else yet.
bool is_shell_type(const TypeInfo& type);

}  // namespace indigo::engine::ddl
