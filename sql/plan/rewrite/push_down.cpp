#include "sql/plan/rewrite/push_down.h"

#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/leakproof.h"

namespace indigo::sql::planning {

const TargetEntry* visible_target(const Query& q, int column) {
  int at = 0;
  for (const TargetEntry& t : q.targets) {
    if (!t.hidden && at++ == column) return &t;
  }
  return nullptr;
}

namespace {

bool returns_rows(const ExprPtr& e) {
  if (const auto* c = try_as<CallExpr>(e); c && c->returns_set) return true;
  bool found = false;
  for_each_child(*e, [&](const ExprPtr& c) { found = found || returns_rows(c); });
  return found;
}

bool has_kind(const ExprPtr& e, ExprKind kind) {
  if (e->kind == kind) return true;
  bool found = false;
  for_each_child(*e, [&](const ExprPtr& c) { found = found || has_kind(c, kind); });
  return found;
}

// Whether filtering by this column inside gives the rows that filtering outside does.
bool column_allows(const Query& q, int column) {
  const TargetEntry* t = visible_target(q, column);
  if (!t || contains_volatile(*t->expr) || returns_rows(t->expr) || has_kind(t->expr, ExprKind::kSubLink)) return false;
  if (!q.distinct_on.empty()) {
    const bool key =
        std::any_of(q.distinct_on.begin(), q.distinct_on.end(), [&](const ExprPtr& e) { return equal(e, t->expr); });
    if (!key) return false;
  }
  if (q.has_windows) {
    for (const Window& w : q.windows) {
      const bool key =
          std::any_of(w.partition.begin(), w.partition.end(), [&](const ExprPtr& e) { return equal(e, t->expr); });
      if (!key) return false;
    }
  }
  if (!q.grouping_sets.empty()) return false;
  return true;
}

bool query_allows(const Query& q) {
  return q.command == CommandKind::kSelect && !q.set_operation && !q.limit && !q.offset && !q.has_set_functions &&
         q.row_locks.empty() && q.from;
}

// Only this relation's Vars, constants, parameters and calls: nothing that knows its level.
bool movable(const ExprPtr& e, int entry) {
  switch (e->kind) {
    case ExprKind::kVar: return as<VarExpr>(*e).entry == entry && as<VarExpr>(*e).column >= 0;
    case ExprKind::kSubPlan:
    case ExprKind::kWholeRow: return false;
    case ExprKind::kCall:
      if (as<CallExpr>(*e).volatility == types::Volatility::kVolatile) return false;
      break;
    default: break;
  }
  bool ok = true;
  for_each_child(*e, [&](const ExprPtr& c) { ok = ok && movable(c, entry); });
  return ok;
}

bool columns_allow(const ExprPtr& e, const Query& q) {
  if (const auto* v = try_as<VarExpr>(e)) return column_allows(q, v->column);
  bool ok = true;
  for_each_child(*e, [&](const ExprPtr& c) { ok = ok && columns_allow(c, q); });
  return ok;
}

ExprPtr substituted(const ExprPtr& e, const Query& q) {
  if (const auto* v = try_as<VarExpr>(e)) return visible_target(q, v->column)->expr;
  return map_children(e, [&](const ExprPtr& c) { return substituted(c, q); });
}

// The condition for each branch of a UNION.
bool push_into(std::shared_ptr<const Query>& query, const ExprPtr& condition, int entry);

bool push_into_set(Query& q, const SetNode& n, const ExprPtr& condition, int entry, bool apply) {
  if (n.left) {
    if (!push_into_set(q, *n.left, condition, entry, apply)) return false;
    return push_into_set(q, *n.right, condition, entry, apply);
  }
  std::shared_ptr<const Query> branch = q.entries[static_cast<size_t>(n.entry)].subquery;
  if (!branch || !push_into(branch, condition, entry)) return false;
  if (apply) q.entries[static_cast<size_t>(n.entry)].subquery = branch;
  return true;
}

bool push_into(std::shared_ptr<const Query>& query, const ExprPtr& condition, int entry) {
  if (!movable(condition, entry)) return false;
  if (query->set_operation && query->command == CommandKind::kSelect && !query->limit && !query->offset) {
    auto copy = std::make_shared<Query>(*query);
    if (!push_into_set(*copy, *copy->set_operation, condition, entry, false)) return false;
    push_into_set(*copy, *copy->set_operation, condition, entry, true);
    query = copy;
    return true;
  }
  if (!query_allows(*query) || !columns_allow(condition, *query)) return false;
  const ExprPtr inner = substituted(condition, *query);
  if (has_kind(inner, ExprKind::kWindowCall)) return false;
  auto copy = std::make_shared<Query>(*query);
  const bool grouped = copy->has_aggregates || !copy->group_by.empty() || copy->having;
  ExprPtr& to = grouped ? copy->having : copy->where;
  to = to ? make_and({to, inner}) : inner;
  query = copy;
  return true;
}

}  // namespace

std::shared_ptr<const Query> push_conditions(Level& level, Rel& rel, const std::shared_ptr<const Query>& subquery) {
  std::shared_ptr<const Query> out = subquery;
  const bool barrier = level.entry(rel.entry).security_barrier;
  catalog::CatalogView& catalog = level.s.session.catalog();
  std::erase_if(rel.restrictions, [&](const Clause* c) {
    if (barrier && !is_leakproof(catalog, c->expr)) return false;
    return push_into(out, c->expr, rel.entry);
  });
  return out;
}

}  // namespace indigo::sql::planning
