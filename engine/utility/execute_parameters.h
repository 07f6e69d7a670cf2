// What EXECUTE and EXPLAIN EXECUTE name: a prepared statement and the values of its parameters.
// Thread safety: as the session.
#pragma once

#include <string_view>
#include <vector>

#include "engine/session/portal/prepared_statements.h"
#include "engine/session/session_parts.h"
#include "engine/utility/utility.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine {

// 26000 when there is no such prepared statement.
Result<NamedStatement*> find_prepared(SessionParts& session, std::string_view name);
// Brings the plan up to date and evaluates the parameters. 42601 for a wrong number of them, 0A000 for subqueries in them.
Result<std::vector<OwnedDatum>> execute_parameters(UtilityCall& call, const PgQuery__ExecuteStmt& stmt,
                                                   NamedStatement& named);

}  // namespace indigo::engine
