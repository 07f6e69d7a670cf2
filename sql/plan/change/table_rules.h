// A table's own rules for its new rows, read from its descriptor: generated columns and CHECK constraints, over the row as
// input 1. For tables that a statement reaches without naming them: partitions and tables that inherit.
// Thread safety: pure functions over descriptors.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/query.h"

namespace indigo::sql {

struct TableRules {
  std::vector<Assignment> generated;
  ExprList checks;
  std::vector<std::string> check_names;
};
Result<TableRules> table_rules(catalog::SessionContext& session, const std::shared_ptr<const RelationInfo>& relation);
// An expression over the table's columns (Vars of entry 0), as one over its row as input 1 (sql/stored/plain_columns.h).
ExprPtr over_row(catalog::CatalogView& catalog, const ExprPtr& e, const RelationInfo& relation);

}  // namespace indigo::sql
