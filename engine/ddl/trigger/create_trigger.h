// CREATE, ALTER and DROP TRIGGER, ALTER TABLE ... ENABLE and DISABLE TRIGGER. Thread safety: as the DdlContext.
#pragma once

#include <optional>
#include <string>

#include "engine/ddl/trigger/trigger_rows.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_create_trigger(DdlContext& c, const PgQuery__CreateTrigStmt& s);

// ---- alter_trigger.cpp
// `name` is the table's name and, last, the trigger's. Nothing with missing_ok (after a notice).
Result<std::optional<Address>> find_named_trigger(DdlContext& c, NodeList name, bool missing_ok, TableLockMode mode);
Status rename_trigger(DdlContext& c, const PgQuery__RangeVar* table, std::string_view from, std::string_view to);
// ENABLE [ALWAYS | REPLICA] TRIGGER, DISABLE TRIGGER: of one trigger, of the user's (USER) or of all. `recurse`: partitions, too.
Status enable_triggers(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd, bool recurse);

}  // namespace indigo::engine::ddl
