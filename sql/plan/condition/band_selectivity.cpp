#include "sql/plan/condition/band_selectivity.h"

#include <algorithm>

#include "catalog/catalog.h"
#include "sql/analyze/make.h"
#include "sql/plan/condition/column_selectivity.h"
#include "sql/plan/condition/sampled_selectivity.h"
#include "sql/plan/condition/selectivity.h"

namespace indigo::sql::planning {
namespace {

constexpr size_t kMaxAsked = 24;  // values of the other side
constexpr double kLeast = 1e-6;

struct Bound {
  bool exists = false;
  std::vector<OwnedDatum> values;
  std::vector<double> weights;
};

bool sample_bound(Level& level, const ExprPtr& e, Bound& out) {
  if (!e) return true;
  out.exists = true;
  return sampled_values(level, e, out.values, out.weights);
}

}  // namespace

std::vector<BandSide> band_sides(const Level& level, const ExprPtr& condition) {
  std::vector<BandSide> out;
  const auto* call = try_as<CallExpr>(condition);
  if (call == nullptr || call->op == kInvalidOid || call->arguments.size() != 2) return out;
  const int strategy = level.s.catalog().btree_strategy(call->op);
  if (strategy == 0 || strategy == 3) return out;
  const ExprPtr &left = call->arguments[0], &right = call->arguments[1];
  const RelSet l = level.rels_of(left), r = level.rels_of(right);
  if (l.count() != 1 || r.count() != 1 || l == r) return out;
  if (column_statistics(level, left) != nullptr) out.push_back({left, right, strategy >= 4});
  if (column_statistics(level, right) != nullptr) out.push_back({right, left, strategy <= 2});
  return out;
}

double band_selectivity(Level& level, const ExprPtr& column, const ExprPtr& low, const ExprPtr& high) {
  Bound below, above;
  if (!sample_bound(level, low, below) || !sample_bound(level, high, above)) return -1;
  const Bound& any = below.exists ? below : above;
  const size_t count = any.values.size();
  if (count == 0 || (below.exists && above.exists && above.values.size() != count)) return -1;
  const size_t step = (count + kMaxAsked - 1) / kMaxAsked;
  double held = 0, asked = 0;
  for (size_t i = 0; i < count; i += step) {
    asked += any.weights[i];
    const auto part = [&](const Bound& bound, const ExprPtr& e, int strategy) -> double {
      if (!bound.exists) return 1;
      if (bound.values[i].get().null) return 0;
      return range_selectivity(level, column, make_const(e->type, bound.values[i].get()), strategy);
    };
    const double from = part(below, low, 5), to = part(above, high, 1);
    held += any.weights[i] * std::max(0.0, from + to - 1);
  }
  return asked > 0 ? std::clamp(held / asked, kLeast, 1.0) : -1;
}

}  // namespace indigo::sql::planning
