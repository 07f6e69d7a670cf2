// Parts of putting a function's body in the place of its call.
// Thread safety: pure functions.
#pragma once

#include "catalog/descriptor/catalog_view.h"
#include "sql/expr.h"

namespace indigo::sql {

// The body with the call's arguments in the places of its parameters; `depth`: how many queries lie between the arguments'
// level and the expression's.
ExprPtr with_arguments(const ExprPtr& body, const ExprList& arguments, int depth);

// A call is checked when it runs; what takes its place is not. So only what everybody may execute is put there.
bool everybody_may_execute(catalog::CatalogView& catalog, Oid function);

}  // namespace indigo::sql
