#include "engine/ddl/analyze/column_statistics.h"

#include <algorithm>
#include <cmath>

#include "engine/ddl/rows.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace {

struct Run {  // equal values of the sorted sample
  size_t begin, count;
};

int32_t width_of(const Datum& d) {
  return d.phys == Phys::kStr ? static_cast<int32_t>(d.str.size()) : static_cast<int32_t>(phys_bytes(d.phys));
}

}  // namespace

double estimated_distinct(double sampled, double distinct, double once, double total_rows) {
  return std::clamp(sampled * distinct / (sampled - once + once * sampled / total_rows), distinct, total_rows);
}

ColumnFigures column_figures(std::vector<Datum>& values, size_t nulls, size_t sampled, double total_rows,
                             const types::TypeOrder* order, const types::Collator* collator) {
  ColumnFigures out;
  if (sampled == 0) return out;
  out.null_fraction = static_cast<float>(static_cast<double>(nulls) / static_cast<double>(sampled));
  if (values.empty()) return out;
  double width = 0;
  for (const Datum& d : values) width += width_of(d);
  out.width = static_cast<int32_t>(width / static_cast<double>(values.size()));
  if (order == nullptr || order->compare == nullptr) return out;
  std::sort(values.begin(), values.end(),
            [&](const Datum& a, const Datum& b) { return order->compare(a, b, collator) < 0; });
  std::vector<Run> runs;
  for (size_t i = 0; i < values.size();) {
    size_t j = i + 1;
    while (j < values.size() && order->compare(values[i], values[j], collator) == 0) j++;
    runs.push_back({i, j - i});
    i = j;
  }
  const double n = static_cast<double>(values.size()), d = static_cast<double>(runs.size());
  double once = 0;
  for (const Run& r : runs) once += r.count == 1 ? 1 : 0;
  const double rows = total_rows * (1.0 - out.null_fraction);  // not null
  double estimate = d;
  if (once == d) {
    estimate = rows;  // every value differs: taken as unique
  } else if (once > 0 && rows > n) {
    estimate = estimated_distinct(n, d, once, rows);
  }
  // More than a tenth of the rows: a fraction, which grows with the table.
  out.distinct = static_cast<float>(estimate > 0.1 * total_rows ? -(estimate / std::max(total_rows, 1.0))
                                                                : std::floor(estimate + 0.5));
  // Most common values: all, if the sample holds few enough and is the whole; otherwise those clearly above the average.
  std::vector<Run> by_count = runs;
  std::stable_sort(by_count.begin(), by_count.end(), [](const Run& a, const Run& b) { return a.count > b.count; });
  const bool complete = runs.size() <= kStatisticsTarget && estimate <= d * 1.01 && once < d;
  const double average = n / std::max(estimate, 1.0);
  for (const Run& r : by_count) {
    if (out.common.size() == kStatisticsTarget) break;
    if (r.count < 2) break;
    if (!complete && static_cast<double>(r.count) < 1.25 * average) break;
    out.common.push_back(values[r.begin]);
    out.frequencies.push_back(static_cast<float>(static_cast<double>(r.count) / static_cast<double>(sampled)));
  }
  // The histogram covers what is not common.
  std::vector<Datum> rest;
  const size_t common = out.common.size();
  std::vector<bool> is_common(runs.size(), false);
  for (size_t i = 0; i < common; i++) {
    const auto it = std::lower_bound(runs.begin(), runs.end(), by_count[i].begin,
                                     [](const Run& r, size_t b) { return r.begin < b; });
    is_common[static_cast<size_t>(it - runs.begin())] = true;
  }
  size_t distinct_rest = 0;
  for (size_t i = 0; i < runs.size(); i++) {
    if (is_common[i]) continue;
    distinct_rest++;
    for (size_t j = 0; j < runs[i].count; j++) rest.push_back(values[runs[i].begin + j]);
  }
  if (distinct_rest >= 2) {
    const size_t bounds = std::min(rest.size(), kStatisticsTarget + 1);
    for (size_t i = 0; i < bounds; i++) out.histogram.push_back(rest[i * (rest.size() - 1) / (bounds - 1)]);
  }
  return out;
}

void fill_statistics(DdlContext& c, const TypeRef& type, Phys phys, const ColumnFigures& figures,
                     catalog::RowValues& row) {
  row.f32(pg_statistic::c_stanullfrac, figures.null_fraction)
      .i32(pg_statistic::c_stawidth, figures.width)
      .f32(pg_statistic::c_stadistinct, figures.distinct);
  for (int slot = 0; slot < 5; slot++) {
    row.i16(pg_statistic::c_stakind1 + slot, 0)
        .oid(pg_statistic::c_staop1 + slot, kInvalidOid)
        .oid(pg_statistic::c_stacoll1 + slot, kInvalidOid);
  }
  int slot = 0;
  const auto fill = [&](int16_t kind, Oid op, const std::vector<Datum>& values) {
    row.i16(pg_statistic::c_stakind1 + slot, kind).oid(pg_statistic::c_staop1 + slot, op);
    row.oid(pg_statistic::c_stacoll1 + slot, type.collation);
    row.str(pg_statistic::c_stavalues1 + slot, make_array(type.oid, phys, values));
  };
  if (!figures.common.empty()) {
    fill(1, c.catalog.btree_operator(type.oid, 3), figures.common);
    std::vector<Datum> numbers;
    for (const float f : figures.frequencies) numbers.push_back(Datum::of(f));
    row.str(pg_statistic::c_stanumbers1 + slot, make_array(oid::kFloat4, Phys::kF32, numbers));
    slot++;
  }
  if (!figures.histogram.empty()) fill(2, c.catalog.btree_operator(type.oid, 1), figures.histogram);
}

}  // namespace indigo::engine::ddl
