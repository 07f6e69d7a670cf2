#include "sql/plan/path/join_size.h"

#include <algorithm>
#include <utility>

#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/path/access_paths.h"

namespace indigo::sql::planning {
namespace {

// The relation's tuples when the clauses equate all columns of one of its unique keys, of two columns or more; 0 otherwise.
double key_tuples(Level& level, const Rel& rel, RelSet others, const std::vector<const Clause*>& clauses,
                  std::vector<const Clause*>& used) {
  ExprList columns;
  used.clear();
  for (const Clause* c : clauses) {
    if (!c->can_join || !c->hashable) continue;
    const bool straight = c->left_rels == rel.set && others.contains(c->right_rels);
    const bool flipped = c->right_rels == rel.set && others.contains(c->left_rels);
    ExprPtr column = straight ? c->left : flipped ? c->right : nullptr;
    // Of several columns that are equal on this side, the clause names one.
    if (!column && c->eq_class >= 0 && (others.contains(c->left_rels) || others.contains(c->right_rels))) {
      for (const auto& m : level.classes[static_cast<size_t>(c->eq_class)].members) {
        if (m.rels == rel.set) column = m.expr;
      }
    }
    if (!column) continue;
    columns.push_back(std::move(column));
    used.push_back(c);
  }
  return used.size() >= 2 && is_unique_for(level, rel, columns) ? std::max(1.0, rel.tuples) : 0;
}

}  // namespace

// Fraction of left rows that have a match.
double match_fraction(Level& level, const Rel& left, const Rel& right, const std::vector<const Clause*>& clauses) {
  double s = 1;
  for (const Clause* c : clauses) {
    if (c->can_join && c->hashable) {
      const bool straight = left.set.contains(c->left_rels);
      const double l = distinct_values(level, straight ? c->left : c->right, left.rows);
      const double r = distinct_values(level, straight ? c->right : c->left, right.rows);
      s *= std::min(1.0, r / std::max(1.0, l));
    } else {
      s *= std::min(1.0, clause_selectivity(level, *c) * std::max(1.0, right.rows));
    }
  }
  return std::min(1.0, std::max(1e-6, s));
}

// Columns that refer to a key of several columns together are not independent:
// every row finds its partner, as with a key of one column.
double joined_part(Level& level, const Rel& left, const Rel& right, std::vector<const Clause*> clauses) {
  double part = 1;
  if (clauses.size() >= 2) {
    std::vector<const Clause*> used;
    for (const auto& [side, other] : {std::pair(left.set, right.set), std::pair(right.set, left.set)}) {
      for (const int i : side) {
        const double tuples = key_tuples(level, level.rels[static_cast<size_t>(i)], other, clauses, used);
        if (tuples == 0) continue;
        part /= tuples;
        std::erase_if(clauses, [&](const Clause* c) { return std::find(used.begin(), used.end(), c) != used.end(); });
      }
    }
  }
  return part * clauses_selectivity(level, clauses);
}

double join_rows(Level& level, const Rel& left, const Rel& right, JoinType type,
                 const std::vector<const Clause*>& clauses) {
  std::vector<const Clause*> joining, filters;
  for (const Clause* c : clauses) {
    (is_filter(*c, type) ? filters : joining).push_back(c);
  }
  double rows;
  if (keeps_left_only(type)) {
    const double f = match_fraction(level, left, right, joining);
    rows = left.rows * (type == JoinType::kSemi ? f : 1 - f);
  } else {
    rows = left.rows * right.rows * joined_part(level, left, right, joining);
    if (type == JoinType::kLeft || type == JoinType::kFull) rows = std::max(rows, left.rows);
    if (type == JoinType::kFull) rows = std::max(rows, right.rows);
  }
  for (const Clause* c : filters) rows *= clause_selectivity(level, *c);
  return std::max(1.0, rows);
}

}  // namespace indigo::sql::planning
