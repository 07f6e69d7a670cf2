// Outer joins that conditions above make inner ones: a condition that no null-extended row can meet; and left joins whose
// other side must be null, which are anti joins.
#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/plan/level.h"
#include "sql/plan/rewrite/fold.h"
#include "sql/plan/rewrite/rewrite.h"
#include "sql/plan/rewrite/strictness.h"
#include "sql/query_walk.h"

namespace indigo::sql::planning {
namespace {

class Reducer {
 public:
  explicit Reducer(Level& level) : level_(level) {}

  bool has_outer(const FromNode& n) const {
    if (n.kind == FromNode::Kind::kJoin && (n.type == JoinType::kLeft || n.type == JoinType::kFull)) return true;
    return std::any_of(n.children.begin(), n.children.end(), [&](const auto& c) { return has_outer(*c); });
  }

  // nonnull: relations that conditions above need; nulls: columns that they need to be null.
  void reduce(FromNode& n, RelSet nonnull, const VarSet& nulls) {
    if (n.kind == FromNode::Kind::kLeaf) return;
    if (n.kind == FromNode::Kind::kInner) {
      VarSet more = nulls;
      for (const ExprPtr& e : n.conditions) {
        nonnull |= nonnullable_rels(level_, e);
        add_null_test(e, more);
      }
      for (auto& c : n.children) reduce(*c, nonnull, more);
      return;
    }
    const RelSet left = rels(*n.children[0]), right = rels(*n.children[1]);
    if (n.type == JoinType::kFull) {
      const bool needs_left = nonnull.overlaps(left), needs_right = nonnull.overlaps(right);
      if (needs_left && needs_right) return become_inner(n, nonnull, nulls);
      if (needs_left || needs_right) {
        if (needs_right) std::swap(n.children[0], n.children[1]);
        n.type = JoinType::kLeft;
        return reduce(n, nonnull, nulls);
      }
    } else if (n.type == JoinType::kLeft) {
      if (nonnull.overlaps(right)) return become_inner(n, nonnull, nulls);
      if (is_anti(n, right, nulls)) {
        n.type = JoinType::kAnti;
        anti_.push_back({&n, right});
      }
    }
    RelSet own;
    VarSet own_nulls;
    for (const ExprPtr& e : n.conditions) {
      own |= nonnullable_rels(level_, e);
      add_null_test(e, own_nulls);
    }
    // NOT IN looks at nulls: what is equal to nothing counts all the same.
    if (n.null_aware) own = RelSet();
    const bool full = n.type == JoinType::kFull, semi = n.type == JoinType::kSemi;
    reduce(*n.children[0], full ? RelSet() : semi ? nonnull | own : nonnull, full ? VarSet() : nulls);
    reduce(*n.children[1], full ? RelSet() : own, full ? VarSet() : own_nulls);
  }

  // Columns of anti joins' right sides are null above them.
  void finish() {
    for (const auto& [node, nullable] : anti_) {
      const RelSet right = nullable;  // Clang 14 cannot capture a binding
      const FromNode* skip = node;
      replace_in_tree(*level_.from, skip, right);
      for_each_expression_outside_from(level_, [&](ExprPtr& e) {
        if (looks_at(e, right)) e = fold(level_.s.session, nulled(e, right), FoldRoutines::kLeave);
      });
    }
  }

 private:
  RelSet rels(const FromNode& n) const {
    if (n.kind == FromNode::Kind::kLeaf) return RelSet::one(level_.rel_of[static_cast<size_t>(n.entry)]);
    RelSet out;
    for (const auto& c : n.children) out |= rels(*c);
    return out;
  }

  void become_inner(FromNode& n, RelSet nonnull, const VarSet& nulls) {
    n.kind = FromNode::Kind::kInner;
    n.type = JoinType::kInner;
    reduce(n, nonnull, nulls);
  }

  static void add_null_test(const ExprPtr& e, VarSet& out) {
    const auto* t = try_as<NullTestExpr>(e);
    if (!t || !t->is_null || t->row) return;
    if (const auto* v = try_as<VarExpr>(t->argument)) out.add(v->entry, v->column);
  }

  // A column or a row of one of `rels`, seen from `depth` subqueries within.
  bool is_of(const Expr& e, int depth, RelSet rels) const {
    const int entry = levels_of(e) == depth ? entry_of(e) : -1;
    const int rel = entry < 0 ? -1 : level_.rel_of[static_cast<size_t>(entry)];
    return rel >= 0 && rels.has(rel);
  }

  bool looks_at(const ExprPtr& e, RelSet rels) const {
    bool found = false;
    visit_expressions(e, [&](const Expr& n, int depth) {
      found = found || is_of(n, depth, rels);
      return !found;
    });
    return found;
  }

  // A lateral subquery looks at one of `rels`: they must still be there above the join.
  bool seen_laterally(RelSet rels) const {
    bool found = false;
    for (size_t i = 0; i < level_.entries.size() && !found; i++) {
      const Entry& entry = level_.entry(static_cast<int>(i));
      if (entry.kind != EntryKind::kSubquery || !entry.lateral || !entry.subquery) continue;
      visit_query(*entry.subquery, [&](const Expr& e, int depth) {
        found = found || is_of(e, depth + 1, rels);
        return !found;
      });
    }
    return found;
  }

  // Some column of the right side must be null above, and cannot be where the join's condition is true.
  bool is_anti(const FromNode& n, RelSet right, const VarSet& nulls) const {
    if (nulls.pairs().empty() || seen_laterally(right)) return false;
    VarSet strict;
    for (const ExprPtr& e : n.conditions) nonnullable_vars(e, strict);
    return std::any_of(nulls.pairs().begin(), nulls.pairs().end(), [&](const auto& p) {
      const int rel = level_.rel_of[static_cast<size_t>(p.first)];
      return rel >= 0 && right.has(rel) && strict.has(p.first, p.second);
    });
  }

  // In subqueries, too.
  ExprPtr nulled(const ExprPtr& e, RelSet right) const {
    return map_levels(e, [&](const ExprPtr& n, int depth) -> ExprPtr {
      return is_of(*n, depth, right) ? make_null(level_.s.catalog(), n->type, n->location) : nullptr;
    });
  }

  void replace_in_tree(FromNode& n, const FromNode* skip, RelSet right) {
    if (&n == skip) return;
    for (ExprPtr& e : n.conditions) {
      if (looks_at(e, right)) e = fold(level_.s.session, nulled(e, right), FoldRoutines::kLeave);
    }
    for (auto& c : n.children) replace_in_tree(*c, skip, right);
  }

  Level& level_;
  std::vector<std::pair<FromNode*, RelSet>> anti_;
};

}  // namespace

void reduce_outer_joins(Level& level) {
  Reducer r(level);
  if (!r.has_outer(*level.from)) return;
  r.reduce(*level.from, RelSet(), VarSet());
  r.finish();
}

}  // namespace indigo::sql::planning
