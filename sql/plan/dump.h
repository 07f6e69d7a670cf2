// Plans as text, one node a line, for tests and for reading: operator, relation, bounds, conditions, columns.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "catalog/descriptor/catalog_view.h"
#include "sql/plan.h"

namespace indigo::sql {

// Expressions print columns as $0.1 (input, column), runtime slots as :3, parameters as $1.
std::string dump_expression(catalog::CatalogView& catalog, const Expr& e);
std::string dump_plan(catalog::CatalogView& catalog, const Plan& plan, int indent = 0);
// The root, then initplans, subplans and CTEs.
std::string dump_statement(catalog::CatalogView& catalog, const PlannedStatement& statement);

}  // namespace indigo::sql
