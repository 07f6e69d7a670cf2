// Which policies of a table apply to a command of a role, and the conditions that they make together.
// Thread safety: one analysis belongs to one session.
#pragma once

#include <vector>

#include "sql/analyze/analysis.h"
#include "sql/query.h"

namespace indigo::sql {

// The policies of one table for one role, as the catalog keeps them.
class TablePolicies {
 public:
  TablePolicies(const Analysis& analysis, std::shared_ptr<const RelationInfo> relation, Oid role);

  // Conditions of the rows that `command` (pg_policy.polcmd) may see, added to those that are there: each restrictive policy's
  // in the order of names, then one of the permissive ones. False alone when no permissive policy applies.
  Status add_quals(char command, ExprList& quals);
  // The same for rows that are written, as errors. `with_using`: the policies' USING even where they have WITH CHECK.
  Status add_checks(char command, RowCheck::Kind kind, bool with_using, std::vector<RowCheck>& checks);

 private:
  struct Applicable {
    std::vector<const catalog::PolicyInfo*> permissive, restrictive;
  };
  Applicable applicable(char command);
  Result<ExprPtr> load(const std::string& tree);

  const Analysis& analysis_;
  std::shared_ptr<const RelationInfo> relation_;
  Oid role_;
};

}  // namespace indigo::sql
