#include "sql/plan/rewrite/unused_outputs.h"

#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/plan/finish/finish.h"

namespace indigo::sql::planning {

VarSet read_vars(Level& level) {
  VarSet out = needed_vars(level);
  for (const ExprPtr& e : level.recheck) out.add_vars(e);
  for (const ExprPtr& e : level.constant_conditions) out.add_vars(e);
  for (const Clause& c : level.clauses) out.add_vars(c.expr);
  for (const EquivalenceClass& c : level.classes) {
    for (const auto& m : c.members) out.add_vars(m.expr);
  }
  for (const Rel& rel : level.rels) {
    for (const Request& r : rel.requests) out.add_vars(r.from);
  }
  for (const Request& r : level.requests) out.add_vars(r.from);
  return out;
}

namespace {

// Distinct rows and set operations depend on every column, ties on those that are sorted by; without a group an aggregate is
// what makes the one row.
bool query_allows(const Query& q) {
  const bool one_group = q.has_aggregates && q.group_by.empty() && q.grouping_sets.empty();
  return q.command == CommandKind::kSelect && !q.set_operation && !q.distinct && q.distinct_on.empty() &&
         !q.with_ties && !one_group;
}

// Computing it costs something, and has no visible effect.
bool can_drop(const TargetEntry& t) {
  const ExprKind kind = t.expr->kind;
  if (kind == ExprKind::kVar || kind == ExprKind::kConst || kind == ExprKind::kParam) return false;
  return !contains_volatile(*t.expr) && !has_set_function(t.expr);
}

}  // namespace

std::shared_ptr<const Query> without_unused_outputs(Level& level, const Rel& rel, std::shared_ptr<const Query> query) {
  if (level.work.command != CommandKind::kSelect || !query_allows(*query)) return query;
  // What is lateral is planned later and may read any column.
  if (std::any_of(level.entries.begin(), level.entries.end(), [](const Entry* e) { return e->lateral; })) return query;
  if (std::none_of(query->targets.begin(), query->targets.end(),
                   [](const TargetEntry& t) { return !t.hidden && can_drop(t); })) {
    return query;
  }
  const VarSet read = read_vars(level);
  std::shared_ptr<Query> out;
  int column = 0;
  for (size_t i = 0; i < query->targets.size(); i++) {
    const TargetEntry& t = query->targets[i];
    if (t.hidden) continue;
    const int number = column++;
    if (!can_drop(t) || read.has(rel.entry, number)) continue;
    if (!out) out = std::make_shared<Query>(*query);
    out->targets[i].expr = make_null(level.s.catalog(), t.expr->type);
  }
  return out ? out : query;
}

}  // namespace indigo::sql::planning
