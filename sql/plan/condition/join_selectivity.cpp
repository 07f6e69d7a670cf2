#include "sql/plan/condition/join_selectivity.h"

#include <algorithm>

#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/selectivity.h"
#include "types/function/registry.h"

namespace indigo::sql::planning {
namespace {

using Statistics = catalog::ColumnStatistics;

// One side: what its common values say, and what is left.
struct Side {
  double distinct = 1, nulls = 0, common = 0, matched = 0;
  size_t values = 0;
  double unmatched() const { return std::max(0.0, common - matched); }
  double others() const { return std::max(0.0, 1 - nulls - common); }
};

Side side_of(Level& level, const ExprPtr& e, const Statistics* known) {
  Side out;
  out.distinct = std::max(1.0, distinct_values(level, e, 1e300));
  if (known == nullptr) return out;
  out.nulls = known->null_fraction;
  out.values = known->common_values.size();
  for (const float f : known->common_frequencies) out.common += f;
  return out;
}

// Indexes of the values in order; nothing when they cannot be ordered.
std::vector<size_t> in_order(const Statistics& of, const types::TypeOrder& order, const types::Collator* collator) {
  std::vector<size_t> out(of.common_values.size());
  for (size_t i = 0; i < out.size(); i++) out[i] = i;
  std::sort(out.begin(), out.end(), [&](size_t a, size_t b) {
    return order.compare(of.common_values[a].get(), of.common_values[b].get(), collator) < 0;
  });
  return out;
}

// What one side's view of it is: its common values without a partner meet the other side's uncommon ones, and so on.
double seen_from(const Side& a, const Side& b, double both, double matches) {
  double s = both;
  const auto values = static_cast<double>(b.values);
  if (b.distinct > values) s += a.unmatched() * b.others() / (b.distinct - values);
  if (b.distinct > matches) s += a.others() * (b.others() + b.unmatched()) / (b.distinct - matches);
  return s;
}

}  // namespace

double joined_equal_selectivity(Level& level, const ExprPtr& left, const ExprPtr& right) {
  const Statistics *l = column_statistics(level, left), *r = column_statistics(level, right);
  Side a = side_of(level, left, l), b = side_of(level, right, r);
  const double known = (1 - a.nulls) * (1 - b.nulls);
  const double even = std::min(1.0, known / std::max(a.distinct, b.distinct));
  if (a.values == 0 || b.values == 0) return even;
  const types::TypeRef type = stripped(left)->type;
  const types::TypeOrder* order = types::type_order(type.oid);
  if (order == nullptr || order->compare == nullptr || l->common_values[0].get().phys != r->common_values[0].get().phys)
    return even;

  const types::Collator* collator = level.s.catalog().collator(type.collation);
  const std::vector<size_t> lefts = in_order(*l, *order, collator), rights = in_order(*r, *order, collator);
  double both = 0, matches = 0;
  for (size_t i = 0, j = 0; i < lefts.size() && j < rights.size();) {
    const int c = order->compare(l->common_values[lefts[i]].get(), r->common_values[rights[j]].get(), collator);
    if (c == 0) {
      const double f = l->common_frequencies[lefts[i]], g = r->common_frequencies[rights[j]];
      both += f * g;
      a.matched += f;
      b.matched += g;
      matches++;
    }
    i += c <= 0 ? 1 : 0;
    j += c >= 0 ? 1 : 0;
  }
  return std::min(1.0, std::min(seen_from(a, b, both, matches), seen_from(b, a, both, matches)));
}

}  // namespace indigo::sql::planning
