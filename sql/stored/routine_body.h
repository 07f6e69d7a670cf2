// The body of a routine in language SQL that is written as statements (BEGIN ATOMIC ... END, RETURN expression), as the catalog
// keeps it (prosqlbody): one stored query (sql/stored/stored_tree.h) whose WITH items are the statements, as they were written;
// parameters are ParamExprs. A RETURN has one target without a name; alone, without BEGIN ATOMIC, its item is "*RETURN*".
// Thread safety: pure functions; each call uses one session's catalog view.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/analyze/variables.h"
#include "sql/parse/tree_names.h"
#include "sql/query.h"
#include "types/type_info.h"

namespace indigo::sql {

// `body`: CreateFunctionStmt.sql_body, of queries only. Places of errors are those in `text`, the statement's.
Result<std::shared_ptr<const Query>> analyze_routine_body(catalog::SessionContext& session, const PgQuery__Node& body,
                                                          std::string_view text, const VariableScope& arguments);

// As SQL text that the session's search_path understands, parameters as $n: "SELECT ...; INSERT ...;".
Result<std::string> routine_body_text(catalog::SessionContext& session, std::string_view tree);

// "BEGIN ATOMIC ... END" or "RETURN ...", as pg_get_function_sqlbody prints it.
Result<std::string> print_routine_body(catalog::SessionContext& session, std::string_view tree,
                                       const types::FunctionInfo& function);

}  // namespace indigo::sql
