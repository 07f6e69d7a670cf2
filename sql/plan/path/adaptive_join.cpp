#include "sql/plan/path/adaptive_join.h"

#include <algorithm>

#include "sql/plan/path/cost.h"
#include "sql/plan/path/join_paths.h"

namespace indigo::sql::planning {
namespace {

// A loop that has cost as much as the hash join would have is left when it goes on: at most so many times the better plan's cost
// is paid. More, because costs are estimates, too.
constexpr double kPatience = 2;
// The most that a loop could cost, as far as the tables' sizes say, below which nobody needs to be patient.
constexpr double kWorthwhile = 300;
constexpr double kUnknownRows = 1e5;  // of a subquery, a function

const Rel* rel_of(const Level& level, RelSet set) {
  const auto at = std::find_if(level.rels.begin(), level.rels.end(), [&](const Rel& r) { return r.set == set; });
  return at == level.rels.end() ? nullptr : &*at;
}

double most_rows(const Level& level, RelSet set) {
  double rows = 1;
  for (const int i : set) {
    const Rel& rel = level.rels[static_cast<size_t>(i)];
    if (!rel.one_row) rows *= rel.plan != nullptr ? std::max(rel.tuples, kUnknownRows) : rel.tuples;
  }
  return rows;
}

bool is_key(const Clause& c, RelSet left, RelSet right) {
  const bool sides = (left.contains(c.left_rels) && right.contains(c.right_rels)) ||
                     (left.contains(c.right_rels) && right.contains(c.left_rels));
  return c.can_join && c.hashable && sides;
}

}  // namespace

std::optional<HashedInstead> hashed_instead(Level& level, const Path& p) {
  const RelSet left = p.left->rels, right = p.right->rels;
  // What depends on no left row is only read again and again where it cannot be hashed.
  if (!p.outer.empty() || p.right->outer.empty() || !enabled(level.s, kEnableHashJoin)) return {};
  const double most_left = most_rows(level, left);
  HashedInstead out;
  out.right_row_cost = kOperatorCost + clauses_cost(level, p.join_clauses);
  out.left_row_cost = p.right->total + p.right->rows * out.right_row_cost;
  if (most_left <= 1 || most_left * out.left_row_cost < kWorthwhile) return {};
  const Rel *left_rel = rel_of(level, left), *right_rel = rel_of(level, right);
  if (left_rel == nullptr || right_rel == nullptr) return {};
  out.right = right_rel->cheapest;
  if (out.right == nullptr || !out.right->outer.empty()) return {};
  for (const Clause* c : clauses_between(level, *left_rel, *right_rel)) {
    if (is_filter(*c, p.type)) continue;  // above the join
    (is_key(*c, left, right) ? out.keys : out.others).push_back(c);
  }
  if (out.keys.empty()) return {};
  if (p.type == JoinType::kLeft && !out.others.empty() && !p.keys.empty()) return {};  // the order would go

  const auto keys = static_cast<double>(out.keys.size());
  const double hashing = out.right->rows * (kHashRowCost + keys * kOperatorCost);
  const double probe = kHashRowCost / 2 + keys * kOperatorCost;
  if (out.left_row_cost < 2 * probe) return {};
  out.patience = kPatience * (hashing + out.right->total + p.left->rows * probe);
  return out;
}

}  // namespace indigo::sql::planning
