#include "sql/plan/condition/selectivity.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "catalog/catalog.h"
#include "sql/plan/condition/band_selectivity.h"
#include "sql/plan/condition/column_selectivity.h"
#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/join_selectivity.h"
#include "sql/plan/condition/known_attributes.h"
#include "sql/plan/condition/sampled_selectivity.h"
#include "sql/plan/condition/value_evaluation.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

constexpr double kDefaultPair = 0.005, kDefaultMatch = 0.005, kDefaultUnknown = 0.005;

double clamp(double s) { return std::min(1.0, std::max(0.0, s)); }

double null_fraction(const Level& level, const ExprPtr& e) {
  const auto* stats = column_statistics(level, e);
  return stats ? stats->null_fraction : 0;
}

double pattern_selectivity(const Level& level, const ExprPtr& pattern);

// A range between columns of two relations.
double joined_range_selectivity(Level& level, const ExprPtr& condition) {
  for (const BandSide& side : band_sides(level, condition)) {
    const double s =
        band_selectivity(level, side.column, side.low ? side.bound : nullptr, side.low ? nullptr : side.bound);
    if (s >= 0) return s;
  }
  return kDefaultRange;
}

double operator_selectivity(Level& level, const CallExpr& call) {
  const auto* op = level.s.catalog().operator_by_oid(call.op);
  if (!op || call.arguments.size() != 2) return kDefaultUnknown;
  ExprPtr l = call.arguments[0], r = call.arguments[1];
  const RelSet left = level.rels_of(l), right = level.rels_of(r);
  int strategy = level.s.catalog().btree_strategy(call.op);
  const bool not_equal = strategy == 0 && op->restriction == "neqsel";
  if (strategy == 3 || not_equal || (strategy == 0 && op->restriction == "eqsel")) {
    if (!left.empty() && !right.empty() && left != right) {
      const double known = (1 - null_fraction(level, l)) * (1 - null_fraction(level, r));
      const double s = joined_equal_selectivity(level, l, r);
      // That all values are alike is what a sample says.
      return not_equal ? std::max(known - s, kDefaultUnknown) : s;
    }
    if (left.empty()) std::swap(l, r);
    return equal_to(level, l, r, not_equal);
  }
  if (strategy != 0) {
    if (!left.empty() && !right.empty()) return joined_range_selectivity(level, std::make_shared<CallExpr>(call));
    if (left.empty()) {
      std::swap(l, r);
      strategy = 6 - strategy;
    }
    return range_selectivity(level, l, r, strategy);
  }
  if (op->restriction == "likesel" || op->restriction == "iclikesel") return pattern_selectivity(level, r);
  if (op->restriction == "nlikesel" || op->restriction == "icnlikesel") return 1 - pattern_selectivity(level, r);
  if (op->restriction == "regexeqsel" || op->restriction == "icregexeqsel") return kDefaultMatch;
  if (op->restriction == "regexnesel" || op->restriction == "icregexnesel") return 1 - kDefaultMatch;
  if (op->restriction == "contsel") return 0.001;
  return op->restriction.empty() ? 0.5 : 0.01;
}

// What the characters of a LIKE pattern let expect, as PostgreSQL counts them: each of the fixed ones a fifth, each % five times
// as much.
double pattern_selectivity(const Level& level, const ExprPtr& pattern) {
  const Datum* value = value_of(level, pattern);
  if (value == nullptr || value->null || value->phys != Phys::kStr) return kDefaultMatch;
  double s = 1;
  const std::string_view text(value->str.data(), value->str.size());
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '%') {
      s *= 5;
    } else if (text[i] == '_') {
      s *= 0.9;
    } else {
      if (text[i] == '\\') i++;
      s *= 0.2;
    }
  }
  return std::min(1.0, s);
}

// The first column of a row says most of its order.
double row_selectivity(Level& level, const RowCompareExpr& row) {
  if (row.strategy == 3) return kDefaultEqual;
  if (row.strategy == 6) return 1 - kDefaultEqual;
  ExprPtr l = row.left[0], r = row.right[0];
  if (!level.rels_of(l).empty() && !level.rels_of(r).empty()) return kDefaultRange;
  const bool flipped = level.rels_of(l).empty();
  if (flipped) std::swap(l, r);
  return range_selectivity(level, l, r, flipped ? 6 - row.strategy : row.strategy);
}

// Conditions that must all hold. Two ranges of one column are one pair: x > a AND x < b.
class Conjunction {
 public:
  explicit Conjunction(Level& level) : level_(level) {}

  void add(const ExprPtr& e, double selectivity) {
    const auto* call = try_as<CallExpr>(e);
    const bool comparison = call && call->op != kInvalidOid && call->arguments.size() == 2;
    int strategy = comparison ? level_.s.catalog().btree_strategy(call->op) : 0;
    const int relations = level_.rels_of(e).count();
    if (strategy != 0 && strategy != 3 && relations > 1) {
      if (std::vector<BandSide> sides = band_sides(level_, e); !sides.empty()) {
        bands_.push_back({std::move(sides), selectivity});
        return;
      }
    }
    if (strategy == 0 || strategy == 3 || relations != 1) {
      others_ *= selectivity;
      return;
    }
    ExprPtr var = call->arguments[0];
    if (level_.rels_of(var).empty()) {
      var = call->arguments[1];
      strategy = 6 - strategy;
    }
    auto at = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) { return equal(r.var, var); });
    if (at == ranges_.end()) at = ranges_.insert(ranges_.end(), Range{var});
    double& side = strategy <= 2 ? at->high : at->low;
    side = side < 0 ? selectivity : std::min(side, selectivity);
  }

  double selectivity() const {
    double s = others_;
    for (const Range& r : ranges_) {
      if (r.low < 0 || r.high < 0) {
        s *= std::max(r.low, r.high);
      } else if (r.low == kDefaultRange && r.high == kDefaultRange) {
        s *= kDefaultPair;
      } else {
        const double both = r.low + r.high - 1;
        s *= both <= 0 ? kDefaultPair / 10 : both;
      }
    }
    return clamp(s * bands());
  }

 private:
  struct Range {
    ExprPtr var;
    double low = -1, high = -1;
  };
  struct Band {
    std::vector<BandSide> sides;
    double selectivity;
    bool paired = false;
  };

  // Ranges between two relations; two of one column, from below and from above, are one pair.
  double bands() const {
    double s = 1;
    std::vector<Band> all = bands_;
    for (size_t i = 0; i < all.size(); i++) {
      if (all[i].paired) continue;
      double here = all[i].selectivity;
      for (size_t j = i + 1; j < all.size(); j++) {
        const double both = all[j].paired ? -1 : pair(all[i], all[j]);
        if (both < 0) continue;
        all[j].paired = true;
        here = both;
        break;
      }
      s *= here;
    }
    return s;
  }

  double pair(const Band& a, const Band& b) const {
    for (const BandSide& x : a.sides) {
      for (const BandSide& y : b.sides) {
        if (x.low == y.low || !equal(x.column, y.column) || level_.rels_of(x.bound) != level_.rels_of(y.bound))
          continue;
        const double s = band_selectivity(level_, x.column, x.low ? x.bound : y.bound, x.low ? y.bound : x.bound);
        return s >= 0 ? s : kDefaultPair;
      }
    }
    return -1;
  }

  Level& level_;
  double others_ = 1;
  std::vector<Range> ranges_;
  std::vector<Band> bands_;
};

double or_selectivity(Level& level, const ExprList& list) {
  std::vector<bool> told;
  double s = known_alternatives(level, list, told);
  for (size_t i = 0; i < list.size(); i++) {
    if (told[i]) continue;
    const double t = selectivity(level, list[i]);
    s = s + t - s * t;
  }
  return clamp(s);
}

}  // namespace

namespace {

// x = 5, x < 5: the column's statistics say it directly.
bool compares_column(Level& level, const ExprPtr& left, Oid op) {
  return (var_of(left) != nullptr || column_statistics(level, left) != nullptr) &&
         level.s.catalog().btree_strategy(op) != 0;
}

bool is_worth_sampling(Level& level, const ExprPtr& e) {
  if (const auto* call = try_as<CallExpr>(e)) {
    if (call->arguments.size() != 2 || call->op == kInvalidOid) return true;
    const auto* op = level.s.catalog().operator_by_oid(call->op);
    if (op && (op->restriction == "eqsel" || op->restriction == "neqsel") &&
        (var_of(call->arguments[0]) || var_of(call->arguments[1])))
      return false;
    return !compares_column(level, call->arguments[0], call->op) &&
           !compares_column(level, call->arguments[1], call->op);
  }
  const auto* list = try_as<ArrayCompareExpr>(e);
  return list != nullptr && !compares_column(level, list->left, list->op);
}

double guessed_selectivity(Level& level, const ExprPtr& e);

// Elements are taken to be different: of x = ANY (list) the parts add up, and so do those that x <> ALL (list) leaves out. Of
// other comparisons each says nothing of the next.
double list_selectivity(Level& level, const ArrayCompareExpr& c) {
  constexpr size_t kMostElements = 200;
  constexpr double kUnknownElements = 10;
  const auto* op = level.s.catalog().operator_by_oid(c.op);
  const bool adds_up = op != nullptr && op->restriction == (c.any ? "eqsel" : "neqsel");
  auto one = std::make_shared<CallExpr>();
  one->op = c.op;
  one->function = c.function;
  one->type.oid = oid::kBool;
  const auto elements = listed_elements(level, c.array, kMostElements);
  double sum = 0, s = c.any ? 0 : 1;
  const auto add = [&](double t) {
    sum += c.any ? t : 1 - t;
    s = c.any ? s + t - s * t : s * t;
  };
  if (elements) {
    for (const ExprPtr& element : *elements) {
      const Datum* value = value_of(level, element);
      one->arguments = {c.left, element};
      add(value != nullptr && value->null ? 0 : operator_selectivity(level, *one));
    }
  } else {
    const auto* list = try_as<ArrayExpr>(stripped(c.array));
    const double count = list != nullptr ? static_cast<double>(list->elements.size()) : kUnknownElements;
    auto unknown = std::make_shared<RuntimeParamExpr>();
    unknown->type = c.left->type;
    one->arguments = {c.left, unknown};
    const double t = operator_selectivity(level, *one);
    for (double i = 0; i < count; i++) add(t);
  }
  if (adds_up && sum <= 1) return c.any ? sum : 1 - sum;
  return clamp(s);
}

}  // namespace

double selectivity(Level& level, const ExprPtr& e) {
  if (!e) return 1;
  if (is_worth_sampling(level, e)) {
    if (const auto sampled = sampled_selectivity(level, e)) {
      if (sampled->fraction >= sampled->precision) return clamp(sampled->fraction);
      // None of the sample: fewer than can be told from it.
      return clamp(std::max(1e-7, std::min(sampled->precision, guessed_selectivity(level, e))));
    }
  }
  return guessed_selectivity(level, e);
}

namespace {

double guessed_selectivity(Level& level, const ExprPtr& e) {
  switch (e->kind) {
    case ExprKind::kConst: {
      const Datum& d = as<ConstExpr>(*e).value.get();
      return d.null || !d.b ? 0 : 1;
    }
    case ExprKind::kVar: {
      const auto* stats = column_statistics(level, e);
      if (stats) {
        for (size_t i = 0; i < stats->common_values.size(); i++) {
          const Datum& d = stats->common_values[i].get();
          if (d.phys == Phys::kBool && d.b) return stats->common_frequencies[i];
        }
      }
      return 0.5;
    }
    case ExprKind::kBool: {
      const auto& b = as<BoolExpr>(*e);
      if (b.op == BoolExpr::Op::kAnd) return conjunction_selectivity(level, b.arguments);
      if (b.op == BoolExpr::Op::kNot) return clamp(1 - selectivity(level, b.arguments[0]));
      return or_selectivity(level, b.arguments);
    }
    case ExprKind::kCall: {
      const auto& call = as<CallExpr>(*e);
      return call.op != kInvalidOid ? operator_selectivity(level, call) : 1.0 / 3;
    }
    case ExprKind::kNullTest: {
      const auto& t = as<NullTestExpr>(*e);
      const auto* stats = column_statistics(level, t.argument);
      double nulls = stats ? stats->null_fraction : kDefaultUnknown;
      if (const auto* v = var_of(t.argument); v && v->column >= 0) {
        const Entry& entry = level.entry(v->entry);
        if (entry.kind == EntryKind::kTable && entry.relation->columns[static_cast<size_t>(v->column)].not_null &&
            !level.nullable.overlaps(level.rels_of(t.argument))) {
          nulls = 0;
        }
      }
      return clamp(t.is_null ? nulls : 1 - nulls);
    }
    case ExprKind::kBooleanTest: {
      using T = BooleanTestExpr::Test;
      const auto& t = as<BooleanTestExpr>(*e);
      const double s = selectivity(level, t.argument);
      switch (t.test) {
        case T::kTrue: return s;
        case T::kNotTrue: return 1 - s;
        case T::kFalse: return clamp(1 - s - kDefaultUnknown);
        case T::kNotFalse: return clamp(s + kDefaultUnknown);
        case T::kUnknown: return kDefaultUnknown;
        case T::kNotUnknown: return 1 - kDefaultUnknown;
      }
      return 0.5;
    }
    case ExprKind::kDistinct: {
      const auto& d = as<DistinctExpr>(*e);
      const double s = selectivity(level, d.equal);
      return clamp(d.negated ? s : 1 - s);
    }
    case ExprKind::kArrayCompare: return list_selectivity(level, as<ArrayCompareExpr>(*e));
    case ExprKind::kRowCompare: return row_selectivity(level, as<RowCompareExpr>(*e));
    case ExprKind::kRelabel: return selectivity(level, as<RelabelExpr>(*e).argument);
    default: return 0.5;
  }
}

}  // namespace

namespace {

double kept_selectivity(Level& level, const Clause& clause) {
  if (clause.selectivity < 0) {
    double s = selectivity(level, clause.expr);
    for (const Clause* c : clause.implied) s /= std::max(1e-9, clause_selectivity(level, *c));
    clause.selectivity = clamp(s);
  }
  return clause.selectivity;
}

}  // namespace

double clause_selectivity(Level& level, const Clause& clause) {
  // Each leaf has its own of a condition on it alone.
  if (level.leaf != nullptr && clause.implied.empty() && clause.rels == level.leaf->set)
    return clamp(selectivity(level, clause.expr));
  const Rel* const leaf = std::exchange(level.leaf, nullptr);
  const double s = kept_selectivity(level, clause);
  level.leaf = leaf;
  return s;
}

double conjunction_selectivity(Level& level, const ExprList& conditions) {
  std::vector<bool> told;
  const double known = known_selectivity(level, conditions, told);
  Conjunction all(level);
  for (size_t i = 0; i < conditions.size(); i++) {
    if (!told[i]) all.add(conditions[i], selectivity(level, conditions[i]));
  }
  return clamp(known * all.selectivity());
}

double clauses_selectivity(Level& level, const std::vector<const Clause*>& clauses) {
  if (clauses.empty()) return 1;
  if (clauses.size() == 1) return clause_selectivity(level, *clauses[0]);
  std::vector<bool> told;
  double known = 1;
  if (clauses.size() > 1 && knows_attributes(level, clauses[0]->rels) &&
      std::all_of(clauses.begin(), clauses.end(), [](const Clause* c) { return c->implied.empty(); })) {
    ExprList conditions;
    for (const Clause* c : clauses) conditions.push_back(c->expr);
    known = known_selectivity(level, conditions, told);
  }
  Conjunction all(level);
  for (size_t i = 0; i < clauses.size(); i++) {
    if (told.empty() || !told[i]) all.add(clauses[i]->expr, clause_selectivity(level, *clauses[i]));
  }
  return clamp(known * all.selectivity());
}

}  // namespace indigo::sql::planning
