// Expressions back to SQL text, as PostgreSQL's ruleutils.c prints them (pg_get_expr).
// Thread safety: reads one session's catalog view.
#pragma once

#include <string>

#include "catalog/catalog_view.h"
#include "sql/expr.h"

namespace indigo::sql {

struct DeparseOptions {
  const catalog::RelationInfo* relation = nullptr;  // entry 0's columns; null: none
  // Names outside pg_catalog are qualified always (text to store), or only when search_path does not find them.
  bool always_qualify = true;
  bool pretty = false;  // fewer parentheses
};

std::string deparse(catalog::CatalogView& catalog, const Expr& expr, const DeparseOptions& options);

// Text of a literal of that type: 5, '-5'::integer, 'abc'::text, NULL::date.
std::string deparse_const(catalog::CatalogView& catalog, const ConstExpr& e, bool always_qualify);

}  // namespace indigo::sql
