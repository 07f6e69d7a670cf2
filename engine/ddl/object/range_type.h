// CREATE TYPE ... AS RANGE: a range type, its multirange type, and the constructors and the cast of both.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/object_lookup.h"

struct PgQuery__CreateRangeStmt;

namespace indigo::engine::ddl {

Status execute_create_range(DdlContext& c, const PgQuery__CreateRangeStmt& s);

}  // namespace indigo::engine::ddl
