#include "sql/analyze/select/clauses.h"

#include <string>

namespace indigo::sql {
namespace {

struct ClauseText {
  Clause clause;
  const char* name;
  const char* plural;  // "JOIN conditions" in "... are not allowed in JOIN conditions"; null: the name
  const char* single;  // "cannot use subquery in ..."; null: allowed
};
constexpr ClauseText kTexts[] = {
    {Clause::kSelectTarget, "SELECT", nullptr, nullptr},
    {Clause::kFromFunction, "function in FROM", "functions in FROM", nullptr},
    {Clause::kFromSubquery, "sub-SELECT in FROM", "FROM clause of their own query level", nullptr},
    {Clause::kJoinOn, "JOIN/ON", "JOIN conditions", nullptr},
    {Clause::kJoinUsing, "JOIN/USING", "JOIN conditions", nullptr},
    {Clause::kWhere, "WHERE", nullptr, nullptr},
    {Clause::kHaving, "HAVING", nullptr, nullptr},
    {Clause::kFilter, "FILTER", nullptr, nullptr},
    {Clause::kGroupBy, "GROUP BY", nullptr, nullptr},
    {Clause::kOrderBy, "ORDER BY", nullptr, nullptr},
    {Clause::kDistinctOn, "DISTINCT ON", nullptr, nullptr},
    {Clause::kWindowPartition, "window PARTITION BY", nullptr, nullptr},
    {Clause::kWindowOrder, "window ORDER BY", nullptr, nullptr},
    {Clause::kFrameRange, "window RANGE", nullptr, nullptr},
    {Clause::kFrameRows, "window ROWS", nullptr, nullptr},
    {Clause::kFrameGroups, "window GROUPS", nullptr, nullptr},
    {Clause::kLimit, "LIMIT", nullptr, nullptr},
    {Clause::kOffset, "OFFSET", nullptr, nullptr},
    {Clause::kInsertTarget, "INSERT", nullptr, nullptr},
    {Clause::kUpdateSource, "UPDATE", nullptr, nullptr},
    {Clause::kValues, "VALUES", nullptr, nullptr},
    {Clause::kValuesSingle, "VALUES", nullptr, nullptr},
    {Clause::kReturning, "RETURNING", nullptr, nullptr},
    {Clause::kMergeWhen, "MERGE WHEN", "MERGE WHEN conditions", nullptr},
    {Clause::kCheck, "CHECK", "check constraints", "check constraint"},
    {Clause::kDefault, "DEFAULT", "DEFAULT expressions", "DEFAULT expression"},
    {Clause::kIndexExpression, "index expression", "index expressions", "index expression"},
    {Clause::kIndexPredicate, "index predicate", "index predicates", "index predicate"},
    {Clause::kGenerated, "GENERATED AS", "column generation expressions", "column generation expression"},
    {Clause::kAlterUsing, "USING", "transform expressions", "transform expression"},
    {Clause::kPolicy, "POLICY", "policy expressions", nullptr},
    {Clause::kCopyWhere, "WHERE", "COPY FROM WHERE conditions", "COPY FROM WHERE condition"},
    {Clause::kCall, "CALL", "CALL arguments", "CALL argument"},
};

const ClauseText& text_of(Clause clause) {
  static constexpr ClauseText kNone{Clause::kOther, "expression", nullptr, nullptr};
  for (const ClauseText& t : kTexts) {
    if (t.clause == clause) return t;
  }
  return kNone;
}

Error not_allowed(const Scope& scope, const SqlState& state, const char* what, int location) {
  const ClauseText& t = text_of(scope.clause);
  return scope.error(state, std::string(what) + " are not allowed in " + (t.plural ? t.plural : t.name), location);
}

}  // namespace

const char* clause_name(Clause clause) { return text_of(clause).name; }

Status check_aggregate_allowed(const Scope& scope, bool grouping_call, int location) {
  const char* what = grouping_call ? "grouping operations" : "aggregate functions";
  switch (scope.clause) {
    case Clause::kOther:
    case Clause::kSelectTarget:
    case Clause::kHaving:
    case Clause::kOrderBy:
    case Clause::kDistinctOn:
    case Clause::kWindowPartition:
    case Clause::kWindowOrder: return {};
    default: return not_allowed(scope, sqlstate::kGroupingError, what, location);
  }
}

Status check_window_allowed(const Scope& scope, int location) {
  const char* what = "window functions";
  switch (scope.clause) {
    case Clause::kOther:
    case Clause::kSelectTarget:
    case Clause::kOrderBy:
    case Clause::kDistinctOn: return {};
    case Clause::kWindowPartition:
    case Clause::kWindowOrder:
    case Clause::kFrameRange:
    case Clause::kFrameRows:
    case Clause::kFrameGroups:
      return scope.error(sqlstate::kWindowingError, "window functions are not allowed in window definitions", location);
    default: return not_allowed(scope, sqlstate::kWindowingError, what, location);
  }
}

Status check_set_function_allowed(const Scope& scope, int location) {
  switch (scope.clause) {
    case Clause::kOther:
    case Clause::kSelectTarget:
    case Clause::kInsertTarget:
    case Clause::kGroupBy:
    case Clause::kOrderBy:
    case Clause::kDistinctOn:
    case Clause::kWindowPartition:
    case Clause::kWindowOrder:
    case Clause::kFromFunction:
    case Clause::kValuesSingle: return {};
    case Clause::kFrameRange:
    case Clause::kFrameRows:
    case Clause::kFrameGroups:
      return scope.error(sqlstate::kFeatureNotSupported,
                         "set-returning functions are not allowed in window definitions", location);
    default: return not_allowed(scope, sqlstate::kFeatureNotSupported, "set-returning functions", location);
  }
}

Status check_subquery_allowed(const Scope& scope, int location) {
  if (const char* single = text_of(scope.clause).single) {
    return scope.error(sqlstate::kFeatureNotSupported, std::string("cannot use subquery in ") + single, location);
  }
  return {};
}

}  // namespace indigo::sql
