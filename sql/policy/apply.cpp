#include "sql/policy/apply.h"

#include <algorithm>
#include <map>

#include "base/fiber/stack.h"
#include "catalog/row_security.h"
#include "sql/analyze/analysis.h"
#include "sql/policy/policies.h"
#include "sql/policy/target_reads.h"
#include "sql/query_walk.h"

namespace indigo::sql {
namespace {

using QueryPtr = std::shared_ptr<const Query>;

// Whether any table that the query reads or changes has row security.
bool has_row_security(const Query& q) {
  return any_relation(q, [](const RelationInfo& r) { return r.row_security; });
}

bool has_sublink(const ExprPtr& e) {
  bool found = false;
  visit_expressions(e, [&](const Expr& x, int) {
    found = found || x.kind == ExprKind::kSubLink;
    return !found;
  });
  return found;
}

// With whose rights a view's tables are used, `role` using the view.
// With whose rights a view's tables are read: those of who runs the statement (kInvalidOid), whoever owns the views above.
Oid below(const RelationInfo& view) { return view.security_invoker ? kInvalidOid : view.owner; }

class Applier {
 public:
  explicit Applier(catalog::SessionContext& session) : session_(session), analysis_(session, {}) {}

  Result<QueryPtr> run(const QueryPtr& query) { return secured(query, kInvalidOid); }

 private:
  // What a role's expressions have become: one node stays one node.
  using Memo = std::map<std::pair<const Expr*, Oid>, ExprPtr>;

  Oid effective(Oid role) const { return role == kInvalidOid ? analysis_.catalog.user() : role; }

  // `role`: whose rights count; kInvalidOid: the current role's.
  Result<QueryPtr> secured(const QueryPtr& query, Oid role) {
    INDIGO_TRY(check_stack_depth());
    if (!has_row_security(*query)) return query;
    auto out = std::make_shared<Query>(*query);
    Memo memo;
    INDIGO_TRY(map_views(*out, role, memo));
    Status status;
    const auto map = [&](ExprPtr& e) {
      if (!status.ok() || !e) return;
      auto mapped = expression(e, role, memo);
      if (mapped.ok()) {
        e = *std::move(mapped);
      } else {
        status = mapped.take_error();
      }
    };
    for (Entry& e : out->entries) {
      if (e.subquery == nullptr) continue;
      const bool view = e.relation != nullptr;
      const Oid user = e.used_as != kInvalidOid ? e.used_as : role;
      INDIGO_ASSIGN(e.subquery, secured(e.subquery, view ? below(*e.relation) : user));
    }
    for (CommonTable& cte : out->ctes) {
      if (cte.query != nullptr) {
        INDIGO_ASSIGN(cte.query, secured(cte.query, role));
      }
    }
    for_each_own_expression(*out, map);
    INDIGO_TRY(std::move(status));
    if (out->from != nullptr) {
      INDIGO_ASSIGN(out->from, join(out->from, role, memo));
    }
    for (size_t i = 0; i < out->entries.size(); i++) INDIGO_TRY(table(*out, static_cast<int>(i), role));
    return QueryPtr(std::move(out));
  }

  // Conditions that come from views speak of what the views' owners may see. The innermost view that has one brings it.
  Status map_views(Query& q, Oid role, Memo& memo) {
    std::vector<Oid> roles;
    for (const Query::TargetView& view : q.target_views) {
      role = effective(below(*view.relation));
      roles.push_back(role);
    }
    for (size_t i = q.target_views.size(); i-- > 0;) {
      ExprPtr& condition = q.target_views[i].condition;
      if (condition == nullptr) continue;
      const ExprPtr before = condition;
      INDIGO_ASSIGN(condition, view_condition(before, roles[i], memo));
      remember(before, condition);
    }
    return {};
  }

  // Conjunct by conjunct: those of a view below are known already.
  Result<ExprPtr> view_condition(const ExprPtr& e, Oid role, Memo& memo) {
    if (const auto known = views_.find(e.get()); known != views_.end()) return known->second;
    const auto* both = try_as<BoolExpr>(e);
    if (both == nullptr || both->op != BoolExpr::Op::kAnd) return expression(e, role, memo);
    Status status;
    ExprPtr out = map_children(e, [&](const ExprPtr& c) {
      if (!status.ok()) return c;
      auto mapped = view_condition(c, role, memo);
      if (mapped.ok()) {
        remember(c, *mapped);
        return *std::move(mapped);
      }
      status = mapped.take_error();
      return c;
    });
    INDIGO_TRY(std::move(status));
    return out;
  }
  void remember(const ExprPtr& before, const ExprPtr& after) { views_[before.get()] = after; }

  Result<ExprPtr> expression(const ExprPtr& e, Oid role, Memo& memo) {
    if (const auto known = views_.find(e.get()); known != views_.end()) return known->second;
    if (!has_sublink(e)) return e;
    const auto [at, fresh] = memo.try_emplace({e.get(), role});
    if (!fresh) return at->second;
    Status status;
    ExprPtr out = map_children(e, [&](const ExprPtr& c) {
      if (!status.ok()) return c;
      auto mapped = expression(c, role, memo);
      if (mapped.ok()) return *std::move(mapped);
      status = mapped.take_error();
      return c;
    });
    INDIGO_TRY(std::move(status));
    if (const auto* link = try_as<SubLinkExpr>(out); link != nullptr && link->query != nullptr) {
      QueryPtr& inner = queries_[{link->query.get(), role}];
      if (inner == nullptr) {
        kept_.push_back(link->query);
        INDIGO_ASSIGN(const QueryPtr made, secured(link->query, role));
        queries_[{link->query.get(), role}] = made;
      }
      auto copy = std::make_shared<SubLinkExpr>(*link);
      copy->query = queries_[{link->query.get(), role}];
      out = copy;
    }
    memo[{e.get(), role}] = out;
    return out;
  }

  Result<JoinNodePtr> join(const JoinNodePtr& n, Oid role, Memo& memo) {
    if (!n || n->leaf) return n;
    INDIGO_TRY(check_stack_depth());
    auto copy = std::make_shared<JoinNode>(*n);
    if (copy->condition) {
      INDIGO_ASSIGN(copy->condition, expression(copy->condition, role, memo));
    }
    INDIGO_ASSIGN(copy->left, join(copy->left, role, memo));
    INDIGO_ASSIGN(copy->right, join(copy->right, role, memo));
    return JoinNodePtr(copy);
  }

  Status table(Query& q, int number, Oid role) {
    Entry& e = q.entries[static_cast<size_t>(number)];
    if (e.kind != EntryKind::kTable || e.relation == nullptr || !e.relation->row_security) return {};
    if (q.on_conflict && q.on_conflict->excluded_entry == number) return {};
    if (e.used_as != kInvalidOid) role = e.used_as;
    if (number == q.target) {
      for (const Query::TargetView& view : q.target_views) role = below(*view.relation);
    }
    catalog::CatalogView& catalog = analysis_.catalog;
    if (catalog::row_security_of(catalog, *e.relation, effective(role)) != catalog::RowSecurity::kActive) return {};
    std::string setting;
    if (session_.setting("row_security", setting) && setting == "off")
      return affected_by_row_security(catalog, *e.relation, effective(role));
    TablePolicies policies(analysis_, e.relation, effective(role));
    ExprList quals;
    std::vector<RowCheck> checks;
    if (number == q.target) {
      INDIGO_TRY(of_target(q, policies, quals, checks));
    } else {
      const bool locked =
          std::any_of(q.row_locks.begin(), q.row_locks.end(), [&](const RowLock& l) { return l.entry == number; });
      if (locked) INDIGO_TRY(policies.add_quals('w', quals));
      INDIGO_TRY(policies.add_quals('r', quals));
    }
    e.policy_user = role;
    INDIGO_TRY(secure_policies(*e.relation, role, quals, checks));
    e.security_quals = std::move(quals);
    q.row_checks.insert(q.row_checks.end(), std::make_move_iterator(checks.begin()),
                        std::make_move_iterator(checks.end()));
    return {};
  }

  // What a change asks of its target: PostgreSQL's rules of which commands' policies count.
  Status of_target(const Query& q, TablePolicies& policies, ExprList& quals, std::vector<RowCheck>& checks) {
    using Kind = RowCheck::Kind;
    const bool reads = needs_select(q);
    switch (q.command) {
      case CommandKind::kSelect: return {};
      case CommandKind::kUpdate:
        INDIGO_TRY(policies.add_quals('w', quals));
        if (reads) INDIGO_TRY(policies.add_quals('r', quals));
        INDIGO_TRY(policies.add_checks('w', Kind::kUpdate, false, checks));
        return reads ? policies.add_checks('r', Kind::kUpdate, true, checks) : Status();
      case CommandKind::kDelete:
        INDIGO_TRY(policies.add_quals('d', quals));
        return reads ? policies.add_quals('r', quals) : Status();
      case CommandKind::kInsert:
        INDIGO_TRY(policies.add_checks('a', Kind::kInsert, false, checks));
        if (reads) INDIGO_TRY(policies.add_checks('r', Kind::kInsert, true, checks));
        if (!q.on_conflict || !q.on_conflict->update) return {};
        INDIGO_TRY(policies.add_checks('w', Kind::kConflict, true, checks));
        if (reads) INDIGO_TRY(policies.add_checks('r', Kind::kConflict, true, checks));
        INDIGO_TRY(policies.add_checks('w', Kind::kUpdate, false, checks));
        return reads ? policies.add_checks('r', Kind::kUpdate, true, checks) : Status();
      case CommandKind::kMerge:
        if (reads) INDIGO_TRY(policies.add_quals('r', quals));
        INDIGO_TRY(policies.add_checks('w', Kind::kMergeUpdate, true, checks));
        INDIGO_TRY(policies.add_checks('w', Kind::kUpdate, false, checks));
        if (reads) INDIGO_TRY(policies.add_checks('r', Kind::kUpdate, true, checks));
        INDIGO_TRY(policies.add_checks('d', Kind::kMergeDelete, true, checks));
        return policies.add_checks('a', Kind::kInsert, false, checks);
    }
    return {};
  }

  static bool needs_select(const Query& q) {
    if (q.on_conflict && !q.on_conflict->arbiters.empty()) return true;
    return target_reads(q, q.target_views.empty() ? nullptr : q.target_views[0].condition).any();
  }

  // The policies' own subqueries.
  Status secure_policies(const RelationInfo& relation, Oid role, ExprList& quals, std::vector<RowCheck>& checks) {
    bool any = std::any_of(quals.begin(), quals.end(), has_sublink);
    for (const RowCheck& c : checks) any = any || has_sublink(c.condition);
    if (!any) return {};
    if (std::find(active_.begin(), active_.end(), relation.oid) != active_.end()) {
      return Error(sqlstate::kInvalidObjectDefinition,
                   "infinite recursion detected in policy for relation \"" + relation.name + "\"");
    }
    active_.push_back(relation.oid);
    Memo memo;
    const ExprList before = quals;  // the memo knows them by their addresses
    const std::vector<RowCheck> checks_before = checks;
    for (ExprPtr& e : quals) {
      INDIGO_ASSIGN(e, expression(e, role, memo));
    }
    for (RowCheck& c : checks) {
      INDIGO_ASSIGN(c.condition, expression(c.condition, role, memo));
    }
    active_.pop_back();
    return {};
  }

  catalog::SessionContext& session_;
  const Analysis analysis_;
  std::vector<Oid> active_;  // tables whose policies are being applied
  std::map<std::pair<const Query*, Oid>, QueryPtr> queries_;
  std::vector<QueryPtr> kept_;  // what queries_ is about
  std::map<const Expr*, ExprPtr> views_;
};

}  // namespace

Result<QueryPtr> apply_row_security(catalog::SessionContext& session, const QueryPtr& query) {
  if (!has_row_security(*query)) return query;
  return Applier(session).run(query);
}

Error affected_by_row_security(catalog::CatalogView& catalog, const RelationInfo& relation, Oid role) {
  Error error(sqlstate::kInsufficientPrivilege,
              "query would be affected by row-level security policy for table \"" + relation.name + "\"");
  if (catalog.has_privileges_of(role, relation.owner))
    error.hint = "To disable the policy for the table's owner, use ALTER TABLE NO FORCE ROW LEVEL SECURITY.";
  return error;
}

}  // namespace indigo::sql
