// Names to expressions: columns, whole rows, tables in FROM. Also the namespace items that FROM makes.
// Thread safety: part of one analysis.
#pragma once

#include "sql/analyze/scope.h"
#include "sql/analyze/type/coerce.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// A table name that a query can see, with the number of levels up. Null when there is none.
Result<const NamespaceItem*> find_table(Scope& scope, std::string_view schema, std::string_view name, int location,
                                        int* levels_up);
// An unqualified column; a null expression when there is none. `local_only`: this level only.
Result<ExprPtr> find_column(Scope& scope, std::string_view name, int location, bool local_only = false);
// A column of one item, system columns included; null when there is none.
Result<ExprPtr> item_column(Scope& scope, const NamespaceItem& item, std::string_view name, int levels_up,
                            int location);
// The item's row as a value.
ExprPtr whole_row(Scope& scope, const NamespaceItem& item, int levels_up, int location);

Result<ExprPtr> transform_column_ref(Scope& scope, const PgQuery__Node& node);

// 42703 and 42P01 with PostgreSQL's hints.
Error missing_column(Scope& scope, std::string_view relation, std::string_view column, int location);
Error missing_table(Scope& scope, std::string_view schema, std::string_view name, int location);

// 42712 when a name would be there twice.
Status add_names(Scope& scope, std::vector<NamespaceItem> items);

// The entry of a VarExpr or WholeRowExpr.
const Entry* entry_of(const Scope& scope, int entry, int levels_up);
// row_shape that also knows rows of entries and record columns of subqueries.
bool row_shape(Scope& scope, const ExprPtr& e, RowShape& out);
// A field of a row value; Vars of whole rows become plain Vars.
Result<ExprPtr> select_field(Scope& scope, const ExprPtr& row, std::string_view field, int location);
ExprPtr field_at(const ExprPtr& row, int field, const TypeRef& type, int location);

// Edit distance, at most `limit` + 1.
int edit_distance(std::string_view a, std::string_view b, int limit);

}  // namespace indigo::sql
