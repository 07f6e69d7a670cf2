#include "sql/query_walk.h"

#include <algorithm>

namespace indigo::sql {
namespace {

// Calls f on every expression slot of a query, except those of subqueries. Q is const or not.
template <class Q, class F>
void own_expressions(Q& q, F&& f) {
  const auto list = [&](auto& expressions) {
    for (auto& e : expressions) f(e);
  };
  const auto targets = [&](auto& entries) {
    for (auto& t : entries) f(t.expr);
  };
  const auto assignments = [&](auto& all) {
    for (auto& s : all) f(s.value);
  };
  targets(q.targets);
  list(q.group_by);
  list(q.distinct_on);
  for (auto& key : q.order_by) f(key.expr);
  for (auto& w : q.windows) {
    list(w.partition);
    for (auto& key : w.order) f(key.expr);
    f(w.start.offset);
    f(w.end.offset);
  }
  for (auto& entry : q.entries) {
    for (auto& function : entry.functions) f(function.call);
    for (auto& row : entry.values) list(row);
    list(entry.join_columns);
    if (entry.sample) {
      f(entry.sample->percent_expr);
      f(entry.sample->repeatable);
    }
  }
  f(q.where);
  f(q.having);
  f(q.limit);
  f(q.offset);
  assignments(q.assignments);
  assignments(q.generated);
  list(q.checks);
  for (auto& check : q.row_checks) f(check.condition);
  list(q.view_checks);
  if (q.on_conflict) {
    assignments(q.on_conflict->assignments);
    f(q.on_conflict->where);
    for (auto& premise : q.on_conflict->premises) f(premise);
  }
  for (auto& action : q.merge_actions) {
    f(action.condition);
    assignments(action.assignments);
  }
  targets(q.returning);
}

void visit_join(const JoinNodePtr& n, const ExprVisitor& visit, int depth) {
  if (!n || n->leaf) return;
  if (n->condition) visit_expressions(n->condition, visit, depth);
  visit_join(n->left, visit, depth);
  visit_join(n->right, visit, depth);
}

JoinNodePtr map_join(const JoinNodePtr& n, const ExprMapper& map, int depth) {
  if (!n || n->leaf) return n;
  auto copy = std::make_shared<JoinNode>(*n);
  if (copy->condition) copy->condition = map(copy->condition, depth);
  copy->left = map_join(copy->left, map, depth);
  copy->right = map_join(copy->right, map, depth);
  return copy;
}

// Keys that are a target itself stay so in a copy: what is in both, a subquery above all, remains one expression.
void keep_shared_keys(const Query& from, Query& to) {
  const auto share = [&](const ExprPtr& before, ExprPtr& after) {
    for (size_t i = 0; i < from.targets.size(); i++) {
      if (from.targets[i].expr != before) continue;
      after = to.targets[i].expr;
      return;
    }
  };
  for (size_t i = 0; i < from.order_by.size(); i++) share(from.order_by[i].expr, to.order_by[i].expr);
  for (size_t i = 0; i < from.distinct_on.size(); i++) share(from.distinct_on[i], to.distinct_on[i]);
  for (size_t i = 0; i < from.group_by.size(); i++) share(from.group_by[i], to.group_by[i]);
}

}  // namespace

void visit_expressions(const ExprPtr& e, const ExprVisitor& visit, int depth) {
  if (!e || !visit(*e, depth)) return;
  for_each_child(*e, [&](const ExprPtr& c) { visit_expressions(c, visit, depth); });
  if (const auto* link = try_as<SubLinkExpr>(e); link && link->query) visit_query(*link->query, visit, depth + 1);
}

void visit_query(const Query& q, const ExprVisitor& visit, int depth) {
  own_expressions(q, [&](const ExprPtr& e) {
    if (e) visit_expressions(e, visit, depth);
  });
  visit_join(q.from, visit, depth);
  for (const Entry& entry : q.entries) {
    if (entry.subquery) visit_query(*entry.subquery, visit, depth + 1);
  }
  for (const CommonTable& cte : q.ctes) {
    if (cte.query) visit_query(*cte.query, visit, depth + 1);
  }
}

namespace {

using QueryTest = std::function<bool(const Query& query)>;

// Most expressions are columns and constants.
bool is_leaf(const Expr& e) {
  return e.kind == ExprKind::kVar || e.kind == ExprKind::kConst || e.kind == ExprKind::kParam;
}

bool any_query_in(const Expr& e, const QueryTest& wanted) {
  if (const auto* link = e.kind == ExprKind::kSubLink ? &as<SubLinkExpr>(e) : nullptr; link && link->query) {
    if (any_query(*link->query, wanted)) return true;
  }
  bool found = false;
  for_each_child(e, [&](const ExprPtr& c) { found = found || (c && !is_leaf(*c) && any_query_in(*c, wanted)); });
  return found;
}

bool any_query_in(const JoinNodePtr& n, const QueryTest& wanted) {
  if (!n || n->leaf) return false;
  return (n->condition && any_query_in(*n->condition, wanted)) || any_query_in(n->left, wanted) ||
         any_query_in(n->right, wanted);
}

}  // namespace

bool any_query(const Query& q, const QueryTest& wanted) {
  if (wanted(q)) return true;
  bool found = false;
  own_expressions(q, [&](const ExprPtr& e) { found = found || (e && !is_leaf(*e) && any_query_in(*e, wanted)); });
  if (found || any_query_in(q.from, wanted)) return true;
  for (const Entry& e : q.entries) {
    if (e.subquery != nullptr && any_query(*e.subquery, wanted)) return true;
  }
  return std::any_of(q.ctes.begin(), q.ctes.end(),
                     [&](const CommonTable& cte) { return cte.query != nullptr && any_query(*cte.query, wanted); });
}

bool any_relation(const Query& q, const std::function<bool(const RelationInfo& relation)>& wanted) {
  return any_query(q, [&](const Query& query) {
    return std::any_of(query.entries.begin(), query.entries.end(),
                       [&](const Entry& e) { return e.relation != nullptr && wanted(*e.relation); }) ||
           std::any_of(query.target_views.begin(), query.target_views.end(),
                       [&](const Query::TargetView& view) { return wanted(*view.relation); });
  });
}

void visit_policies(const Query& q, const ExprVisitor& visit) {
  for (const Entry& entry : q.entries) {
    for (const ExprPtr& e : entry.security_quals) visit_expressions(e, visit);
    if (entry.subquery) visit_policies(*entry.subquery, visit);
  }
  for (const CommonTable& cte : q.ctes) {
    if (cte.query) visit_policies(*cte.query, visit);
  }
  const ExprVisitor below = [&](const Expr& e, int depth) {
    if (e.kind == ExprKind::kSubLink && depth == 0 && as<SubLinkExpr>(e).query) {
      visit_policies(*as<SubLinkExpr>(e).query, visit);
    }
    return depth == 0;
  };
  own_expressions(q, [&](const ExprPtr& e) {
    if (e) visit_expressions(e, below);
  });
  visit_join(q.from, below, 0);
}

std::shared_ptr<const Query> map_expressions(const std::shared_ptr<const Query>& q, const ExprMapper& map,
                                             const CteLevelsMapper& cte_levels, int depth) {
  auto copy = std::make_shared<Query>(*q);
  own_expressions(*copy, [&](ExprPtr& e) {
    if (e) e = map(e, depth);
  });
  keep_shared_keys(*q, *copy);
  copy->from = map_join(copy->from, map, depth);
  for (Entry& entry : copy->entries) {
    if (entry.subquery) entry.subquery = map_expressions(entry.subquery, map, cte_levels, depth + 1);
    if (entry.kind == EntryKind::kCte && cte_levels) cte_levels(entry.cte_levels_up, depth);
  }
  for (CommonTable& cte : copy->ctes) {
    if (cte.query) cte.query = map_expressions(cte.query, map, cte_levels, depth + 1);
  }
  return copy;
}

void for_each_own_expression(Query& q, const std::function<void(ExprPtr&)>& f) {
  own_expressions(q, [&](ExprPtr& e) {
    if (e) f(e);
  });
}

std::shared_ptr<const Query> map_query(const std::shared_ptr<const Query>& q, const ExprMapper& map,
                                       const EntryMapper& change, int depth) {
  auto copy = std::make_shared<Query>(*q);
  std::vector<bool> done(copy->entries.size());
  for (size_t i = 0; change && i < copy->entries.size(); i++) done[i] = change(copy->entries[i], depth);
  for_each_own_expression(*copy, [&](ExprPtr& e) { e = map(e, depth); });
  keep_shared_keys(*q, *copy);
  copy->from = map_join(copy->from, map, depth);
  for (size_t i = 0; i < copy->entries.size(); i++) {
    auto& subquery = copy->entries[i].subquery;
    if (subquery && !done[i]) subquery = map_query(subquery, map, change, depth + 1);
  }
  for (CommonTable& cte : copy->ctes) {
    if (cte.query) cte.query = map_query(cte.query, map, change, depth + 1);
  }
  return copy;
}

}  // namespace indigo::sql
