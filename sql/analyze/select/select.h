// SELECT, VALUES and set operations as queries.
// Thread safety: part of one analysis.
#pragma once

#include "sql/analyze/scope.h"
#include "sql/parse/parse_tree.h"

namespace indigo::sql {

struct SubqueryOptions {
  bool resolve_unknown = true;       // unknown output literals become text
  CteName* recursive_cte = nullptr;  // the query is the body of this recursive WITH item
  NodeList recursive_aliases;
  bool set_operation_leaf = false;
  const RuleRows* rule_rows = nullptr;  // of the rule's action whose source this is
};

// A statement below `parent`: SELECT, VALUES, or a data-modifying statement of WITH.
Result<std::shared_ptr<const Query>> analyze_subquery(Scope& parent, const PgQuery__Node* statement,
                                                      const SubqueryOptions& options);
Result<std::shared_ptr<const Query>> analyze_subselect(Scope& parent, const PgQuery__SelectStmt& statement,
                                                       const SubqueryOptions& options);

// Fills scope.query.
Status transform_select(Scope& scope, const PgQuery__SelectStmt& node);
Status transform_set_operation(Scope& scope, const PgQuery__SelectStmt& node, const SubqueryOptions& options);
// VALUES as a query of its own.
Status transform_values(Scope& scope, const PgQuery__SelectStmt& node);
// FOR UPDATE and relatives.
const char* lock_name(PgQuery__LockClauseStrength strength);
Status transform_locking(Scope& scope, NodeList list);

// INSERT, UPDATE, DELETE, MERGE.
Status transform_change(Scope& scope, const PgQuery__Node& statement);

}  // namespace indigo::sql
