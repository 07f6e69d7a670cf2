// The join order: dynamic programming over connected sets of relations (join_pairs.h). Where there are too many of these, over
// the intervals of a linear order of the relations, the one in which a greedy search has put them (after Neumann and Radke,
// "Adaptive Optimization of Very Large Join Queries", SIGMOD 2018).
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/path/access_paths.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/path/join_legality.h"
#include "sql/plan/path/join_pairs.h"
#include "sql/plan/path/join_paths.h"
#include "sql/plan/path/join_size.h"
#include "sql/plan/path/path_choice.h"

namespace indigo::sql::planning {
namespace {

constexpr int kMaxProducts = 12;  // relations that are searched with products where there is no other way
// Pairs that are joined while searching: as many as the cost of the plan that the greedy search has found is worth.
constexpr double kMinPairs = 1000, kMaxPairs = 12000, kPairsForCost = 0.4;
constexpr double kMaxStarProduct = 10000;  // rows of two relations that together look up a third
constexpr size_t kMaxComponents = 6;       // that products are tried in every order of
constexpr int kMinBounded = 6;             // relations; fewer are searched faster than a bound is found

class JoinSearch {
 public:
  explicit JoinSearch(Level& level) : level_(level), count_(static_cast<int>(level.rels.size())) {
    for (int i = 0; i < count_; i++) built_[RelSet::one(i)] = &level.rels[static_cast<size_t>(i)];
    neighbours_.resize(static_cast<size_t>(count_));
    find_neighbours();
  }

  Status run() {
    find_star_lookups();
    for (int i = 0; i < count_; i++) cut_orders(level_.rels[static_cast<size_t>(i)]);
    // A plan that is found quickly bounds what others may cost.
    if (count_ >= kMinBounded) greedy();
    if (const Rel* all = find(level_.all_rels); all && all->cheapest && !level_.startup_matters) {
      bound_ = all->cheapest->total;
    }
    if (const Rel* all = find(level_.all_rels); all && all->cheapest) {
      max_pairs_ = static_cast<size_t>(std::clamp(all->cheapest->total * kPairsForCost, kMinPairs, kMaxPairs));
    }
    complete_ = false;
    pairs_ = 0;
    if (!connected_sets()) {
      if (order_.empty()) greedy();
      intervals();
    } else if (!complete_ && count_ <= kMaxProducts) {
      with_products();
    }
    if (!find(level_.all_rels)) greedy();
    if (!find(level_.all_rels)) greedy(true);
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
    const auto at = built_.find(set);
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

  RelSet& neighbours(int rel) { return neighbours_[static_cast<size_t>(rel)]; }
  const RelSet& neighbours(int rel) const { return neighbours_[static_cast<size_t>(rel)]; }

  void connect(RelSet a, RelSet b) {
    for (const int i : a) neighbours(i) |= b - RelSet::one(i);
    for (const int i : b) neighbours(i) |= a - RelSet::one(i);
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
      for (const int i : j.min_left) linked = linked || neighbours(i).overlaps(j.min_right);
      if (!linked) connect(j.min_left, j.min_right);
    }
    for (int i = 0; i < count_; i++) {
      if (!level_.rels[static_cast<size_t>(i)].lateral.empty())
        connect(RelSet::one(i), level_.rels[static_cast<size_t>(i)].lateral);
    }
  }

  // Two relations that only together give the whole key of a third, as the dimensions of a star do: their product may be worth
  // it, where it has fewer rows than there are to be read without the key.
  void find_star_lookups() {
    for (int i = 0; i < count_; i++) {
      for (const Path* p : level_.rels[static_cast<size_t>(i)].paths) {
        if (p->kind != Path::Kind::kScan || p->outer.count() != 2 || !level_.special_joins.empty()) continue;
        double product = 1;
        for (const int other : p->outer) product *= level_.rels[static_cast<size_t>(other)].rows;
        if (product <= std::min(kMaxStarProduct, p->rel->tuples)) connect(p->outer, p->outer);
      }
    }
  }

  bool connected(RelSet a, RelSet b) const {
    for (const int i : a) {
      if (neighbours(i).overlaps(b)) return true;
    }
    return false;
  }

  // Joins two built relations if that is allowed.
  void join(Rel& a, Rel& b) {
    Waiter::current().yield_if_due();
    const RelSet both = a.set | b.set;
    const LegalJoin how = legal_join(level_, a.set, b.set);
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
    auto& slot = built_[set];
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

  void join_sets(RelSet a, RelSet b) {
    Rel *l = find(a), *r = find(b);
    if (l && r && !too_dear(*l) && !too_dear(*r)) join(*l, *r);
  }

  // Every plan without products; then what is not connected, as products of what is. False: there are too many.
  bool connected_sets() {
    if (count_ > 64) return false;
    std::vector<uint64_t> edges;
    for (const RelSet& n : neighbours_) edges.push_back(n.bits());
    const JoinPairs found = connected_pairs(edges, max_pairs_);
    if (!found.complete) return false;
    for (const auto& [a, b] : found.pairs) join_sets(RelSet::of_bits(a), RelSet::of_bits(b));
    join_components();
    return true;
  }

  void join_components() {
    std::vector<RelSet> components;
    RelSet seen;
    for (int i = 0; i < count_; i++) {
      if (seen.has(i)) continue;
      RelSet all = RelSet::one(i), before;
      while (!(all == before)) {
        before = all;
        for (const int r : before) all |= neighbours(r);
      }
      seen |= all;
      components.push_back(all);
    }
    if (components.size() < 2 || components.size() > kMaxComponents) return;
    const auto united = [&](uint64_t which) {
      RelSet out;
      for (size_t i = 0; i < components.size(); i++) {
        if ((which >> i & 1) != 0) out |= components[i];
      }
      return out;
    };
    for_each_pair(components.size(), [&](uint64_t a, uint64_t b) { join_sets(united(a), united(b)); });
  }

  // Calls f on every set's divisions in two, each once, smaller sets first.
  template <class F>
  static void for_each_pair(size_t count, F f) {
    for (uint64_t set = 1; set < uint64_t{1} << count; set++) {
      const uint64_t lowest = set & (0 - set);
      for (uint64_t a = (set - 1) & set; a != 0; a = (a - 1) & set) {
        if ((a & lowest) != 0) f(a, set & ~a);
      }
    }
  }

  void with_products() {
    for_each_pair(static_cast<size_t>(count_), [&](uint64_t a, uint64_t b) {
      if (pairs_ <= max_pairs_) join_sets(RelSet::of_bits(a), RelSet::of_bits(b));
    });
  }

  // Sets that stand together in the order in which the greedy search has left the relations.
  void intervals() {
    const size_t n = order_.size();
    for (size_t width = 2; width <= n; width++) {
      for (size_t at = 0; at + width <= n; at++) {
        RelSet left;
        RelSet whole;
        for (size_t i = at; i < at + width; i++) whole |= RelSet::one(order_[i]);
        for (size_t middle = at + 1; middle < at + width; middle++) {
          left |= RelSet::one(order_[middle - 1]);
          if (pairs_ > max_pairs_) return;
          if (connected(left, whole - left)) join_sets(left, whole - left);
        }
      }
    }
  }

  // Whether the sides of each outer and semi join stay by themselves until they are whole, as the text nests them.
  bool keeps_sides(const RelSet& a, const RelSet& b) const {
    const RelSet both = a | b;
    return std::all_of(level_.special_joins.begin(), level_.special_joins.end(), [&](const SpecialJoin& j) {
      const RelSet left = j.syn_left & level_.all_rels, right = j.syn_right & level_.all_rels, sides = left | right;
      return !both.overlaps(sides) || left.contains(both) || right.contains(both) || a.contains(sides) ||
             b.contains(sides) || (a == left && b == right) || (a == right && b == left);
    });
  }

  // Joins the two relations whose result is smallest, until one is left. What looks best may leave relations that cannot be
  // joined any more (LATERAL below outer joins); `nested` does not stray from the text's own order, which can always be run.
  void greedy(bool nested = false) {
    struct Part {
      Rel* rel;
      RelSet around;
      std::vector<int> order;
    };
    std::vector<Part> rest;
    for (int i = 0; i < count_; i++) rest.push_back({&level_.rels[static_cast<size_t>(i)], neighbours(i), {i}});
    while (rest.size() > 1) {
      Rel* best = nullptr;
      size_t best_a = 0, best_b = 0;
      for (const bool products : {false, true}) {
        for (size_t a = 0; a < rest.size(); a++) {
          for (size_t b = a + 1; b < rest.size(); b++) {
            if (!products && !rest[a].around.overlaps(rest[b].rel->set)) continue;
            if (nested && !keeps_sides(rest[a].rel->set, rest[b].rel->set)) continue;
            const RelSet set = rest[a].rel->set | rest[b].rel->set;
            if (!find(set)) join(*rest[a].rel, *rest[b].rel);
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
      Part& into = rest[best_a];
      into.rel = best;
      into.around |= rest[best_b].around;
      into.order.insert(into.order.end(), rest[best_b].order.begin(), rest[best_b].order.end());
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(best_b));
    }
    order_ = std::move(rest[0].order);
  }

  Level& level_;
  int count_;
  std::unordered_map<RelSet, Rel*, RelSet::Hash> built_;
  std::vector<RelSet> neighbours_;
  std::vector<int> order_;  // the relations as the greedy search has joined them
  size_t pairs_ = 0, max_pairs_ = static_cast<size_t>(kMaxPairs);
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
