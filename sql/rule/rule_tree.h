// A rule as the catalog keeps it: one stored query (sql/stored/stored_tree.h) whose entries are OLD (0) and NEW (1), whose WHERE
// is the rule's condition, and whose WITH items are its actions, as they were written: their targets may be views, nothing is
// filled in.
// Thread safety: one analysis belongs to one session.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/parse/tree_names.h"
#include "sql/query.h"

struct PgQuery__NotifyStmt;

namespace indigo::sql {

struct Scope;

inline constexpr int kRuleOld = 0, kRuleNew = 1;

// ev_type: '2' update, '3' insert, '4' delete.
char rule_event(CommandKind command);

// NOTIFY in a rule is kept and run as a call of pg_notify() that shows no column: is_notify (sql/statement_kind.h).
Result<std::shared_ptr<const Query>> notify_query(Scope& scope, const PgQuery__NotifyStmt& statement);

// The condition and the actions of CREATE RULE for one of the three events, checked.
Result<std::shared_ptr<const Query>> analyze_rule(catalog::SessionContext& session, const PgQuery__RuleStmt& rule,
                                                  std::string_view text,
                                                  const std::shared_ptr<const RelationInfo>& relation);

// The rule as SQL texts that the session's search_path understands, to be analyzed where it applies.
struct RuleTexts {
  std::string condition;  // empty: none
  struct Action {
    std::string text;
    bool reads_old = false, reads_new = false;  // the action or the condition
    bool returns = false;                       // has RETURNING
  };
  std::vector<Action> actions;
  bool condition_reads_old = false, condition_reads_new = false;
};
Result<RuleTexts> rule_texts(catalog::SessionContext& session, std::string_view tree);

// CREATE RULE ..., as pg_get_ruledef prints it.
Result<std::string> print_rule(catalog::SessionContext& session, const catalog::RuleInfo& rule,
                               const RelationInfo& relation, bool pretty);

}  // namespace indigo::sql
