// CREATE and ALTER FOREIGN DATA WRAPPER: rows of pg_foreign_data_wrapper. No handler is built in, so that foreign data can be
// described and not read.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/foreign/foreign_object.h"

struct PgQuery__AlterFdwStmt;
struct PgQuery__CreateFdwStmt;

namespace indigo::engine::ddl {

Status execute_create_wrapper(DdlContext& c, const PgQuery__CreateFdwStmt& s);
Status execute_alter_wrapper(DdlContext& c, const PgQuery__AlterFdwStmt& s);
Status change_wrapper_owner(DdlContext& c, std::string_view name, Oid owner);

}  // namespace indigo::engine::ddl
