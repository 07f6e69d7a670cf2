// Rules applied to INSERT, UPDATE and DELETE while they are analyzed: the statement becomes a list of queries.
//
// Each action is analyzed where the rule applies, as a statement of the rule's owner whose names OLD and NEW mean the rows of
// the rewritten statement (rule_rows.h); its target's rules apply in turn.
//
// Order: INSERT before what its rules add, UPDATE and DELETE after it. Rules apply by name.
// Thread safety: part of one analysis.
#pragma once

#include "sql/analyze/scope.h"
#include "sql/parse/tree_names.h"
#include "sql/rule/rewritten.h"

namespace indigo::sql {

// Whether the statement's target, or what it is a view of, has rules that apply now; then fire_rules analyzes it, else
// transform_change.
Result<bool> has_rules(Scope& scope, const PgQuery__Node& statement);
// `main`: the query that sets the statement's tag and returns its rows; null: none is left.
Result<std::shared_ptr<const RewrittenStatement>> fire_rules(Analysis& analysis, const PgQuery__Node& statement,
                                                             std::shared_ptr<const Query>& main);

// A change in WITH: only one INSTEAD action may take its place (else 0A000). Null: its target has no rules.
Result<std::shared_ptr<const Query>> fire_rules_in_with(Scope& parent, const PgQuery__Node& statement);

}  // namespace indigo::sql
