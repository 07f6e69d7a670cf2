// CREATE RULE "_RETURN" ... ON SELECT: an empty table becomes a view, with its oid, columns and privileges; a view gets another
// query (OR REPLACE).
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/rows.h"

namespace indigo::engine::ddl {

// `relation` is locked against everything; it can have rules, and the user owns it.
Status execute_create_select_rule(DdlContext& c, const PgQuery__RuleStmt& s, const RelationPtr& relation);

}  // namespace indigo::engine::ddl
