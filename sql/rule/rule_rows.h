// OLD and NEW in a rule's action: the rows that the rewritten statement is about, as one more source of the action's FROM.
//
// The source is a subquery over what the statement selects: first the old row's columns (UPDATE, DELETE), then the new one's
// (INSERT, UPDATE). An action that names neither, of a statement whose conditions do not look at its table, has no source: it
// runs once, as in PostgreSQL.
// Thread safety: part of one analysis.
#pragma once

#include <memory>
#include <optional>

#include "sql/analyze/scope.h"

namespace indigo::sql {

struct RuleRows {
  std::shared_ptr<const RelationInfo> relation;  // of the rule
  std::shared_ptr<const Query> source;           // null: none
  int old_columns = -1, new_columns = -1;        // where they begin in the source; -1: there are none
  const Query* statement = nullptr;              // that the rule rewrites
  // RETURNING of an unconditional INSTEAD action stands for the statement's own.
  bool returns = false;
  std::string_view condition;  // of the rule; empty: none
};

// Makes the source of a rewritten statement. `with_target`: its table's rows are needed.
Result<RuleRows> make_rule_rows(Analysis& analysis, const std::shared_ptr<const RelationInfo>& relation,
                                const std::shared_ptr<const Query>& statement, bool with_target);

// Brings scope.rule_rows into view as `old` and `new`, and joins the source with scope.query->from. Nothing without them.
Status add_rule_rows(Scope& scope);
// Adds the rule's condition to WHERE. After add_rule_rows.
Status add_rule_condition(Scope& scope);
// Whether a subquery in the action's FROM names OLD or NEW: it may without LATERAL.
bool reads_rule_rows(const Scope& scope, const Query& subquery);
// The condition over the names in view.
Result<ExprPtr> rule_condition(Scope& scope, std::string_view condition);
// What an INSERT or UPDATE gives a column of its table; null: nothing.
ExprPtr rule_new_value(const Query& statement, int column);
// Replaces the action's RETURNING by the statement's, over the action's.
Status finish_rule_returning(Scope& scope);

}  // namespace indigo::sql
