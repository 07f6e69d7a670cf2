// CREATE, ALTER and DROP EVENT TRIGGER: rows of pg_event_trigger. engine/programs/event_statement.h fires them.
// Thread safety: as the DdlContext.
#pragma once

#include <optional>

#include "engine/ddl/drop/dependency.h"

struct PgQuery__AlterEventTrigStmt;
struct PgQuery__CreateEventTrigStmt;

namespace indigo::engine::ddl {

Status execute_create_event_trigger(DdlContext& c, const PgQuery__CreateEventTrigStmt& s);
// ENABLE [REPLICA | ALWAYS] and DISABLE
Status execute_alter_event_trigger(DdlContext& c, const PgQuery__AlterEventTrigStmt& s);

// By name, for its owner: 42704 when there is none, unless missing_ok (nothing then, after a notice).
Result<std::optional<Address>> find_own_event_trigger(DdlContext& c, std::string_view name, bool missing_ok);
Status rename_event_trigger(DdlContext& c, std::string_view name, std::string_view to);
Status change_event_trigger_owner(DdlContext& c, std::string_view name, Oid owner);

}  // namespace indigo::engine::ddl
