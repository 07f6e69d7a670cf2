#include "sql/plan/condition/or_clauses.h"

#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/plan/condition/clauses.h"

namespace indigo::sql::planning {
namespace {

const BoolExpr* or_of(const ExprPtr& e) {
  const auto* b = try_as<BoolExpr>(e);
  return b && b->op == BoolExpr::Op::kOr ? b : nullptr;
}

void flatten_or(const ExprPtr& e, ExprList& out) {
  if (const auto* any = or_of(e)) {
    for (const ExprPtr& a : any->arguments) flatten_or(a, out);
  } else {
    out.push_back(e);
  }
}

bool holds(const ExprList& list, const ExprPtr& e) {
  return std::any_of(list.begin(), list.end(), [&](const ExprPtr& o) { return equal(o, e); });
}

std::vector<ExprList> alternatives_of(const ExprPtr& e) {
  ExprList flat;
  flatten_or(e, flat);
  std::vector<ExprList> out;
  for (const ExprPtr& a : flat) flatten_and(a, out.emplace_back());
  return out;
}

// The conjuncts that the first alternative shares with all others.
ExprList common_factors(const std::vector<ExprList>& alternatives) {
  ExprList out;
  for (const ExprPtr& e : alternatives[0]) {
    const auto has = [&](const ExprList& list) { return holds(list, e); };
    if (!contains_volatile(*e) && std::all_of(alternatives.begin() + 1, alternatives.end(), has)) out.push_back(e);
  }
  return out;
}

// The OR of what each alternative says of one relation alone; null: one of them says nothing.
ExprPtr part_about(Level& level, const std::vector<ExprList>& alternatives, RelSet rel) {
  ExprList any;
  for (const ExprList& conjuncts : alternatives) {
    ExprList own;
    for (const ExprPtr& e : conjuncts) {
      if (level.rels_of(e) == rel && !contains_volatile(*e)) own.push_back(e);
    }
    if (own.empty()) return nullptr;
    any.push_back(make_and(std::move(own)));
  }
  // IN lists come as one alternative for each value: the same condition is there many times.
  ExprList distinct;
  for (const ExprPtr& e : any) {
    if (distinct.size() > 64 || !holds(distinct, e)) distinct.push_back(e);
  }
  return make_or(std::move(distinct));
}

}  // namespace

ExprList without_common_factors(const ExprList& conditions) {
  ExprList out;
  for (const ExprPtr& e : conditions) {
    if (!or_of(e)) {
      out.push_back(e);
      continue;
    }
    std::vector<ExprList> alternatives = alternatives_of(e);
    const ExprList common = common_factors(alternatives);
    if (common.empty()) {
      out.push_back(e);
      continue;
    }
    out.insert(out.end(), common.begin(), common.end());
    ExprList rest;
    for (ExprList& conjuncts : alternatives) {
      std::erase_if(conjuncts, [&](const ExprPtr& c) { return holds(common, c); });
      if (conjuncts.empty()) break;  // common alone is enough
      rest.push_back(make_and(std::move(conjuncts)));
    }
    if (rest.size() == alternatives.size()) out.push_back(make_or(std::move(rest)));
  }
  return out;
}

void derive_restrictions(Level& level) {
  const std::vector<const Clause*> clauses = level.join_clauses;
  for (const Clause* c : clauses) {
    if (!or_of(c->expr) || !c->pushed_down || c->required != c->rels) continue;
    const std::vector<ExprList> alternatives = alternatives_of(c->expr);
    for (const int rel : c->rels) {
      const RelSet one = RelSet::one(rel);
      if (level.nullable.overlaps(one)) continue;
      const ExprPtr part = part_about(level, alternatives, one);
      if (!part) continue;
      Clause& derived = make_clause(level, part, one);
      attach_clause(level, derived);
      c->implied.push_back(&derived);
    }
  }
}

}  // namespace indigo::sql::planning
