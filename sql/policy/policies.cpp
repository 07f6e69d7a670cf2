#include "sql/policy/policies.h"

#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/analyze/standalone.h"
#include "types/oids.h"

namespace indigo::sql {

using catalog::PolicyInfo;

namespace {

void add_once(ExprList& quals, ExprPtr e) {
  if (std::none_of(quals.begin(), quals.end(), [&](const ExprPtr& q) { return equal(q, e); }))
    quals.push_back(std::move(e));
}

void add_once(std::vector<RowCheck>& checks, RowCheck check) {
  const bool known = std::any_of(checks.begin(), checks.end(), [&](const RowCheck& c) {
    return c.kind == check.kind && c.policy == check.policy && equal(c.condition, check.condition);
  });
  if (!known) checks.push_back(std::move(check));
}

}  // namespace

TablePolicies::TablePolicies(const Analysis& analysis, std::shared_ptr<const RelationInfo> relation, Oid role)
    : analysis_(analysis), relation_(std::move(relation)), role_(role) {}

TablePolicies::Applicable TablePolicies::applicable(char command) {
  Applicable out;
  for (const PolicyInfo& policy : relation_->policies) {
    if (policy.command != '*' && policy.command != command) continue;
    const bool for_role = policy.everybody() || std::any_of(policy.roles.begin(), policy.roles.end(), [&](Oid r) {
                            return analysis_.catalog.has_privileges_of(role_, r);
                          });
    if (!for_role) continue;
    (policy.permissive ? out.permissive : out.restrictive).push_back(&policy);
  }
  // PostgreSQL has its list of policies the other way round.
  std::reverse(out.permissive.begin(), out.permissive.end());
  return out;
}

Result<ExprPtr> TablePolicies::load(const std::string& tree) {
  return analyze_nested(analysis_, tree, relation_, {oid::kBool, -1, kInvalidOid}, Clause::kPolicy);
}

Status TablePolicies::add_quals(char command, ExprList& quals) {
  const Applicable policies = applicable(command);
  ExprList any;
  for (const PolicyInfo* p : policies.permissive) {
    if (p->using_expression.empty()) continue;
    INDIGO_ASSIGN(ExprPtr e, load(p->using_expression));
    any.push_back(std::move(e));
  }
  if (any.empty()) {
    quals.push_back(make_bool(false));
    return {};
  }
  for (const PolicyInfo* p : policies.restrictive) {
    if (p->using_expression.empty()) continue;
    INDIGO_ASSIGN(ExprPtr e, load(p->using_expression));
    add_once(quals, std::move(e));
  }
  add_once(quals, make_or(std::move(any)));
  return {};
}

Status TablePolicies::add_checks(char command, RowCheck::Kind kind, bool with_using, std::vector<RowCheck>& checks) {
  const auto tree_of = [&](const PolicyInfo* p) -> const std::string& {
    return !with_using && !p->with_check.empty() ? p->with_check : p->using_expression;
  };
  const Applicable policies = applicable(command);
  ExprList any;
  for (const PolicyInfo* p : policies.permissive) {
    if (tree_of(p).empty()) continue;
    INDIGO_ASSIGN(ExprPtr e, load(tree_of(p)));
    any.push_back(std::move(e));
  }
  if (any.empty()) {
    checks.push_back({kind, make_bool(false), "", relation_->name});
    return {};
  }
  add_once(checks, {kind, make_or(std::move(any)), "", relation_->name});
  for (const PolicyInfo* p : policies.restrictive) {
    if (tree_of(p).empty()) continue;
    INDIGO_ASSIGN(ExprPtr e, load(tree_of(p)));
    add_once(checks, {kind, std::move(e), p->name, relation_->name});
  }
  return {};
}

}  // namespace indigo::sql
