// Whether evaluating an expression could tell of the values that it is given, by an error or otherwise, beyond its result.
// PostgreSQL's contain_leaked_vars.
// Thread safety: reads one session's catalog view.
#pragma once

#include "catalog/descriptor/catalog_view.h"
#include "sql/expr.h"

namespace indigo::sql {

// A function that may leak is no matter when it is given no column.
bool is_leakproof(catalog::CatalogView& catalog, const ExprPtr& e);

}  // namespace indigo::sql
