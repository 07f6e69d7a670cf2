// Queries back to SQL text, laid out as PostgreSQL's ruleutils.c does (pg_get_viewdef): " SELECT a,\n    b\n   FROM t".
// What analysis has forgotten is not brought back: CROSS JOIN is printed as a comma, a join has no alias.
// Thread safety: reads one session's catalog view.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/catalog_view.h"
#include "sql/query.h"

namespace indigo::sql {

// `column_names`: of the view, where they differ from the query's own (may be empty). 0A000 for queries that are more
// than SELECT.
Result<std::string> deparse_query(catalog::CatalogView& catalog, const Query& query,
                                  std::span<const std::string> column_names, bool pretty);

// An expression over one relation's columns that may have subqueries, as pg_get_expr prints it.
Result<std::string> deparse_over(catalog::CatalogView& catalog, const ExprPtr& e,
                                 const std::shared_ptr<const RelationInfo>& relation, bool pretty);

// A rule (sql/rule/rule_tree.h).
struct RuleDeparsed {
  std::string condition;  // empty: none
  std::vector<std::string> actions;
};
Result<RuleDeparsed> deparse_rule(catalog::CatalogView& catalog, const Query& rule, bool pretty);

// What the statements of a routine's body call its parameters.
struct StatementNames {
  bool known = false;  // false: $n; and RETURN is a SELECT
  std::string function;
  std::vector<std::string> parameters;  // an empty one, or too few: $n
  bool one_line = false;
};
// The WITH items of a query as statements (sql/stored/routine_body.h).
Result<std::vector<std::string>> deparse_statements(catalog::CatalogView& catalog, const Query& around,
                                                    StatementNames names);

}  // namespace indigo::sql
