// Which expressions call functions of users' own: such calls may have effects, whatever volatility they declare, and are made
// once for each row.
// Thread safety: pure functions.
#pragma once

#include "catalog/descriptor/session_context.h"
#include "sql/expr.h"

namespace indigo::engine::exec {

// Does the node itself call one: as a function, operator or comparison, or by a type's input or order? Its children are not
// looked at.
bool calls_routine_itself(catalog::CatalogView& catalog, const sql::Expr& e);

}  // namespace indigo::engine::exec
