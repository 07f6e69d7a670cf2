#include "engine/ddl/analyze.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "catalog/tables/system_table.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/table/size_statistics.h"
#include "engine/ddl/tree.h"
#include "storage/statistics.h"
#include "storage/table.h"
#include "types/function/registry.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace {

constexpr size_t kSampleRows = 30000;
constexpr size_t kStatisticsTarget = 100;  // most common values, histogram bounds - 1

struct Run {  // equal values of the sorted sample
  size_t begin, count;
};

struct Statistics {
  float null_fraction = 0, distinct = 0;
  int32_t width = 0;
  std::vector<Datum> common;
  std::vector<float> frequencies;
  std::vector<Datum> histogram;
};

int32_t width_of(const Datum& d) {
  return d.phys == Phys::kStr ? static_cast<int32_t>(d.str.size()) : static_cast<int32_t>(phys_bytes(d.phys));
}

Statistics of_column(std::vector<Datum>& values, size_t nulls, size_t sampled, double total_rows,
                     const types::TypeOrder* order, const types::Collator* collator) {
  Statistics out;
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
    estimate = std::clamp(n * d / (n - once + once * n / rows), d, rows);
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

Status store(DdlContext& c, const RelationInfo& relation, const ColumnInfo& column, Phys phys, const Statistics& s) {
  SystemTable& t = table(c, pg_statistic::kOid);
  const bool inherited = relation.is_partitioned();  // its rows are its partitions'
  RowValues row(t.definition());
  row.oid(pg_statistic::c_starelid, relation.oid)
      .i16(pg_statistic::c_staattnum, column.number)
      .flag(pg_statistic::c_stainherit, inherited)
      .f32(pg_statistic::c_stanullfrac, s.null_fraction)
      .i32(pg_statistic::c_stawidth, s.width)
      .f32(pg_statistic::c_stadistinct, s.distinct);
  for (int slot = 0; slot < 5; slot++) {
    row.i16(pg_statistic::c_stakind1 + slot, 0)
        .oid(pg_statistic::c_staop1 + slot, kInvalidOid)
        .oid(pg_statistic::c_stacoll1 + slot, kInvalidOid);
  }
  int slot = 0;
  const auto fill = [&](int16_t kind, Oid op, const std::vector<Datum>& values) {
    row.i16(pg_statistic::c_stakind1 + slot, kind).oid(pg_statistic::c_staop1 + slot, op);
    row.oid(pg_statistic::c_stacoll1 + slot, column.type.collation);
    row.str(pg_statistic::c_stavalues1 + slot, make_array(column.type.oid, phys, values));
  };
  if (!s.common.empty()) {
    fill(1, c.catalog.btree_operator(column.type.oid, 3), s.common);
    std::vector<Datum> numbers;
    for (const float f : s.frequencies) numbers.push_back(Datum::of(f));
    row.str(pg_statistic::c_stanumbers1 + slot, make_array(oid::kFloat4, Phys::kF32, numbers));
    slot++;
  }
  if (!s.histogram.empty()) fill(2, c.catalog.btree_operator(column.type.oid, 1), s.histogram);
  std::string image;
  const bool exists =
      t.find(c.txn, {Datum::of_oid(relation.oid), Datum::of(column.number), Datum::of(inherited)}, image);
  return check(exists ? t.update(c.txn, row) : t.insert(c.txn, row));
}

}  // namespace

namespace {

// A uniform sample (reservoir), with a seed that is the table's: the same table gives the same statistics.
class Sample {
 public:
  explicit Sample(Oid seed) : random_(seed) {}

  // Adds what the table has; `column_of`: its own column for each of those that values() is asked for.
  Status read(DdlContext& c, const RelationPtr& table, std::vector<size_t> column_of) {
    sources_.push_back({table, std::move(column_of)});
    const size_t source = sources_.size() - 1;
    return for_each_row(c, *table, [&](Bytes, Bytes row) -> Status {
      seen_++;
      if (rows_.size() < kSampleRows) {
        rows_.push_back({source, std::string(row)});
      } else if (const uint64_t at = random_() % seen_; at < kSampleRows) {
        rows_[at].source = source;
        rows_[at].image.assign(row);
      }
      return {};
    });
  }
  uint64_t seen() const { return seen_; }
  size_t size() const { return rows_.size(); }
  // Those of a column that are not null, and how many are.
  std::vector<Datum> values(size_t column, size_t& nulls) const {
    std::vector<Datum> out;
    nulls = 0;
    for (const Row& row : rows_) {
      const Source& source = sources_[row.source];
      const Datum d = source.table->layout.column(row.image, source.column_of[column]);
      if (d.null) {
        nulls++;
      } else if (d.phys != Phys::kStr || d.str.size() <= 1024) {  // wide values say little and cost much
        out.push_back(d);
      }
    }
    return out;
  }

 private:
  struct Source {
    RelationPtr table;
    std::vector<size_t> column_of;
  };
  struct Row {
    size_t source;
    std::string image;
  };
  std::mt19937_64 random_;
  uint64_t seen_ = 0;
  std::vector<Source> sources_;
  std::vector<Row> rows_;
};

Status store_sample(DdlContext& c, const RelationPtr& relation, std::span<const int16_t> columns,
                    const Sample& sample) {
  for (const ColumnInfo& column : relation->columns) {
    if (column.dropped || sample.size() == 0) continue;
    if (!columns.empty() && std::find(columns.begin(), columns.end(), column.number) == columns.end()) continue;
    const auto index = static_cast<size_t>(column.number) - 1;
    size_t nulls;
    std::vector<Datum> values = sample.values(index, nulls);
    const Statistics s = of_column(values, nulls, sample.size(), static_cast<double>(sample.seen()),
                                   types::type_order(column.type.oid), c.catalog.collator(column.type.collation));
    INDIGO_TRY(store(c, *relation, column, relation->layout.phys(index), s));
  }
  return {};
}

}  // namespace

Status analyze_table(DdlContext& c, const RelationPtr& relation, std::span<const int16_t> columns) {
  const uint64_t changes = relation->table == nullptr ? 0 : storage::changes_of(*relation->table).all();
  Sample sample(relation->oid);
  std::vector<size_t> own(relation->columns.size());
  std::iota(own.begin(), own.end(), size_t{0});
  INDIGO_TRY(sample.read(c, relation, std::move(own)));
  INDIGO_TRY(store_sample(c, relation, columns, sample));
  INDIGO_TRY(update_size_statistics(c, relation, static_cast<float>(sample.seen())));
  if (columns.empty()) c.host.analyzed(*relation, changes);
  c.catalog.changed({relation->oid});
  return {};
}

Status analyze_partitioned(DdlContext& c, const RelationPtr& relation, std::span<const Oid> descendants,
                           std::span<const int16_t> columns) {
  Sample sample(relation->oid);
  for (const Oid oid : descendants) {
    const RelationPtr part = current(c, oid);
    if (part == nullptr || part->table == nullptr || part->is_partitioned()) continue;
    std::vector<size_t> column_of(relation->columns.size());
    for (size_t i = 0; i < column_of.size(); i++) {
      if (relation->columns[i].dropped) continue;
      for (size_t j = 0; j < part->columns.size(); j++) {
        if (!part->columns[j].dropped && part->columns[j].name == relation->columns[i].name) column_of[i] = j;
      }
    }
    INDIGO_TRY(sample.read(c, part, std::move(column_of)));
  }
  INDIGO_TRY(store_sample(c, relation, columns, sample));
  INDIGO_TRY(set_partitioned_size(c, relation, static_cast<float>(sample.seen())));
  c.catalog.changed({relation->oid});
  return {};
}

}  // namespace indigo::engine::ddl
