// Does a condition follow from others? What partial indexes ask: the facts of a query (or of ON CONFLICT's WHERE) against an
// index's predicate. Sound and not complete: equal conditions; AND, OR and lists (IN, op ANY, op ALL) element by element;
// comparisons of one expression with constants (x > 5 gives x > 3 and x <> 1); and IS NOT NULL from what is strict.
// Thread safety: pure.
#pragma once

#include <vector>

#include "catalog/descriptor/catalog_view.h"
#include "sql/expr.h"

namespace indigo::sql {

// `facts` hold together.
bool implies(catalog::CatalogView& catalog, const ExprList& facts, const ExprPtr& conclusion);

// An expression over parameters alone, and the constant that it has to be equal to.
struct Premise {
  ExprPtr expression, constant;
};
// The same where facts hold parameters: it follows if all the premises that were added hold. False: it does not.
bool implies_given(catalog::CatalogView& catalog, const ExprList& facts, const ExprPtr& conclusion,
                   std::vector<Premise>& premises);

}  // namespace indigo::sql
