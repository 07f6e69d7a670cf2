#include "sql/plan/path/path_choice.h"

#include <algorithm>

#include "sql/plan/condition/equivalence.h"
#include "sql/plan/finish/finish.h"

namespace indigo::sql::planning {
namespace {

// The order of b is a prefix of a's.
bool orders_as(std::span<const PathKey> a, std::span<const PathKey> b) {
  return a.size() >= b.size() && std::equal(b.begin(), b.end(), a.begin());
}

PathMerit merit_of(const Path& p) { return {p.startup, p.total, p.rows, p.outer, p.keys}; }

// What costs hardly more is as good, if it is better in something else; of two that differ in nothing else the cheaper one is
// kept, be it by little: what a clamped estimate of one row leaves of a difference is the only sign that a join comes too late.
bool dominates(const Level& level, const PathMerit& a, const PathMerit& b) {
  if (!b.outer.contains(a.outer) || !orders_as(a.keys, b.keys)) return false;
  const bool alike = a.outer == b.outer && a.keys.size() == b.keys.size();
  const double fuzz = alike ? 1 : 1.01;
  return a.total <= b.total * fuzz && (a.startup <= b.startup * 1.01 || !level.startup_matters) &&
         a.rows <= b.rows * 1.01;
}

}  // namespace

bool would_lose(const Level& level, const Rel& rel, const PathMerit& merit) {
  return std::any_of(rel.paths.begin(), rel.paths.end(),
                     [&](const Path* p) { return dominates(level, merit_of(*p), merit); });
}

bool add_path(const Level& level, Rel& rel, Path* path) {
  const PathMerit merit = merit_of(*path);
  if (would_lose(level, rel, merit)) return false;
  std::erase_if(rel.paths, [&](const Path* p) { return dominates(level, merit, merit_of(*p)); });
  rel.paths.push_back(path);
  rel.cheapest = nullptr;
  for (Path* p : rel.paths) {
    if (p->outer.empty() && (!rel.cheapest || p->total < rel.cheapest->total)) rel.cheapest = p;
  }
  return true;
}

void note_wanted_orders(Level& level) {
  const Query& q = level.work;
  const auto want = [&](const ExprPtr& e, int ways = Level::kEitherWay) {
    const auto id = static_cast<size_t>(sort_id(level, e));
    if (id >= level.wanted_orders.size()) level.wanted_orders.resize(id + 1);
    level.wanted_orders[id] |= static_cast<uint8_t>(ways);
  };
  const auto want_key = [&](const SortKey& k) { want(k.expr, k.descending ? Level::kDescending : Level::kAscending); };
  for (const SortKey& k : q.order_by) want_key(k);
  for (const ExprPtr& e : q.group_by) want(e);
  if (q.has_aggregates && q.group_by.empty()) {  // the first row of an order is a min or max (min_max.cpp)
    for (const ExprPtr& e : query_aggregates(q)) {
      const auto& a = as<AggregateExpr>(*e);
      if (a.arguments.size() == 1) want(a.arguments[0], Level::kAscending | Level::kDescending);
    }
  }
  for (const ExprPtr& e : q.distinct_on) want(e);
  if (q.distinct) {
    for (const TargetEntry& t : q.targets) want(t.expr);
  }
  for (const Window& w : q.windows) {
    for (const ExprPtr& e : w.partition) want(e, Level::kAscending);
    for (const SortKey& k : w.order) want_key(k);
  }
}

bool wants_direction(const Level& level, std::span<const PathKey> keys) {
  return std::any_of(keys.begin(), keys.end(), [&](const PathKey& k) {
    const auto id = static_cast<size_t>(k.id);
    const uint8_t way = k.descending ? Level::kDescending : Level::kAscending;
    return id < level.wanted_orders.size() && (level.wanted_orders[id] & way) != 0;
  });
}

size_t useful_keys(const Level& level, std::span<const PathKey> keys, RelSet rels) {
  size_t n = 0;
  for (; n < keys.size(); n++) {
    const auto id = static_cast<size_t>(keys[n].id);
    if (id < level.wanted_orders.size() && level.wanted_orders[id] != 0) continue;
    const EquivalenceClass& c = level.classes[id];
    const bool joins = c.equality && std::any_of(c.members.begin(), c.members.end(),
                                                 [&](const auto& m) { return !(m.rels - rels).empty(); });
    if (!joins) break;
  }
  return n;
}

}  // namespace indigo::sql::planning
