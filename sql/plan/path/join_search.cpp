// The join order: dynamic programming over sets of relations, greedy where that would take too long. Which pairs may be joined,
// and how, follows PostgreSQL's join_is_legal.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/sqlstate.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/path/access_paths.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/path/join_paths.h"
#include "sql/plan/path/path_choice.h"

namespace indigo::sql::planning {
namespace {

constexpr int kMaxExhaustive = 12;  // relations
constexpr int kMaxPairs = 6000;     // joined while searching exhaustively
constexpr int kMinBounded = 6;      // relations; fewer are searched faster than a bound is found

class JoinSearch {
 public:
  explicit JoinSearch(Level& level) : level_(level), count_(static_cast<int>(level.rels.size())) {
    for (int i = 0; i < count_; i++) built_[RelSet::one(i).bits] = &level.rels[static_cast<size_t>(i)];
    find_neighbours();
  }

  Status run() {
    note_wanted_orders(level_);
    for (int i = 0; i < count_; i++) cut_orders(level_.rels[static_cast<size_t>(i)]);
    // A plan that is found quickly bounds what others may cost.
    if (count_ >= kMinBounded) greedy();
    if (const Rel* all = find(level_.all_rels); all && all->cheapest && !level_.startup_matters) {
      bound_ = all->cheapest->total;
    }
    if (count_ <= kMaxExhaustive) {
      complete_ = false;
      exhaustive(false);
      if (!over_budget_ && !complete_) exhaustive(true);
    }
    if (!find(level_.all_rels)) greedy();
    level_.final_rel = find(level_.all_rels);
    if (level_.final_rel && level_.final_rel->cheapest) return {};
    const bool full = std::any_of(level_.special_joins.begin(), level_.special_joins.end(),
                                  [](const SpecialJoin& j) { return j.type == JoinType::kFull; });
    if (full) {
      return Error(sqlstate::kFeatureNotSupported,
                   "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions");
    }
    return Error(sqlstate::kInternalError, "planner: failed to join all relations");
  }

 private:
  Rel* find(RelSet set) const {
    const auto at = built_.find(set.bits);
    return at == built_.end() || at->second->paths.empty() ? nullptr : at->second;
  }

  // A base relation's paths with the orders that are of use; some become alike.
  void cut_orders(Rel& rel) {
    std::vector<Path*> paths;
    paths.swap(rel.paths);
    for (Path* p : paths) {
      p->keys.resize(useful_keys(level_, p->keys, rel.set));
      add_path(level_, rel, p);
    }
  }

  // No plan that is cheaper than the one that is known holds this.
  bool too_dear(const Rel& rel) const {
    return std::all_of(rel.paths.begin(), rel.paths.end(), [&](const Path* p) { return p->total > bound_; });
  }

  void connect(RelSet a, RelSet b) {
    for (const int i : a) neighbours_[i] |= b - RelSet::one(i);
    for (const int i : b) neighbours_[i] |= a - RelSet::one(i);
  }

  void find_neighbours() {
    for (const Clause* c : level_.join_clauses) {
      const RelSet rels = c->rels.count() > 1 ? c->rels : c->required;
      connect(rels, rels);
    }
    for (const auto& c : level_.classes) {
      if (!c.equality || c.merged_into >= 0 || c.constant) continue;
      RelSet all;
      for (const auto& m : c.members) all |= m.rels;
      connect(all, all);
    }
    for (const SpecialJoin& j : level_.special_joins) {
      bool linked = false;
      for (const int i : j.min_left) linked = linked || neighbours_[i].overlaps(j.min_right);
      if (!linked) connect(j.min_left, j.min_right);
    }
    for (int i = 0; i < count_; i++) {
      if (!level_.rels[static_cast<size_t>(i)].lateral.empty())
        connect(RelSet::one(i), level_.rels[static_cast<size_t>(i)].lateral);
    }
  }

  bool connected(RelSet a, RelSet b) const {
    for (const int i : a) {
      if (neighbours_[i].overlaps(b)) return true;
    }
    return false;
  }

  // Everything that can be reached from a within the query is in it: joining it with something else is a product anyway.
  bool is_closed(RelSet a) const {
    for (const int i : a) {
      if (!a.contains(neighbours_[i])) return false;
    }
    return true;
  }

  struct Legal {
    bool ok = false;
    bool reversed = false;
    const SpecialJoin* special = nullptr;
  };

  Legal legal(RelSet a, RelSet b) const {
    const RelSet both = a | b;
    Legal out;
    bool must_be_left = false;
    for (const SpecialJoin& j : level_.special_joins) {
      if (j.type == JoinType::kFull) {
        // Nothing joins a part of it: its sides are complete, and only they, when they meet.
        const RelSet sides = j.syn_left | j.syn_right;
        if (!both.overlaps(sides) || a.contains(sides) || b.contains(sides)) continue;
        if (j.syn_left.contains(both) || j.syn_right.contains(both)) continue;
        const bool in_order = a == j.syn_left && b == j.syn_right;
        if (out.special || !(in_order || (a == j.syn_right && b == j.syn_left))) return {};
        out.special = &j;
        out.reversed = !in_order;
        continue;
      }
      if (!j.min_right.overlaps(both)) continue;
      if (j.min_right.contains(both)) continue;
      if ((a.contains(j.min_left) && a.contains(j.min_right)) || (b.contains(j.min_left) && b.contains(j.min_right)))
        continue;
      if (j.type == JoinType::kSemi) {
        // The right side has been joined to something else already: made distinct then.
        if (a.contains(j.syn_right) && a != j.syn_right) continue;
        if (b.contains(j.syn_right) && b != j.syn_right) continue;
      }
      if (a.contains(j.min_left) && b.contains(j.min_right)) {
        if (out.special) return {};
        out.special = &j;
        out.reversed = false;
      } else if (b.contains(j.min_left) && a.contains(j.min_right)) {
        if (out.special) return {};
        out.special = &j;
        out.reversed = true;
      } else {
        if (a.overlaps(j.min_right) && b.overlaps(j.min_right)) continue;
        if (j.type != JoinType::kLeft || both.overlaps(j.min_left)) return {};
        must_be_left = true;
      }
    }
    if (must_be_left && (!out.special || out.special->type != JoinType::kLeft || !out.special->left_strict)) {
      return {};
    }
    // A semi join's right side must be there as a whole.
    if (out.special && (out.special->type == JoinType::kSemi || out.special->type == JoinType::kAnti)) {
      const RelSet right = out.reversed ? a : b;
      if (!right.contains(out.special->syn_right)) return {};
    }
    out.ok = true;
    return out;
  }

  // Joins two built relations if that is allowed.
  void join(Rel& a, Rel& b) {
    const RelSet both = a.set | b.set;
    const Legal how = legal(a.set, b.set);
    if (!how.ok) return;
    pairs_++;
    if (both == level_.all_rels) complete_ = true;
    Rel& left = how.reversed ? b : a;
    Rel& right = how.reversed ? a : b;
    const JoinType type = how.special ? how.special->type : JoinType::kInner;
    const std::vector<const Clause*> clauses = clauses_between(level_, left, right);
    Rel& out = result(left, right, type, clauses);
    switch (type) {
      case JoinType::kInner:
        add_join_paths(level_, out, left, right, type, nullptr, clauses);
        add_join_paths(level_, out, right, left, type, nullptr, clauses);
        break;
      case JoinType::kSemi:
        if (is_unique_match(left, right, clauses)) {
          add_join_paths(level_, out, left, right, JoinType::kInner, nullptr, clauses);
          add_join_paths(level_, out, right, left, JoinType::kInner, nullptr, clauses);
          break;
        }
        add_join_paths(level_, out, left, right, type, how.special, clauses);
        if (right.set == how.special->syn_right) made_distinct(out, left, right, clauses);
        break;
      case JoinType::kFull:
        add_join_paths(level_, out, left, right, type, how.special, clauses);
        add_join_paths(level_, out, right, left, type, how.special, clauses);
        break;
      default: add_join_paths(level_, out, left, right, type, how.special, clauses); break;
    }
  }

  Rel& result(const Rel& left, const Rel& right, JoinType type, const std::vector<const Clause*>& clauses) {
    const RelSet set = left.set | right.set;
    auto& slot = built_[set.bits];
    if (!slot) {
      level_.rels.emplace_back();
      Rel& rel = level_.rels.back();
      rel.set = set;
      rel.rows = join_rows(level_, left, right, type, clauses);
      rel.tuples = rel.rows;
      slot = &rel;
    }
    return *slot;
  }

  // The right side's expressions of the semi join's equalities; empty when it has other conditions.
  static ExprList right_columns(const Rel& left, const Rel& right, const std::vector<const Clause*>& clauses) {
    ExprList out;
    for (const Clause* c : clauses) {
      if (!c->hashable || c->null_safe) return {};
      const bool straight = left.set.contains(c->left_rels) && right.set.contains(c->right_rels);
      const bool flipped = left.set.contains(c->right_rels) && right.set.contains(c->left_rels);
      if (!straight && !flipped) return {};
      out.push_back(straight ? c->right : c->left);
    }
    return out;
  }

  bool is_unique_match(const Rel& left, const Rel& right, const std::vector<const Clause*>& clauses) {
    if (right.set.count() != 1) return false;
    if (right.one_row) return true;
    const ExprList columns = right_columns(left, right, clauses);
    return !columns.empty() && is_unique_for(level_, right, columns);
  }

  void made_distinct(Rel& out, Rel& left, Rel& right, const std::vector<const Clause*>& clauses) {
    const ExprList columns = right_columns(left, right, clauses);
    if (columns.empty() || !right.cheapest) return;
    level_.rels.emplace_back();
    Rel& distinct = level_.rels.back();
    distinct.set = right.set;
    distinct.rows = group_count(level_, columns, right.rows);
    distinct.tuples = distinct.rows;
    Path* p = level_.new_path(Path::Kind::kUnique);
    p->left = right.cheapest;
    p->rels = right.set;
    p->rows = distinct.rows;
    p->unique = columns;
    p->startup = right.cheapest->startup;
    p->total = right.cheapest->total + right.rows * (kHashRowCost + kRowCost / 2);
    add_path(level_, distinct, p);
    add_join_paths(level_, out, left, distinct, JoinType::kInner, nullptr, clauses);
    add_join_paths(level_, out, distinct, left, JoinType::kInner, nullptr, clauses);
  }

  // Every set of relations from the smaller ones that make it.
  void exhaustive(bool products) {
    const uint64_t all = level_.all_rels.bits;
    for (uint64_t set = 1; set <= all; set++) {
      if ((set & (set - 1)) == 0) continue;
      const RelSet whole(set);
      const uint64_t lowest = set & (~set + 1);
      for (uint64_t a = (set - 1) & set; a != 0; a = (a - 1) & set) {
        if ((a & lowest) == 0) continue;  // each pair once
        const RelSet left(a), right(set & ~a);
        Rel *l = find(left), *r = find(right);
        if (!l || !r || too_dear(*l) || too_dear(*r)) continue;
        if (!products && !connected(left, right) && !(is_closed(left) && is_closed(right))) continue;
        join(*l, *r);
        if (pairs_ > kMaxPairs) {
          over_budget_ = true;
          return;
        }
      }
      if (set == all) break;
    }
  }

  // Joins the two relations whose result is smallest, until one is left.
  void greedy() {
    std::vector<Rel*> rest;
    for (int i = 0; i < count_; i++) rest.push_back(&level_.rels[static_cast<size_t>(i)]);
    while (rest.size() > 1) {
      Rel* best = nullptr;
      size_t best_a = 0, best_b = 0;
      for (const bool products : {false, true}) {
        for (size_t a = 0; a < rest.size(); a++) {
          for (size_t b = a + 1; b < rest.size(); b++) {
            if (!products && !connected(rest[a]->set, rest[b]->set)) continue;
            const RelSet set = rest[a]->set | rest[b]->set;
            if (!find(set)) join(*rest[a], *rest[b]);
            Rel* made = find(set);
            if (!made) continue;
            if (!best || made->rows < best->rows ||
                (made->rows == best->rows && made->paths[0]->total < best->paths[0]->total)) {
              best = made;
              best_a = a;
              best_b = b;
            }
          }
        }
        if (best) break;
      }
      if (!best) return;
      rest[best_a] = best;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(best_b));
    }
  }

  Level& level_;
  int count_;
  std::unordered_map<uint64_t, Rel*> built_;
  RelSet neighbours_[kMaxRels];
  int pairs_ = 0;
  bool over_budget_ = false;
  bool complete_ = false;  // all relations have been joined exhaustively
  double bound_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Status search_joins(Level& level) {
  if (level.rels.empty()) return {};
  if (level.rels.size() == 1) {
    level.final_rel = &level.rels[0];
    return {};
  }
  return JoinSearch(level).run();
}

}  // namespace indigo::sql::planning
