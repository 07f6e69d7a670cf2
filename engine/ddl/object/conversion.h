// CREATE CONVERSION and what ALTER, COMMENT and DROP do to one: rows of pg_conversion. A default one would be found after the
// built-in ones, which there are of every pair that a function can convert: it changes nothing, as in PostgreSQL.
// Thread safety: as the DdlContext.
#pragma once

#include <optional>

#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/object_lookup.h"
#include "sql/parse/node.h"

struct PgQuery__CreateConversionStmt;

namespace indigo::engine::ddl {

Status execute_create_conversion(DdlContext& c, const PgQuery__CreateConversionStmt& s);
// For its owner: 42704 when there is none, unless missing_ok (nothing then, after a notice).
Result<std::optional<Address>> find_own_conversion(DdlContext& c, sql::NodeList name, bool missing_ok,
                                                   Right right = Right::kOwner);
Result<std::optional<Address>> find_dropped_conversion(DdlContext& c, sql::NodeList name, bool missing_ok);
Status rename_conversion(DdlContext& c, sql::NodeList name, std::string_view to);
Status move_conversion(DdlContext& c, sql::NodeList name, std::string_view new_schema);
Status change_conversion_owner(DdlContext& c, sql::NodeList name, Oid owner);
std::string conversion_text(DdlContext& c, Oid oid);  // qualified where it is not found without

}  // namespace indigo::engine::ddl
