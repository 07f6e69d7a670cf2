#include "sql/plan/condition/column_selectivity.h"

#include <algorithm>

#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/known_attributes.h"
#include "sql/plan/condition/selectivity.h"
#include "types/function/registry.h"
#include "types/function/value_place.h"

namespace indigo::sql::planning {
namespace {

double clamp(double s) { return std::min(1.0, std::max(0.0, s)); }

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
  const TypeRef& type = stripped(var)->type;
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

}  // namespace

// A value that is known while planning: a constant, or a parameter's value in this execution.
const Datum* value_of(const Level& level, const ExprPtr& e) {
  const ExprPtr& at = stripped(e);
  if (const auto* c = try_as<ConstExpr>(at)) return &c->value.get();
  if (const auto* p = try_as<ParamExpr>(at)) {
    const auto samples = level.s.sample_parameters;
    if (static_cast<size_t>(p->index) < samples.size()) return &samples[static_cast<size_t>(p->index)];
  }
  return nullptr;
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
      const double others =
          std::max(1.0, distinct_values(level, var, 1e300) - static_cast<double>(stats->common_values.size()));
      s = rest / others;
    }
  } else if (v || stats) {
    const double nulls = stats ? stats->null_fraction : 0;
    s = (1 - nulls) / distinct_values(level, var, 1e300);
  }
  if (negated) s = 1 - s - (stats ? stats->null_fraction : 0);
  return clamp(s);
}

double range_selectivity(Level& level, const ExprPtr& var, const ExprPtr& other, int strategy) {
  bool known;
  const double s = below(level, var, other, known);
  if (!known) return kDefaultRange;
  const auto* stats = column_statistics(level, var);
  const double out = strategy <= 2 ? s : 1 - s - (stats ? stats->null_fraction : 0);
  return std::max(clamp(out), 1e-7);
}

namespace {

const catalog::ColumnStatistics* known_of(const std::vector<catalog::ColumnStatistics>& all, int column) {
  if (column < 0 || static_cast<size_t>(column) >= all.size()) return nullptr;
  const auto& s = all[static_cast<size_t>(column)];
  const bool known = s.distinct != 0 || s.null_fraction != 0 || !s.common_values.empty() || !s.histogram.empty();
  return known ? &s : nullptr;
}

const catalog::ColumnStatistics* known_of(const ScannedTable& table, int column) {
  return known_of(table.relation->statistics, table.column_of[static_cast<size_t>(column)]);
}

}  // namespace

const catalog::ColumnStatistics* column_statistics(const Level& level, const VarExpr& v) {
  if (v.column < 0 || v.levels_up != 0) return nullptr;
  const Entry& entry = level.entry(v.entry);
  if (entry.kind != EntryKind::kTable) return nullptr;
  if (level.leaf != nullptr && level.leaf->entry == v.entry) return known_of(*level.leaf->table, v.column);
  const bool tree = !entry.only && !entry.relation->children.empty();
  if (const auto* of_tree = tree ? known_of(entry.relation->tree_statistics, v.column) : nullptr) return of_tree;
  if (const auto* own = known_of(entry.relation->statistics, v.column)) return own;
  const int rel = static_cast<size_t>(v.entry) < level.rel_of.size() ? level.rel_of[static_cast<size_t>(v.entry)] : -1;
  if (rel < 0 || level.rels[static_cast<size_t>(rel)].largest_leaf == nullptr) return nullptr;
  return known_of(*level.rels[static_cast<size_t>(rel)].largest_leaf, v.column);
}

const catalog::ColumnStatistics* column_statistics(const Level& level, const ExprPtr& e) {
  const auto* v = var_of(e);
  return v == nullptr ? expression_statistics(level, stripped(e)) : column_statistics(level, *v);
}

}  // namespace indigo::sql::planning
