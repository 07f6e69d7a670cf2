// INSERT, UPDATE, DELETE and MERGE: the target, assigned columns, defaults, generated columns and checks.
// Thread safety: part of one analysis.
#pragma once

#include <optional>

#include "sql/analyze/from/from.h"
#include "sql/analyze/scope.h"
#include "sql/parse/parse_tree.h"

namespace indigo::sql {

Status transform_insert(Scope& scope, const PgQuery__InsertStmt& node);
Status transform_update(Scope& scope, const PgQuery__UpdateStmt& node);
Status transform_delete(Scope& scope, const PgQuery__DeleteStmt& node);
Status transform_merge(Scope& scope, const PgQuery__MergeStmt& node);

// Makes the target entry 0 of scope.query; its names are not in view yet.
Result<NamespaceItem> open_target(Scope& scope, const PgQuery__RangeVar& name, const char* verb);
const RelationInfo& target_of(const Scope& scope);
// The columns that INSERT without a list fills, 0-based in the table; -1: one that a view computes.
std::vector<int> all_target_columns(const Scope& scope);
// 0A000 when one of the first `columns` of them is computed.
Status check_view_columns(const Scope& scope, size_t columns);
// UPDATE and DELETE of a view touch only the rows that it shows. After WHERE has been read.
void add_view_condition(Scope& scope);
// A column of the target by name, 0-based; 42703 and what else may be wrong with it.
Result<int> target_column(const Scope& scope, std::string_view name, int location);

// What of a column is assigned: all of it, or the element or field that `indirection` leads to (assign_part.h).
struct PartOfColumn {
  NodeList indirection;
  int location = -1;  // the target's
  ExprPtr before;     // the column's value so far; null: none, for a new row
};
// A value for a column or a part of it, converted as an assignment; `location`: the value's.
Result<ExprPtr> assign_value(Scope& scope, int column, const ExprPtr& value, const PartOfColumn& part, int location);
// The default of a column of a table or view, converted to its type; a null constant when it has none.
Result<ExprPtr> value_by_default(Scope& scope, const types::ColumnInfo& column);
// The default of the target's column: that of a view through which it is reached, or else its own.
Result<ExprPtr> column_default(Scope& scope, int column);
bool is_default(const PgQuery__Node* node);

Overriding overriding_of(PgQuery__OverridingKind kind);
// 428C9 when the column takes defaults only. `inserting`: else updating.
Status check_assignable(const Scope& scope, int column, bool inserting, PgQuery__OverridingKind overriding);
Error generated_value_error(const Scope& scope, const types::ColumnInfo& column, bool inserting);

// SET's list (also ON CONFLICT's and MERGE's).
Result<std::vector<Assignment>> transform_set_list(Scope& scope, NodeList list);
// Defaults of the columns that `given` does not name.
Result<std::vector<Assignment>> remaining_defaults(Scope& scope, const std::vector<int>& given);
// scope.query's generated columns and checks.
Status add_generated_and_checks(Scope& scope);
// UPDATE or DELETE of a view whose INSTEAD OF triggers take the rows: what the triggers get becomes the targets.
Status finish_triggered_view(Scope& scope);
Status transform_returning(Scope& scope, NodeList list);
Result<OnConflict> transform_on_conflict(Scope& scope, const PgQuery__OnConflictClause& clause,
                                         const NamespaceItem& target);
// A table with rules on UPDATE, whether they apply now or not, takes no ON CONFLICT.
bool has_update_rules(const RelationInfo& relation);
Error on_conflict_with_rules();

}  // namespace indigo::sql
