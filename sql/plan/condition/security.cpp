#include "sql/plan/condition/security.h"

#include <algorithm>

#include "sql/leakproof.h"
#include "sql/plan/condition/clauses.h"
#include "sql/query_walk.h"

namespace indigo::sql::planning {
namespace {

// An expression over entry 0, `depth` queries below the level, becomes one over another entry.
ExprPtr over_entry(const ExprPtr& e, int entry, int depth) {
  if (const auto* v = try_as<VarExpr>(e)) {
    if (v->levels_up != depth || v->entry != 0) return e;
    auto copy = std::make_shared<VarExpr>(*v);
    copy->entry = entry;
    return copy;
  }
  if (const auto* w = try_as<WholeRowExpr>(e)) {
    if (w->levels_up != depth || w->entry != 0) return e;
    auto copy = std::make_shared<WholeRowExpr>(*w);
    copy->entry = entry;
    return copy;
  }
  ExprPtr mapped = map_children(e, [&](const ExprPtr& c) { return over_entry(c, entry, depth); });
  const auto* link = try_as<SubLinkExpr>(mapped);
  if (link == nullptr || link->query == nullptr) return mapped;
  auto copy = std::make_shared<SubLinkExpr>(*link);
  copy->query = map_query(
      link->query, [&](const ExprPtr& x, int below) { return over_entry(x, entry, depth + 1 + below); }, nullptr);
  return copy;
}

// Changed rows of these tables are looked at again.
bool is_rechecked(const Level& level, int entry) {
  const Query& q = level.work;
  if (entry == q.target) return q.command != CommandKind::kInsert;
  return std::any_of(q.row_locks.begin(), q.row_locks.end(), [&](const RowLock& l) { return l.entry == entry; });
}

}  // namespace

Status prepare_security(Level& level) {
  ExprList again;
  for (size_t i = 0; i < level.entries.size(); i++) {
    const auto number = static_cast<int>(i);
    for (const ExprPtr& qual : level.entries[i]->security_quals) {
      INDIGO_ASSIGN(ExprPtr e, prepare_expression(level, number == 0 ? qual : over_entry(qual, number, 0)));
      if (is_rechecked(level, number)) again.push_back(e);
      level.security[number].push_back(std::move(e));
    }
  }
  level.recheck.insert(level.recheck.begin(), again.begin(), again.end());
  return {};
}

void add_security_clauses(Level& level) {
  for (const auto& [entry, quals] : level.security) {
    const int number = level.rel_of[static_cast<size_t>(entry)];
    if (number < 0) continue;
    Rel& rel = level.base(number);
    std::vector<const Clause*> first;
    for (const ExprPtr& e : quals) {
      Clause& c = make_clause(level, e, level.rels_of(e));
      c.required = rel.set;
      c.policy = true;
      c.security = static_cast<int>(first.size());
      first.push_back(&c);
    }
    rel.restrictions.insert(rel.restrictions.begin(), first.begin(), first.end());
  }
}

int security_rank(Level& level, const Rel& rel, const Clause& c) {
  if (c.policy) return c.security;
  const auto policies = level.security.find(rel.entry);
  if (policies == level.security.end() || is_leakproof(level.s.session.catalog(), c.expr)) return 0;
  return static_cast<int>(policies->second.size());
}

bool may_bound(Level& level, const Rel& rel, const Clause& c) { return security_rank(level, rel, c) == 0; }

}  // namespace indigo::sql::planning
