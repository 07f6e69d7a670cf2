// What stands behind SET x TO, ALTER ROLE ... SET x TO and ALTER DATABASE ... SET x TO, as one text.
// Thread safety: one call belongs to one session.
#pragma once

#include <string>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine {

// Lists with commas; names in lists of names (search_path) quoted where they must be. Errors: 22023, 42601.
Result<std::string> set_argument(catalog::SessionContext& session, const PgQuery__VariableSetStmt& stmt);

}  // namespace indigo::engine
