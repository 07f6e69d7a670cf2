#include "sql/plan/path/join_paths.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/equivalence.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/finish/ordering.h"
#include "sql/plan/path/access_paths.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/path/join_size.h"
#include "sql/plan/path/path_choice.h"

namespace indigo::sql::planning {
namespace {

constexpr double kUnsureRows = 4;
constexpr double kMemoizedCost = 0.05;  // of finding rows by the values that they depend on, and of keeping them
// Where at most a row is expected to be hashed there may be none; then the table that would be probed with is not read. Of plans
// that cost the same, that is the better one.
constexpr double kUnreadPart = 0.03, kUnreadMost = 10;

class JoinPaths {
 public:
  JoinPaths(Level& level, Rel& out, Rel& left, Rel& right, JoinType type, const SpecialJoin* special,
            const std::vector<const Clause*>& clauses)
      : level_(level),
        out_(out),
        left_(left),
        right_(right),
        type_(type),
        special_(special),
        hidden_left_(level.hidden_in(left.set)) {
    for (const Clause* c : clauses) {
      (is_filter(*c, type) ? filters_ : conditions_).push_back(c);
    }
    for (const Clause* c : conditions_) {
      const bool sides = (left.set.contains(c->left_rels) && right.set.contains(c->right_rels)) ||
                         (left.set.contains(c->right_rels) && right.set.contains(c->left_rels));
      if (!c->can_join || !sides) continue;
      if (c->hashable) hash_keys_.push_back(c);
      if (c->mergeable) merge_keys_.push_back(c);
    }
    for (const Clause* c : conditions_) {
      if (std::find(hash_keys_.begin(), hash_keys_.end(), c) == hash_keys_.end()) not_hashed_.push_back(c);
    }
    filters_cost_ = out.rows * clauses_cost(level, filters_);
  }

  void run() {
    // NOT IN: no other join knows what a null among the right rows means.
    if (special_ && special_->null_aware && type_ == JoinType::kAnti) return hash_joins(true);
    nested_loops();
    if (!hash_keys_.empty() || is_constant_full()) hash_joins(false);
    merge_joins();
  }

 private:
  Path* new_join(Path::Kind kind, Path& l, Path& r, JoinType type) {
    Path* p = level_.new_path(kind);
    p->left = &l;
    p->right = &r;
    p->type = type;
    p->rels = out_.set;
    p->outer = (l.outer | r.outer) - out_.set;
    p->rows = out_.rows;
    p->filters = filters_;
    return p;
  }

  void add(Path* p) {
    p->keys.resize(useful_keys(level_, p->keys, out_.set));
    if (!add_path(level_, out_, p)) level_.drop_path(p);
  }

  // Most paths lose at once, and there may be very many: they are not even made.
  bool loses(const Path& l, const Path& r, double startup, double total, bool keeps_order) const {
    static const std::vector<PathKey> kNoOrder;
    return loses(l, r, startup, total, keeps_order ? l.keys : kNoOrder);
  }
  bool loses(const Path& l, const Path& r, double startup, double total, const std::vector<PathKey>& order) const {
    PathMerit merit{startup, total, out_.rows, (l.outer | r.outer) - out_.set, {}};
    merit.keys = std::span(order).first(useful_keys(level_, order, out_.set));
    return would_lose(level_, out_, merit);
  }

  // FULL JOIN ON true or false: a hash join without keys.
  bool is_constant_full() const {
    return type_ == JoinType::kFull && left_.cheapest && right_.cheapest &&
           std::all_of(conditions_.begin(), conditions_.end(), [](const Clause* c) { return c->rels.empty(); });
  }

  // A nested loop supplies parameters; what is missing then must be supplied further up: lateral references only.
  bool supplies(const Path& l, const Path& r) const {
    if (r.outer.overlaps(hidden_left_)) return false;
    const RelSet rest = r.outer - l.rels;
    return rest.empty() || (r.rel && rest == r.rel->lateral - l.rels) || rest == lateral_of(right_) - out_.set;
  }

  RelSet lateral_of(const Rel& rel) const {
    RelSet out;
    for (const int i : rel.set) out |= level_.rels[static_cast<size_t>(i)].lateral;
    return out - rel.set;
  }

  void nested_loops() {
    if (type_ == JoinType::kFull) return;
    for (Path* l : left_.paths) {
      if (l->outer.overlaps(right_.set) || is_parameterised_scan(*l)) continue;
      for (Path* r : right_.paths) {
        if (!supplies(*l, *r)) continue;
        const bool ordered = has_one_left() && !r->keys.empty();
        if (r->outer.empty() && r != right_.cheapest && !ordered) continue;
        nested_loop(*l, *r);
      }
    }
  }

  static bool may_be_empty(const Path& p, const Rel& rel) { return p.rows <= 1 && !rel.one_row; }
  static double unread(double cost) { return std::min(cost * kUnreadPart, kUnreadMost); }

  // A right side that is picked from and cheap beside a first left row is looked at before it (engine/exec/join/nested_loop.cpp).
  bool looks_right_first(const Path& l, const Path& r) const {
    const bool needs_right = type_ == JoinType::kInner || type_ == JoinType::kSemi;
    return needs_right && r.outer.empty() && r.rel != nullptr && !r.rel->restrictions.empty() &&
           may_be_empty(r, right_) && r.total * 10 < l.startup;
  }

  // At most one left row: what comes out is in the right side's order, as the page behind a row that is looked up is.
  bool has_one_left() const {
    return (type_ == JoinType::kInner || type_ == JoinType::kLeft) && left_.set.count() == 1 && left_.one_row;
  }

  // Index look-ups by another relation's column are the inner side of a join with that relation only.
  bool is_parameterised_scan(const Path& p) const { return !p.outer.empty() && p.outer != lateral_of(side_of(p)); }
  const Rel& side_of(const Path& p) const { return p.rels == left_.set ? left_ : right_; }

  // Conditions that the inner path's bounds have made true already drop out.
  std::vector<const Clause*> remaining(const Path& r) const {
    std::vector<const Clause*> out;
    for (const Clause* c : conditions_) {
      const bool done = std::any_of(r.bounds.exact.begin(), r.bounds.exact.end(), [&](const Clause* e) {
        return e == c || (e->eq_class >= 0 && e->eq_class == c->eq_class && e->rels.count() > 1);
      });
      if (!done || r.kind != Path::Kind::kScan) out.push_back(c);
    }
    return out;
  }

  void nested_loop(Path& l, Path& r) {
    double again = r.total;
    bool keep = false;
    if (r.outer.empty() && l.rows > 1) {
      // Rows that are read again and again are kept.
      const bool cheap = r.kind == Path::Kind::kPrebuilt && r.rel->requests.empty() && r.rel->restrictions.empty();
      keep = !cheap && r.total > r.rows * kOperatorCost * 2 + kRescanCost;
      if (keep) again = kRescanCost + r.rows * kOperatorCost;
    }
    const double asked = may_ask_again(r) ? values_asked(l, r) : l.rows;
    const bool memoized = asked * 2 < l.rows;
    if (memoized) again = (asked * r.total + (l.rows - asked) * (kMemoizedCost + r.rows * kOperatorCost)) / l.rows;
    double scanned = r.rows, repeat = again, first = memoized ? again : r.total;
    if (keeps_left_only(type_)) {
      // Stops at the first match.
      if (matched_ < 0) matched_ = match_fraction(level_, left_, right_, conditions_);
      const double part = r.rows > 1 ? 1 - matched_ / 2 : 1;
      scanned *= part;
      repeat *= part;
    }
    const double startup = l.startup + r.startup;
    // Reading the whole inner side again is dear when the left rows turn out to be more than the one that is estimated; where a
    // hash join can do it, that must not be bet on.
    const bool sure = (left_.set.count() == 1 && left_.one_row) || hash_keys_.empty() || !r.outer.empty();
    const double loops = sure ? l.rows : std::max(l.rows, kUnsureRows);
    double total = l.total + first + std::max(0.0, loops - 1) * repeat + loops * scanned * kOperatorCost +
                   out_.rows * kRowCost / 2 + filters_cost_;
    if (looks_right_first(l, r)) total -= unread(l.total);
    if (!enabled(level_.s, kEnableNestLoop)) total += kDisabledCost;
    const std::vector<PathKey>& order = has_one_left() && !r.keys.empty() ? r.keys : l.keys;
    if (loses(l, r, startup, total, order)) return;
    std::vector<const Clause*> clauses = remaining(r);
    total += loops * scanned * clauses_cost(level_, clauses);
    if (loses(l, r, startup, total, order)) return;
    Path* p = new_join(Path::Kind::kNestedLoop, l, keep || memoized ? *materialized(r) : r, type_);
    p->join_clauses = std::move(clauses);
    p->keys = order;
    p->startup = startup;
    p->total = total;
    add(p);
  }

  // A subquery or function that depends on left rows, of which all rows are read.
  bool may_ask_again(const Path& r) const {
    return (type_ == JoinType::kInner || type_ == JoinType::kLeft) && r.kind == Path::Kind::kPrebuilt &&
           !r.rel->requests.empty() && left_.set.contains(r.outer) && r.total > kMemoizedCost * 2;
  }
  // How many different values it is asked with.
  double values_asked(const Path& l, const Path& r) {
    ExprList values;
    for (const Request& q : r.rel->requests) values.push_back(q.from);
    return group_count(level_, values, l.rows);
  }

  Path* materialized(Path& r) {
    Path* m = level_.new_path(Path::Kind::kMaterialize);
    m->left = &r;
    m->rels = r.rels;
    m->outer = r.outer;
    m->rows = r.rows;
    m->startup = r.startup;
    m->total = r.total + r.rows * kOperatorCost;
    m->keys = r.keys;
    m->rel = r.rel;
    return m;
  }

  void hash_joins(bool null_aware) {
    for (Path* l : left_.paths) {
      if (is_parameterised_scan(*l) || l->outer.overlaps(right_.set)) continue;
      for (Path* r : right_.paths) {
        if (is_parameterised_scan(*r) || r->outer.overlaps(left_.set)) continue;
        if (right_.cheapest && r != right_.cheapest && r->outer.empty()) continue;
        hash_join(*l, *r, type_, null_aware);
      }
    }
    // The kept side may be the one that is built.
    if (type_ == JoinType::kLeft && left_.cheapest && right_.cheapest) {
      hash_join(*right_.cheapest, *left_.cheapest, JoinType::kRight, false);
    }
  }

  void hash_join(Path& l, Path& r, JoinType type, bool null_aware) {
    const bool keeps_order =
        type == JoinType::kInner || keeps_left_only(type) || (type == JoinType::kLeft && not_hashed_.empty());
    const auto keys = static_cast<double>(hash_keys_.size());
    double matched = out_.rows;
    if (!not_hashed_.empty()) {
      matched = std::max(matched, l.rows * r.rows * joined_part(level_, left_, right_, hash_keys_));
    }
    const double startup = l.startup + r.total + r.rows * (kHashRowCost + keys * kOperatorCost);
    const bool needs_right = type == JoinType::kInner || (type == JoinType::kSemi && !null_aware);
    double read = l.total - l.startup;
    if (needs_right && left_.set.count() == 1 && may_be_empty(r, right_)) read -= unread(read);
    double total = startup + read + l.rows * (kHashRowCost / 2 + keys * kOperatorCost) +
                   matched * clauses_cost(level_, not_hashed_) + out_.rows * kRowCost / 2 + filters_cost_;
    if (!enabled(level_.s, kEnableHashJoin)) total += kDisabledCost;
    if (loses(l, r, startup, total, keeps_order)) return;
    Path* p = new_join(Path::Kind::kHashJoin, l, r, type);
    p->key_clauses = hash_keys_;
    p->join_clauses = not_hashed_;
    p->null_aware_anti = null_aware;
    if (keeps_order) p->keys = l.keys;
    p->startup = startup;
    p->total = total;
    add(p);
  }

  // ---- merge joins: over inputs that are in order; sorted for it when there is no other way

  void merge_joins() {
    if (merge_keys_.empty() || !left_.cheapest || !right_.cheapest) return;
    for (const Clause* c : merge_keys_) {
      merge_ids_.emplace_back(sort_id(level_, side(*c, true)), sort_id(level_, side(*c, false)));
    }
    for (Path* l : left_.paths) {
      if (!l->outer.empty() || l->keys.empty()) continue;
      for (Path* r : right_.paths) {
        if (!r->outer.empty() || r->keys.empty()) continue;
        merge_presorted(*l, *r);
      }
    }
    const bool needed = type_ == JoinType::kFull && hash_keys_.empty();
    if (needed || !enabled(level_.s, kEnableHashJoin)) merge_sorted();
  }

  const ExprPtr& side(const Clause& c, bool left) const {
    const bool straight = left_.set.contains(c.left_rels);
    return straight == left ? c.left : c.right;
  }

  void merge_presorted(Path& l, Path& r) {
    std::vector<const Clause*> keys;
    std::vector<SortKey> order;
    for (size_t i = 0; i < l.keys.size() && i < r.keys.size(); i++) {
      const PathKey &a = l.keys[i], &b = r.keys[i];
      if (a.descending != b.descending || a.nulls_first != b.nulls_first) break;
      const auto at = std::find(merge_ids_.begin(), merge_ids_.end(), std::pair(a.id, b.id));
      if (at == merge_ids_.end()) break;
      keys.push_back(merge_keys_[static_cast<size_t>(at - merge_ids_.begin())]);
      SortKey k;
      k.descending = a.descending;
      k.nulls_first = a.nulls_first;
      order.push_back(std::move(k));
    }
    if (keys.empty() || (type_ == JoinType::kFull && keys.size() < conditions_.size())) return;
    merge_join(l, r, std::move(keys), std::move(order));
  }

  void merge_sorted() {
    std::vector<SortKey> left_keys, right_keys, order;
    for (const Clause* c : merge_keys_) {
      left_keys.push_back(ascending(level_, {side(*c, true)})[0]);
      right_keys.push_back(ascending(level_, {side(*c, false)})[0]);
      order.emplace_back();
    }
    merge_join(*sorted(*left_.cheapest, left_keys), *sorted(*right_.cheapest, right_keys), merge_keys_, order);
  }

  Path* sorted(Path& input, const std::vector<SortKey>& keys) {
    Path* p = level_.new_path(Path::Kind::kSort);
    p->left = &input;
    p->rels = input.rels;
    p->rows = input.rows;
    p->sort = keys;
    bool plain;
    p->keys = path_keys(level_, keys, plain);
    p->startup = input.total + sort_cost(input.rows, 0);
    p->total = p->startup + input.rows * kOperatorCost;
    return p;
  }

  void merge_join(Path& l, Path& r, std::vector<const Clause*> keys, std::vector<SortKey> order) {
    const double startup = l.startup + r.startup;
    // What is merged meets the keys alone; the other conditions look at each such pair.
    double pairs = out_.rows;
    if (keys.size() < conditions_.size())
      pairs = std::max(pairs, l.rows * r.rows * joined_part(level_, left_, right_, keys));
    const double least =
        l.total + r.total + (l.rows + r.rows) * kRowCost + (out_.rows + pairs) * (kRowCost / 2) + filters_cost_;
    if (loses(l, r, startup, least, type_ != JoinType::kFull)) return;
    Path* p = new_join(Path::Kind::kMergeJoin, l, r, type_);
    for (const Clause* c : conditions_) {
      if (std::find(keys.begin(), keys.end(), c) == keys.end()) p->join_clauses.push_back(c);
    }
    p->key_clauses = std::move(keys);
    p->sort = std::move(order);
    if (type_ != JoinType::kFull) p->keys = l.keys;
    p->startup = startup;
    p->total = least + pairs * clauses_cost(level_, p->join_clauses);
    if (!enabled(level_.s, kEnableMergeJoin)) p->total += kDisabledCost;
    add(p);
  }

  Level& level_;
  Rel &out_, &left_, &right_;
  JoinType type_;
  const SpecialJoin* special_;
  RelSet hidden_left_;
  std::vector<const Clause*> conditions_, filters_, hash_keys_, not_hashed_, merge_keys_;
  double filters_cost_ = 0;
  double matched_ = -1;                         // match_fraction, once it is known
  std::vector<std::pair<int, int>> merge_ids_;  // by merge key: sort_id of its left and right side
};

}  // namespace

std::vector<const Clause*> clauses_between(Level& level, const Rel& left, const Rel& right) {
  std::vector<const Clause*> out;
  const RelSet both = left.set | right.set;
  for (const Clause* c : level.join_clauses) {
    if (both.contains(c->required) && !left.set.contains(c->required) && !right.set.contains(c->required)) {
      out.push_back(c);
    }
  }
  join_equalities(level, left.set, right.set, out);
  return out;
}

void add_join_paths(Level& level, Rel& out, Rel& left, Rel& right, JoinType type, const SpecialJoin* special,
                    const std::vector<const Clause*>& clauses) {
  JoinPaths(level, out, left, right, type, special, clauses).run();
}

}  // namespace indigo::sql::planning
