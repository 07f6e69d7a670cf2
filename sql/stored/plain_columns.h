// Stored expressions over one relation, with nothing but its plain columns: what evaluates them row by row (keys of indexes and
// partitions, checks, generated columns) knows neither whole rows nor system columns.
// Thread safety: pure functions.
#pragma once

#include "catalog/descriptor/catalog_view.h"
#include "catalog/descriptor/relation_info.h"
#include "sql/expr.h"

namespace indigo::sql {

// Whole rows become row constructors of Vars of entry 0 (a dropped column's field is null), tableoid the relation's OID; any
// other system column is null: a row has none before it is stored.
ExprPtr with_plain_columns(catalog::CatalogView& catalog, const ExprPtr& e, const catalog::RelationInfo& relation);

// The first system column (VarExpr) or whole row (WholeRowExpr) that `e` mentions; null: neither.
const VarExpr* system_column_in(const ExprPtr& e);
const WholeRowExpr* whole_row_in(const ExprPtr& e);

}  // namespace indigo::sql
