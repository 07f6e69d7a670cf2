#include "sql/plan/condition/key_match.h"

#include <algorithm>
#include <list>
#include <map>

#include "sql/analyze/make.h"
#include "sql/plan/condition/key_condition.h"
#include "sql/plan/condition/security.h"
#include "sql/plan/condition/selectivity.h"

namespace indigo::sql::planning {
namespace {

using Clauses = std::vector<const Clause*>;

bool has_clause(const Clauses& list, const Clause* c) { return std::find(list.begin(), list.end(), c) != list.end(); }

void add_once(Clauses& list, const Clause* c) {
  if (!has_clause(list, c)) list.push_back(c);
}

// What has been fixed on the way to a column: how many combinations of lists and alternatives lead there.
struct Way {
  double combinations = 1;
  bool lists = false, known = true;
  bool cut = false;  // the executor may stop before here (kMaxKeyCombinations): nothing beyond is exact
};

class KeyMatcher {
 public:
  KeyMatcher(Level& level, const Rel& rel, const std::vector<KeyPart>& parts)
      : level_(level), conditions_(level, rel), parts_(parts) {}

  struct Found {
    KeyBounds bounds;
    Clauses matched, exact;
    double part = 1, ranges = 1;
    bool points = false;
  };

  // Bounds of the columns from `at` on.
  Found match(size_t at, const Clauses& clauses, Way way) {
    Found out;
    budget_--;
    size_t i = at;
    Clauses here;  // matched at this level, without alternatives
    while (i < parts_.size() && equality(parts_[i], clauses, way, out, here)) i++;
    if (i < parts_.size() && !alternatives(i, clauses, way, out)) range(parts_[i], clauses, way, out, here);
    if (i == parts_.size()) out.points = out.bounds.nulls == 0;
    for (const Clause* c : here) add_once(out.matched, c);
    out.part *= clauses_selectivity(level_, here);
    return out;
  }

 private:
  static void take(const Clause* c, bool exact, const Way& way, Found& out, Clauses& here) {
    here.push_back(c);
    if (exact && !way.cut) out.exact.push_back(c);
  }

  // The column equals one value, is null, or equals one value of a list.
  bool equality(const KeyPart& part, const Clauses& clauses, Way& way, Found& out, Clauses& here) {
    for (const Clause* c : clauses) {
      const auto found = conditions_.compare(c->expr, part);
      if (found.strategy != 3) continue;
      out.bounds.equal.push_back(found.value);
      take(c, found.exact, way, out, here);
      return true;
    }
    for (const Clause* c : clauses) {
      if (!conditions_.is_null_test(c->expr, part)) continue;
      out.bounds.nulls |= 1U << out.bounds.equal.size();
      out.bounds.equal.push_back(make_null(level_.s.catalog(), part.expr->type));
      take(c, true, way, out, here);
      return true;
    }
    for (const Clause* c : clauses) {
      const ExprPtr array = conditions_.array_of(c->expr, part);
      if (!array || !add_list(array, way, out)) continue;
      take(c, true, way, out, here);
      return true;
    }
    return false;
  }

  bool add_list(const ExprPtr& array, Way& way, Found& out) {
    const auto* list = try_as<ArrayExpr>(array);
    const bool known = list && !list->multidimensional;
    const double size = known ? static_cast<double>(list->elements.size()) : 10;
    if (way.lists) {
      if (known && way.known && way.combinations * size > kMaxKeyCombinations) return false;
      way.cut = way.cut || !known || !way.known;
    }
    way.lists = true;
    way.known = way.known && known;
    way.combinations *= size;
    out.ranges *= size;
    out.bounds.lists |= 1U << out.bounds.equal.size();
    out.bounds.equal.push_back(array);
    return true;
  }

  // An OR whose alternatives all bound the column, each with conditions of its own.
  bool alternatives(size_t at, const Clauses& clauses, const Way& way, Found& out) {
    for (const Clause* c : clauses) {
      const Split& split = split_of(*c);
      if (split.alternatives.empty() || budget_ < 0) continue;
      Clauses others;
      for (const Clause* o : clauses) {
        if (o != c) others.push_back(o);
      }
      Way inner = way;
      inner.combinations *= static_cast<double>(split.alternatives.size());
      std::vector<Found> found;
      bool exact = split.exact && !way.cut;
      for (const Clauses& own : split.alternatives) {
        Clauses all = own;
        all.insert(all.end(), others.begin(), others.end());
        found.push_back(match(at, all, inner));
        const Found& f = found.back();
        const auto used = [&](const Clause* o) { return has_clause(f.matched, o); };
        if (std::none_of(own.begin(), own.end(), used) || budget_ < 0) {
          found.clear();
          break;
        }
        exact = exact && std::all_of(own.begin(), own.end(), [&](const Clause* o) { return has_clause(f.exact, o); });
      }
      if (found.empty()) continue;
      unite(found, clauses, out);
      add_once(out.matched, c);
      if (exact) out.exact.push_back(c);
      return true;
    }
    return false;
  }

  // The union of what the alternatives read. A clause of the outside is exact where it is in all of them.
  static void unite(std::vector<Found>& found, const Clauses& clauses, Found& out) {
    double part = 0, ranges = 0;
    out.points = true;
    for (const Clause* o : clauses) {
      const auto all = [&](Clauses Found::*list) {
        return std::all_of(found.begin(), found.end(), [&](const Found& f) { return has_clause(f.*list, o); });
      };
      if (all(&Found::matched)) add_once(out.matched, o);
      if (all(&Found::exact)) add_once(out.exact, o);
    }
    for (Found& f : found) {
      part += f.part;
      ranges += f.ranges;
      out.points = out.points && f.points;
      out.bounds.any_of.push_back(std::move(f.bounds));
    }
    out.points = out.points && out.bounds.nulls == 0;
    out.part *= std::min(1.0, part);
    out.ranges *= ranges;
  }

  void range(const KeyPart& part, const Clauses& clauses, const Way& way, Found& out, Clauses& here) {
    KeyBounds& b = out.bounds;
    for (const Clause* c : clauses) {
      auto found = conditions_.compare(c->expr, part);
      if (found.strategy == 0) found = conditions_.row_bound(c->expr, part);
      const bool high = found.strategy == 1 || found.strategy == 2, low = found.strategy == 4 || found.strategy == 5;
      if (high && !b.high) {
        b.high = found.value;
        b.high_inclusive = found.strategy == 2;
        take(c, found.exact, way, out, here);
      } else if (low && !b.low) {
        b.low = found.value;
        b.low_inclusive = found.strategy == 4;
        take(c, found.exact, way, out, here);
      } else if (found.strategy == 0 && !b.low && !b.high) {
        KeyConditions::Prefix prefix;
        if (!conditions_.prefix_of(c->expr, part, prefix)) continue;
        b.low = prefix.low;
        b.high = prefix.point ? prefix.low : prefix.high;
        b.high_inclusive = prefix.point;
        take(c, prefix.exact, way, out, here);
        return;
      }
    }
  }

  // The alternatives' conditions as clauses of their own.
  struct Split {
    std::vector<Clauses> alternatives;
    bool exact = true;
  };
  const Split& split_of(const Clause& c) {
    const auto [at, fresh] = splits_.try_emplace(&c);
    std::vector<ExprList> lists;
    if (!fresh || !conditions_.alternatives_of(c.expr, lists, at->second.exact)) return at->second;
    for (const ExprList& list : lists) {
      Clauses& own = at->second.alternatives.emplace_back();
      for (const ExprPtr& e : list) {
        made_.emplace_back();
        made_.back().expr = e;
        own.push_back(&made_.back());
      }
    }
    return at->second;
  }

  Level& level_;
  KeyConditions conditions_;
  const std::vector<KeyPart>& parts_;
  std::list<Clause> made_;  // mostly none
  std::map<const Clause*, Split> splits_;
  int budget_ = 20000;  // of steps: ORs of ORs multiply
};

}  // namespace

KeyMatch match_key(Level& level, const Rel& rel, const std::vector<KeyPart>& parts,
                   const std::vector<const Clause*>& all) {
  Clauses clauses;
  for (const Clause* c : all) {
    if (may_bound(level, rel, *c)) clauses.push_back(c);
  }
  KeyMatcher::Found found = KeyMatcher(level, rel, parts).match(0, clauses, Way());
  KeyMatch out;
  static_cast<KeyBounds&>(out.bounds) = std::move(found.bounds);
  for (const Clause* c : found.exact) {
    if (has_clause(clauses, c)) out.bounds.exact.push_back(c);
  }
  for (const Clause* c : found.matched) {
    if (has_clause(clauses, c)) out.matched.push_back(c);
  }
  out.part = found.part;
  out.ranges = found.ranges;
  out.points = found.points;
  return out;
}

}  // namespace indigo::sql::planning
