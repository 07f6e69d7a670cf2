// VACUUM and ANALYZE as statements: options, the tables that they name, and who may.
// What VACUUM reclaims it reclaims of the whole store (storage/reclaimer.h), which does so on its own, too; ANALYZE of one table is
// in engine/ddl/analyze/analyze.h.
#pragma once

#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// Tables that the role may not touch are left out with a warning.
Status execute_vacuum(DdlContext& c, const PgQuery__VacuumStmt& s);

}  // namespace indigo::engine::ddl
