// Target lists: SELECT's, RETURNING's and ROW's items, with * expanded and columns named.
// Thread safety: part of one analysis.
#pragma once

#include "sql/analyze/scope.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// PostgreSQL's limit of a row's columns.
inline constexpr size_t kMaxTargets = 1664;
Error too_many_targets(Scope& scope);

// ResTargets to target entries, appended to `out`.
Status transform_targets(Scope& scope, NodeList list, std::vector<TargetEntry>& out);
// Expressions only; t.* and (row).* expand.
Result<ExprList> expand_list(Scope& scope, NodeList list);

// The name that PostgreSQL gives an output column without AS; "?column?" when nothing suggests one.
std::string output_name(const PgQuery__Node* node);
// The table column that an output column shows unchanged, for RowDescription.
void set_origin(const Scope& scope, TargetEntry& target);
// Unknown literals and parameters among the visible columns become text.
Status resolve_unknown_targets(Analysis& a, std::vector<TargetEntry>& targets);

int visible_count(const std::vector<TargetEntry>& targets);

}  // namespace indigo::sql
