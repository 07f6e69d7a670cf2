#include "sql/plan/condition/equivalence.h"

#include <algorithm>

#include "catalog/catalog.h"
#include "sql/analyze/make.h"
#include "sql/plan/condition/clauses.h"
#include "types/oids.h"
#include "types/value/collator.h"

namespace indigo::sql::planning {
namespace {

// Text types have one order: a relabelled column is sorted and equal as the column itself.
const Expr& bare(const ExprPtr& e) {
  const auto text = [](Oid t) { return t == oid::kText || t == oid::kVarchar; };
  const Expr* at = e.get();
  while (at->kind == ExprKind::kRelabel) {
    const auto& r = as<RelabelExpr>(*at);
    if (!text(r.type.oid) || !text(r.argument->type.oid)) break;
    at = r.argument.get();
  }
  return *at;
}

int root(const Level& level, int id) {
  while (level.classes[static_cast<size_t>(id)].merged_into >= 0)
    id = level.classes[static_cast<size_t>(id)].merged_into;
  return id;
}

bool same_expr(const ExprPtr& a, const ExprPtr& b) { return equal(bare(a), bare(b)); }

int find(const Level& level, const ExprPtr& e) {
  const Expr& wanted = bare(e);
  for (size_t i = 0; i < level.classes.size(); i++) {
    if (level.classes[i].merged_into >= 0) continue;
    for (const auto& m : level.classes[i].members) {
      const Expr& member = bare(m.expr);
      if (member.kind == wanted.kind && equal(member, wanted)) return static_cast<int>(i);
    }
  }
  return -1;
}

ExprPtr equality(const EquivalenceClass& c, const ExprPtr& left, const ExprPtr& right) {
  auto e = std::make_shared<CallExpr>();
  e->type.oid = oid::kBool;
  e->function = c.function;
  e->op = c.op;
  e->collation = c.collation;
  e->form = CallExpr::Form::kOperator;
  e->arguments = {left, right};
  return e;
}

const Clause* equality_clause(Level& level, size_t number, const EquivalenceClass::Member& a,
                              const EquivalenceClass::Member& b) {
  // The same pair again makes the same clause.
  for (const Clause& c : level.clauses) {
    if (c.eq_class == static_cast<int>(number) && c.left_of == a.expr && c.right_of == b.expr) return &c;
  }
  Clause& c = make_clause(level, equality(level.classes[number], a.expr, b.expr), a.rels | b.rels);
  c.eq_class = static_cast<int>(number);
  c.left_of = a.expr;
  c.right_of = b.expr;
  return &c;
}

// Values that are equal under this comparison sort and group alike: both sides have the collation that they are compared
// under, and it calls no different texts equal.
bool equals_are_interchangeable(Level& level, const CallExpr& call) {
  if (!compared_under_own_collation(level.s.catalog(), call)) return false;
  const types::Collator* collator = level.s.catalog().collator(call.collation);
  return collator == nullptr || collator->deterministic();
}

}  // namespace

bool add_equality(Level& level, const ExprPtr& e) {
  const auto* call = try_as<CallExpr>(e);
  if (!call || call->op == kInvalidOid || call->arguments.size() != 2) return false;
  if (level.s.catalog().btree_strategy(call->op) != 3) return false;
  const ExprPtr &l = call->arguments[0], &r = call->arguments[1];
  if (l->type.oid != r->type.oid || contains_volatile(*e) || equal(l, r)) return false;
  const auto* op = level.s.catalog().operator_by_oid(call->op);
  if (!op || !op->can_merge) return false;
  if (!equals_are_interchangeable(level, *call)) return false;
  const RelSet left = level.rels_of(l), right = level.rels_of(r);
  const ExprPtr constant = left.empty() ? l : right.empty() ? r : nullptr;
  if (left.empty() && right.empty()) return false;
  const auto fits = [&](int id) {
    const EquivalenceClass& c = level.classes[static_cast<size_t>(id)];
    return c.op == call->op && c.collation == call->collation;
  };
  int a = left.empty() ? -1 : find(level, l), b = right.empty() ? -1 : find(level, r);
  if ((a >= 0 && !fits(a)) || (b >= 0 && !fits(b))) return false;
  if (constant) {
    const ExprPtr& member = left.empty() ? r : l;
    int id = left.empty() ? b : a;
    // A second constant stays a clause of its own: it must be compared as well.
    if (id >= 0 && level.classes[static_cast<size_t>(id)].constant) return false;
    if (id < 0) {
      id = static_cast<int>(level.classes.size());
      level.classes.emplace_back();
      level.classes.back().members.push_back({member, left | right});
    }
    EquivalenceClass& c = level.classes[static_cast<size_t>(id)];
    c.constant = constant;
    c.equality = true;
    c.op = call->op;
    c.function = call->function;
    c.collation = call->collation;
    return true;
  }
  if (a < 0 && b < 0) {
    level.classes.emplace_back();
    EquivalenceClass& c = level.classes.back();
    c.members = {{l, left}, {r, right}};
    c.equality = true;
    c.op = call->op;
    c.function = call->function;
    c.collation = call->collation;
    return true;
  }
  if (a == b) return true;
  if (a >= 0 && b >= 0) {
    EquivalenceClass &to = level.classes[static_cast<size_t>(a)], &from = level.classes[static_cast<size_t>(b)];
    if (to.constant && from.constant) return false;
    if (!to.constant) to.constant = from.constant;
    to.members.insert(to.members.end(), from.members.begin(), from.members.end());
    from.merged_into = a;
    return true;
  }
  EquivalenceClass& c = level.classes[static_cast<size_t>(a >= 0 ? a : b)];
  if (a >= 0) {
    c.members.push_back({r, right});
  } else {
    c.members.push_back({l, left});
  }
  return true;
}

namespace {

// Whether a join inside of this one's right side adds rows of nulls for the relation, or may.
bool nulled_within(const Level& level, const SpecialJoin& join, RelSet rel) {
  return std::any_of(level.special_joins.begin(), level.special_joins.end(), [&](const SpecialJoin& o) {
    if (&o == &join || o.type == JoinType::kSemi || !join.syn_right.contains(o.syn_left | o.syn_right)) return false;
    return o.syn_right.overlaps(rel) || (o.type == JoinType::kFull && o.syn_left.overlaps(rel));
  });
}

// l LEFT JOIN r ON l.x = r.x WHERE l.x = 5: no row of r with another x is joined with a row that stays.
void add_outer_constants(Level& level, const SpecialJoin& join) {
  for (const Clause* c : join.conditions) {
    if (!c->mergeable) continue;
    const bool straight = join.syn_left.contains(c->left_rels);
    const RelSet kept = straight ? c->left_rels : c->right_rels, other = straight ? c->right_rels : c->left_rels;
    if (!join.syn_left.contains(kept) || !join.syn_right.contains(other) || other.count() != 1) continue;
    const auto& call = as<CallExpr>(*c->expr);
    const int id = find(level, call.arguments[straight ? 0 : 1]);
    if (id < 0 || nulled_within(level, join, other)) continue;
    const EquivalenceClass& of = level.classes[static_cast<size_t>(id)];
    if (!of.constant || of.op != call.op || of.collation != call.collation) continue;
    attach_clause(level, make_clause(level, equality(of, call.arguments[straight ? 1 : 0], of.constant), other));
    c->selectivity = 1;  // of the pairs that are left
  }
}

}  // namespace

void finish_equivalence(Level& level) {
  for (const SpecialJoin& join : level.special_joins) {
    if (join.type == JoinType::kLeft || (join.type == JoinType::kAnti && !join.null_aware))
      add_outer_constants(level, join);
  }
  for (size_t i = 0; i < level.classes.size(); i++) {
    if (level.classes[i].merged_into >= 0 || !level.classes[i].equality) continue;
    const auto members = level.classes[i].members;
    if (level.classes[i].constant) {
      for (const auto& m : members) {
        Clause& c = make_clause(level, equality(level.classes[i], m.expr, level.classes[i].constant), m.rels);
        c.eq_class = static_cast<int>(i);
        attach_clause(level, c);
      }
      continue;
    }
    // Members of one relation are equal to each other; members that span several are compared once they are joined.
    for (size_t b = 1; b < members.size(); b++) {
      for (size_t a = 0; a < b; a++) {
        if (members[a].rels == members[b].rels && members[b].rels.count() == 1) {
          Clause& c = make_clause(level, equality(level.classes[i], members[a].expr, members[b].expr), members[b].rels);
          c.eq_class = static_cast<int>(i);
          attach_clause(level, c);
          break;
        }
      }
    }
  }
}

void join_equalities(Level& level, RelSet left, RelSet right, std::vector<const Clause*>& out) {
  const RelSet both = left | right;
  const RelSet hidden = level.hidden_in(left) | level.hidden_in(right);
  for (size_t i = 0; i < level.classes.size(); i++) {
    if (level.classes[i].merged_into >= 0 || !level.classes[i].equality || level.classes[i].constant) continue;
    const auto& members = level.classes[i].members;
    const EquivalenceClass::Member *in_left = nullptr, *in_right = nullptr;
    for (const auto& m : members) {
      if (m.rels.overlaps(hidden)) continue;
      if (left.contains(m.rels)) {
        // A plain column is the better representative.
        if (!in_left || (in_left->expr->kind != ExprKind::kVar && m.expr->kind == ExprKind::kVar)) in_left = &m;
      } else if (right.contains(m.rels)) {
        if (!in_right || (in_right->expr->kind != ExprKind::kVar && m.expr->kind == ExprKind::kVar)) in_right = &m;
      }
    }
    const EquivalenceClass::Member* known = in_left ? in_left : in_right;
    if (in_left && in_right) out.push_back(equality_clause(level, i, *in_left, *in_right));
    // Members that need both sides.
    for (const auto& m : members) {
      if (!both.contains(m.rels) || left.contains(m.rels) || right.contains(m.rels) || m.rels.overlaps(hidden))
        continue;
      if (known) out.push_back(equality_clause(level, i, *known, m));
      known = known ? known : &m;
    }
  }
}

void column_equalities(Level& level, const ExprPtr& column, RelSet rel, std::vector<const Clause*>& out) {
  const int id = find(level, column);
  if (id < 0) return;
  const auto number = static_cast<size_t>(id);
  if (!level.classes[number].equality || level.classes[number].constant) return;
  const auto members = level.classes[number].members;
  const EquivalenceClass::Member* mine = nullptr;
  for (const auto& m : members) {
    if (m.rels == rel && same_expr(m.expr, column)) mine = &m;
  }
  if (!mine) return;
  for (const auto& m : members) {
    if (!m.rels.overlaps(rel)) out.push_back(equality_clause(level, number, *mine, m));
  }
}

int sort_id(Level& level, const ExprPtr& e) {
  int id = find(level, e);
  if (id >= 0) return root(level, id);
  level.classes.emplace_back();
  level.classes.back().members.push_back({e, level.rels_of(e)});
  return static_cast<int>(level.classes.size()) - 1;
}

bool is_constant_id(const Level& level, int id) { return level.classes[static_cast<size_t>(id)].constant != nullptr; }

}  // namespace indigo::sql::planning
