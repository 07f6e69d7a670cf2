#include "sql/plan/condition/selectivity.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "catalog/catalog.h"
#include "types/function/registry.h"
#include "types/function/value_place.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

constexpr double kDefaultEqual = 0.005, kDefaultRange = 1.0 / 3, kDefaultPair = 0.005, kDefaultMatch = 0.005,
                 kDefaultUnknown = 0.005, kDefaultDistinct = 200;

double clamp(double s) { return std::min(1.0, std::max(0.0, s)); }

ExprPtr stripped(const ExprPtr& e) {
  ExprPtr at = e;
  while (const auto* r = try_as<RelabelExpr>(at)) at = r->argument;
  return at;
}

const VarExpr* var_of(const ExprPtr& e) { return try_as<VarExpr>(stripped(e)); }

// A value that is known while planning: a constant, or a parameter's value in this execution.
const Datum* value_of(const Level& level, const ExprPtr& e) {
  const ExprPtr at = stripped(e);
  if (const auto* c = try_as<ConstExpr>(at)) return &c->value.get();
  if (const auto* p = try_as<ParamExpr>(at)) {
    const auto samples = level.s.sample_parameters;
    if (static_cast<size_t>(p->index) < samples.size()) return &samples[static_cast<size_t>(p->index)];
  }
  return nullptr;
}

// The value as one of a column's, for statistics; 0, or -1 or 1 when it is below or above all of them.
int place_for(const ExprPtr& var, const ExprPtr& other, Datum& value) {
  const Oid from = stripped(other)->type.oid, to = stripped(var)->type.oid;
  if (types::value_placement(from, to) <= types::ValuePlacement::kSame) return 0;
  const types::ValuePlace place = types::place_among(from, value, to, types::ValueEdge::kLow, nullptr);
  if (place.where == types::ValuePlace::Where::kBelow) return -1;
  if (place.where == types::ValuePlace::Where::kAbove) return 1;
  value = place.value;
  return 0;
}

double tuples_of(const Level& level, const VarExpr& v) {
  const int rel = level.rel_of[static_cast<size_t>(v.entry)];
  return rel < 0 ? 1000 : std::max(1.0, level.rels[static_cast<size_t>(rel)].tuples);
}

// A unique column by itself.
bool is_unique(const Level& level, const VarExpr& v) {
  const Entry& entry = level.entry(v.entry);
  if (entry.kind != EntryKind::kTable || v.column < 0) return false;
  for (const auto& index : entry.relation->indexes) {
    if (index.unique && index.columns.size() == 1 && index.columns[0].column == v.column + 1 && index.predicate.empty())
      return true;
  }
  return false;
}

double var_distinct(const Level& level, const VarExpr& v, bool* known = nullptr) {
  const double tuples = tuples_of(level, v);
  if (known) *known = true;
  if (is_unique(level, v)) return tuples;
  if (v.column == kCtidColumn || v.column == kRowKeyColumn) return tuples;
  if (v.column == kTableOidColumn) return 1;
  const auto& entry = level.entry(v.entry);
  if (entry.kind == EntryKind::kTable && v.column >= 0 &&
      static_cast<size_t>(v.column) < entry.relation->statistics.size()) {
    const float d = entry.relation->statistics[static_cast<size_t>(v.column)].distinct;
    if (d > 0) return std::min<double>(d, tuples);
    if (d < 0) return std::max(1.0, -d * tuples);
  }
  if (v.type.oid == oid::kBool) return 2;
  if (entry.kind == EntryKind::kValues) return tuples;
  if (known) *known = false;
  return std::min(tuples, kDefaultDistinct);
}

double equal_to(Level& level, const ExprPtr& var, const ExprPtr& other, bool negated) {
  const auto* stats = column_statistics(level, var);
  const auto* v = var_of(var);
  double s = kDefaultEqual;
  const Datum* value = other ? value_of(level, other) : nullptr;
  if (value && value->null) return 0;
  Datum placed;
  if (value) {
    placed = *value;
    if (place_for(var, other, placed) != 0) return negated ? 1 - (stats ? stats->null_fraction : 0) : 0;
    value = &placed;
  }
  if (v && is_unique(level, *v)) {
    s = 1 / tuples_of(level, *v);
  } else if (stats && value) {
    const types::TypeOrder* order = types::type_order(stripped(var)->type.oid);
    double common = 0;
    bool found = false;
    for (size_t i = 0; i < stats->common_values.size(); i++) {
      common += stats->common_frequencies[i];
      if (!found && order && stats->common_values[i].get().phys == value->phys &&
          order->equal(stats->common_values[i].get(), *value, nullptr)) {
        s = stats->common_frequencies[i];
        found = true;
      }
    }
    if (!found) {
      const double rest = clamp(1 - common - stats->null_fraction);
      const double others = std::max(1.0, var_distinct(level, *v) - static_cast<double>(stats->common_values.size()));
      s = rest / others;
    }
  } else if (v) {
    const double nulls = stats ? stats->null_fraction : 0;
    s = (1 - nulls) / std::max(1.0, var_distinct(level, *v));
  }
  if (negated) s = 1 - s - (stats ? stats->null_fraction : 0);
  return clamp(s);
}

double as_number(const Datum& d, bool& ok) {
  ok = true;
  switch (d.phys) {
    case Phys::kBool: return d.b;
    case Phys::kI16: return d.i16;
    case Phys::kI32: return d.i32;
    case Phys::kI64: return static_cast<double>(d.i64);
    case Phys::kF32: return d.f32;
    case Phys::kF64: return d.f64;
    case Phys::kStr: {
      double x = 0, scale = 1;
      for (size_t i = 0; i < d.str.size() && i < 8; i++) {
        scale /= 256;
        x += scale * static_cast<unsigned char>(d.str[i]);
      }
      return x;
    }
    default: ok = false; return 0;
  }
}

// Fraction of the rows below (or at) a value.
double below(Level& level, const ExprPtr& var, const ExprPtr& other, bool& known) {
  const auto* stats = column_statistics(level, var);
  const Datum* value = value_of(level, other);
  known = false;
  if (!stats || !value || value->null) return kDefaultRange;
  const TypeRef type = stripped(var)->type;
  Datum placed = *value;
  if (const int side = place_for(var, other, placed); side != 0) {
    known = true;
    return side < 0 ? 0 : clamp(1 - stats->null_fraction);
  }
  value = &placed;
  const types::TypeOrder* order = types::type_order(type.oid);
  if (!order || !order->compare) return kDefaultRange;
  const types::Collator* collator = level.s.catalog().collator(type.collation);
  double common = 0, below_common = 0;
  for (size_t i = 0; i < stats->common_values.size(); i++) {
    if (stats->common_values[i].get().phys != value->phys) return kDefaultRange;
    common += stats->common_frequencies[i];
    if (order->compare(stats->common_values[i].get(), *value, collator) < 0)
      below_common += stats->common_frequencies[i];
  }
  double inside = 0.5;
  const auto& h = stats->histogram;
  if (h.size() >= 2) {
    if (h[0].get().phys != value->phys) return kDefaultRange;
    const auto at = std::lower_bound(h.begin(), h.end(), *value, [&](const OwnedDatum& a, const Datum& b) {
      return order->compare(a.get(), b, collator) < 0;
    });
    const auto i = static_cast<size_t>(at - h.begin());
    if (i == 0) {
      inside = 0;
    } else if (i == h.size()) {
      inside = 1;
    } else {
      bool ok1, ok2, ok3;
      const double lo = as_number(h[i - 1].get(), ok1), hi = as_number(h[i].get(), ok2), x = as_number(*value, ok3);
      const double part = ok1 && ok2 && ok3 && hi > lo ? clamp((x - lo) / (hi - lo)) : 0.5;
      inside = (static_cast<double>(i - 1) + part) / static_cast<double>(h.size() - 1);
    }
  } else if (stats->common_values.empty()) {
    return kDefaultRange;
  }
  known = true;
  return clamp(below_common + inside * clamp(1 - common - stats->null_fraction));
}

double range_selectivity(Level& level, const ExprPtr& var, const ExprPtr& other, int strategy) {
  bool known;
  const double s = below(level, var, other, known);
  if (!known) return kDefaultRange;
  const auto* stats = column_statistics(level, var);
  const double out = strategy <= 2 ? s : 1 - s - (stats ? stats->null_fraction : 0);
  return std::max(clamp(out), 1e-7);
}

double null_fraction(const Level& level, const ExprPtr& e) {
  const auto* stats = column_statistics(level, e);
  return stats ? stats->null_fraction : 0;
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
      const double a = distinct_values(level, l, 1e300), b = distinct_values(level, r, 1e300);
      const double known = (1 - null_fraction(level, l)) * (1 - null_fraction(level, r));
      const double s = clamp(known / std::max(1.0, std::max(a, b)));
      // That all values are alike is what a sample says.
      return not_equal ? std::max(known - s, kDefaultUnknown) : s;
    }
    if (left.empty()) std::swap(l, r);
    return equal_to(level, l, r, not_equal);
  }
  if (strategy != 0) {
    if (!left.empty() && !right.empty()) return kDefaultRange;
    if (left.empty()) {
      std::swap(l, r);
      strategy = 6 - strategy;
    }
    return range_selectivity(level, l, r, strategy);
  }
  if (op->restriction == "likesel" || op->restriction == "regexeqsel" || op->restriction == "iclikesel" ||
      op->restriction == "icregexeqsel") {
    return kDefaultMatch;
  }
  if (op->restriction == "nlikesel" || op->restriction == "regexnesel") return 1 - kDefaultMatch;
  if (op->restriction == "contsel") return 0.001;
  return op->restriction.empty() ? 0.5 : 0.01;
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
    if (strategy == 0 || strategy == 3 || level_.rels_of(e).count() != 1) {
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
    return clamp(s);
  }

 private:
  struct Range {
    ExprPtr var;
    double low = -1, high = -1;
  };
  Level& level_;
  double others_ = 1;
  std::vector<Range> ranges_;
};

double and_selectivity(Level& level, const ExprList& list) {
  Conjunction all(level);
  for (const ExprPtr& e : list) all.add(e, selectivity(level, e));
  return all.selectivity();
}

}  // namespace

const catalog::ColumnStatistics* column_statistics(const Level& level, const ExprPtr& e) {
  const auto* v = var_of(e);
  if (!v || v->column < 0) return nullptr;
  const Entry& entry = level.entry(v->entry);
  if (entry.kind != EntryKind::kTable || static_cast<size_t>(v->column) >= entry.relation->statistics.size())
    return nullptr;
  const auto& stats = entry.relation->statistics[static_cast<size_t>(v->column)];
  const bool known =
      stats.distinct != 0 || stats.null_fraction != 0 || !stats.common_values.empty() || !stats.histogram.empty();
  return known ? &stats : nullptr;
}

namespace {

int type_width(Oid type) {
  switch (types::physical_of(type)) {
    case Phys::kBool: return 1;
    case Phys::kI16: return 2;
    case Phys::kI32:
    case Phys::kF32: return 4;
    case Phys::kI64:
    case Phys::kF64: return 8;
    case Phys::kB16: return 16;
    case Phys::kStr: return 32;
  }
  return 8;
}

}  // namespace

int average_width(const Level& level, int entry, int column) {
  const Entry& e = level.entry(entry);
  if (column < 0) return 8;
  if (e.kind == EntryKind::kTable) {
    if (static_cast<size_t>(column) < e.relation->statistics.size()) {
      const int w = e.relation->statistics[static_cast<size_t>(column)].average_width;
      if (w > 0) return w;
    }
  }
  if (static_cast<size_t>(column) >= e.column_types.size()) return 8;
  return type_width(e.column_types[static_cast<size_t>(column)].oid);
}

int average_width(const Level& level, const ExprPtr& e) {
  const auto* v = var_of(e);
  return v != nullptr ? average_width(level, v->entry, v->column) : type_width(e->type.oid);
}

double selectivity(Level& level, const ExprPtr& e) {
  if (!e) return 1;
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
      if (b.op == BoolExpr::Op::kAnd) return clamp(and_selectivity(level, b.arguments));
      if (b.op == BoolExpr::Op::kNot) return clamp(1 - selectivity(level, b.arguments[0]));
      double s = 0;
      for (const ExprPtr& a : b.arguments) {
        const double t = selectivity(level, a);
        s = s + t - s * t;
      }
      return clamp(s);
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
    case ExprKind::kArrayCompare: {
      const auto& c = as<ArrayCompareExpr>(*e);
      const auto* list = try_as<ArrayExpr>(c.array);
      const double count = list ? static_cast<double>(list->elements.size()) : 10;
      auto one = std::make_shared<CallExpr>();
      one->op = c.op;
      one->function = c.function;
      one->type.oid = oid::kBool;
      double s = c.any ? 0 : 1;
      if (list && list->elements.size() <= 200) {
        for (const ExprPtr& element : list->elements) {
          one->arguments = {c.left, element};
          const double t = operator_selectivity(level, *one);
          s = c.any ? s + t : s * t;
        }
      } else {
        auto unknown = std::make_shared<RuntimeParamExpr>();
        unknown->type = c.left->type;
        one->arguments = {c.left, unknown};
        const double t = operator_selectivity(level, *one);
        s = c.any ? t * count : std::pow(t, count);
      }
      return clamp(s);
    }
    case ExprKind::kRowCompare: return row_selectivity(level, as<RowCompareExpr>(*e));
    case ExprKind::kRelabel: return selectivity(level, as<RelabelExpr>(*e).argument);
    default: return 0.5;
  }
}

double clause_selectivity(Level& level, const Clause& clause) {
  if (clause.selectivity < 0) {
    double s = selectivity(level, clause.expr);
    for (const Clause* c : clause.implied) s /= std::max(1e-9, clause_selectivity(level, *c));
    clause.selectivity = clamp(s);
  }
  return clause.selectivity;
}

double clauses_selectivity(Level& level, const std::vector<const Clause*>& clauses) {
  Conjunction all(level);
  for (const Clause* c : clauses) all.add(c->expr, clause_selectivity(level, *c));
  return all.selectivity();
}

double distinct_values(Level& level, const ExprPtr& e, double rows) {
  const ExprPtr at = stripped(e);
  if (const auto* v = try_as<VarExpr>(at)) return std::max(1.0, std::min(rows, var_distinct(level, *v)));
  if (at->kind == ExprKind::kConst || at->kind == ExprKind::kParam || at->kind == ExprKind::kRuntimeParam) return 1;
  if (at->type.oid == oid::kBool) return 2;
  // An expression has at most as many values as its columns' combinations.
  VarSet vars;
  vars.add_vars(at);
  double n = 1;
  for (const auto& [entry, column] : vars.pairs()) {
    VarExpr v;
    v.entry = entry;
    v.column = column;
    if (column >= 0) v.type = level.entry(entry).column_types[static_cast<size_t>(column)];
    n *= var_distinct(level, v);
  }
  if (vars.pairs().empty()) n = kDefaultDistinct;
  return std::max(1.0, std::min(rows, n));
}

double group_count(Level& level, const ExprList& groups, double rows) {
  double n = 1;
  for (const ExprPtr& e : groups) n *= distinct_values(level, e, rows);
  return std::max(1.0, std::min(n, rows));
}

}  // namespace indigo::sql::planning
