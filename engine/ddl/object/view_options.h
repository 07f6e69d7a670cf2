// WITH (...) and WITH CHECK OPTION of views, which pg_class keeps together as reloptions.
// Thread safety: stateless.
#pragma once

#include <string>
#include <vector>

#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"
#include "sql/query.h"

namespace indigo::engine::ddl {

// As "name=value", checked: check_option (local, cascaded), security_barrier, security_invoker. 22023 for what else there is.
Result<std::vector<std::string>> view_options(NodeList options);
// The same of CREATE VIEW, whose WITH CHECK OPTION comes last.
Result<std::vector<std::string>> view_options(const PgQuery__ViewStmt& s);

// 0A000 when the options have a check_option and such a view cannot be changed through.
Status check_check_option(const std::vector<std::string>& options, const sql::Query& query);

}  // namespace indigo::engine::ddl
