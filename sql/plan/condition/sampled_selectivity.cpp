#include "sql/plan/condition/sampled_selectivity.h"

#include <algorithm>

#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/condition/value_evaluation.h"

namespace indigo::sql::planning {
namespace {

// Values that a condition is evaluated for: few, for it happens in each planning.
constexpr size_t kMaxCommon = 50, kMaxOthers = 101;
constexpr double kMinTuples = 1000;  // a small table is read soon, whatever is known of it

// What has no value for a row by itself: ValueEvaluation gives it up.
bool is_of_many_rows(const Expr& e) {
  return e.kind == ExprKind::kAggregate || e.kind == ExprKind::kWindowCall || e.kind == ExprKind::kGrouping ||
         e.kind == ExprKind::kSubLink || e.kind == ExprKind::kSubPlan;
}

// The one column that the expression is about; null: none, or several. `several`, too, if its values are not enough.
const VarExpr* only_column(const ExprPtr& e, bool& several) {
  if (const auto* v = try_as<VarExpr>(e)) return v;
  if (is_of_many_rows(*e)) {
    several = true;
    return nullptr;
  }
  const VarExpr* found = nullptr;
  for_each_child(*e, [&](const ExprPtr& c) {
    const VarExpr* v = only_column(c, several);
    if (v == nullptr) return;
    if (found != nullptr && (found->entry != v->entry || found->column != v->column)) several = true;
    found = v;
  });
  return found;
}

bool integer_of(const Datum& d, int64_t& out) {
  switch (d.phys) {
    case Phys::kI16: out = d.i16; return true;
    case Phys::kI32: out = d.i32; return true;
    case Phys::kI64: out = d.i64; return true;
    default: return false;
  }
}

// Bounds of a histogram stand in regular distances: of numbers without gaps each may be even. Then some number between two
// bounds is taken in their place.
class Histogram {
 public:
  Histogram(const std::vector<OwnedDatum>& bounds, double distinct) : bounds_(bounds) {
    int64_t low, high;
    dense_ = bounds.size() >= 2 && integer_of(bounds.front().get(), low) && integer_of(bounds.back().get(), high) &&
             distinct * 2 > static_cast<double>(high) - static_cast<double>(low);
  }

  Datum value(size_t i) const {
    Datum out = bounds_[i].get();
    int64_t low, high;
    if (!dense_ || i + 1 >= bounds_.size() || !integer_of(out, low) || !integer_of(bounds_[i + 1].get(), high))
      return out;
    const int64_t gap = high - low;
    if (gap < 2) return out;
    const int64_t moved = low + static_cast<int64_t>((i * 2654435761U) >> 7) % gap;
    if (out.phys == Phys::kI16) return Datum::of(static_cast<int16_t>(moved));
    return out.phys == Phys::kI32 ? Datum::of(static_cast<int32_t>(moved)) : Datum::of(moved);
  }

 private:
  const std::vector<OwnedDatum>& bounds_;
  bool dense_ = false;
};

struct Sample {
  std::vector<Datum> values;  // of one kind, none null
  std::vector<double> weights;
  double rest = 0;    // of the rows, that the histogram stands for
  size_t picked = 0;  // of the histogram
};

std::optional<Sample> sample_of(Level& level, const VarExpr& column) {
  const catalog::ColumnStatistics* known = column_statistics(level, std::make_shared<VarExpr>(column));
  if (known == nullptr) return std::nullopt;
  Sample out;
  double taken = 0;
  for (size_t i = 0; i < known->common_values.size() && i < kMaxCommon; i++) {
    out.values.push_back(known->common_values[i].get());
    out.weights.push_back(known->common_frequencies[i]);
    taken += known->common_frequencies[i];
  }
  const std::vector<OwnedDatum>& others = known->histogram;
  out.rest = std::max(0.0, 1 - known->null_fraction - (others.empty() ? 0 : taken));
  const size_t step = (others.size() + kMaxOthers - 1) / kMaxOthers;
  out.picked = others.empty() ? 0 : (others.size() + step - 1) / step;
  const Histogram histogram(others, var_distinct(level, column));
  for (size_t i = 0; i < others.size(); i += step) {
    out.values.push_back(histogram.value(i));
    out.weights.push_back(out.rest / static_cast<double>(out.picked));
  }
  if (out.values.empty()) return std::nullopt;
  // Without a histogram the common values stand for all.
  if (others.empty() && taken > 0) {
    for (double& w : out.weights) w *= out.rest / taken;
  }
  for (const Datum& d : out.values) {
    if (d.null || d.phys != out.values[0].phys) return std::nullopt;
  }
  return out;
}

}  // namespace

std::optional<SampledSelectivity> sampled_selectivity(Level& level, const ExprPtr& condition) {
  bool several = false;
  const VarExpr* column = only_column(condition, several);
  if (column == nullptr || several || column->levels_up != 0) return std::nullopt;
  const int rel = level.rel_of[static_cast<size_t>(column->entry)];
  if (rel < 0 || level.rels[static_cast<size_t>(rel)].tuples < kMinTuples) return std::nullopt;
  const std::optional<Sample> sample = sample_of(level, *column);
  if (!sample) return std::nullopt;

  ValueEvaluation evaluation(level, sample->values.size());
  evaluation.bind(std::make_shared<VarExpr>(*column), sample->values);
  const Vector* holds = evaluation.run(condition);
  if (holds == nullptr || holds->phys() != Phys::kBool) return std::nullopt;
  SampledSelectivity out;
  for (uint32_t i = 0; i < sample->values.size(); i++) {
    if (!holds->is_null(i) && holds->get<bool>(i)) out.fraction += sample->weights[i];
  }
  // Where many have been asked and none holds, it is a matter of single rows.
  out.precision =
      sample->picked > 0 ? sample->rest / static_cast<double>(sample->picked) / (sample->picked >= 50 ? 100 : 2) : 0;
  return out;
}

bool sampled_values(Level& level, const ExprPtr& e, std::vector<OwnedDatum>& values, std::vector<double>& weights) {
  bool several = false;
  const VarExpr* column = only_column(e, several);
  if (column == nullptr || several || column->levels_up != 0) return false;
  std::optional<Sample> sample = sample_of(level, *column);
  if (!sample) return false;
  ValueEvaluation evaluation(level, sample->values.size());
  evaluation.bind(std::make_shared<VarExpr>(*column), sample->values);
  const Vector* found = evaluation.run(e);
  if (found == nullptr) return false;
  values.clear();
  for (uint32_t i = 0; i < sample->values.size(); i++) values.emplace_back(found->datum(i));
  weights = std::move(sample->weights);
  return true;
}

}  // namespace indigo::sql::planning
