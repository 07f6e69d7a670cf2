#include "engine/ddl/analyze/analyze.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "catalog/tables/system_table.h"
#include "engine/ddl/analyze/column_statistics.h"
#include "engine/ddl/analyze/extended_statistics.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/table/size_statistics.h"
#include "engine/ddl/tree.h"
#include "storage/statistics.h"
#include "storage/table.h"
#include "types/function/registry.h"

namespace indigo::engine::ddl {

namespace {

// `inherited`: of the rows of what is below it, too.
Status store(DdlContext& c, const RelationInfo& relation, const ColumnInfo& column, Phys phys, const ColumnFigures& s,
             bool inherited) {
  SystemTable& t = table(c, pg_statistic::kOid);
  RowValues row(t.definition());
  row.oid(pg_statistic::c_starelid, relation.oid)
      .i16(pg_statistic::c_staattnum, column.number)
      .flag(pg_statistic::c_stainherit, inherited);
  fill_statistics(c, column.type, phys, s, row);
  std::string image;
  const bool exists =
      t.find(c.txn, {Datum::of_oid(relation.oid), Datum::of(column.number), Datum::of(inherited)}, image);
  return check(exists ? t.update(c.txn, row) : t.insert(c.txn, row));
}

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
      } else if (d.phys != Phys::kStr || d.str.size() <= kWideBytes) {
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

Status store_sample(DdlContext& c, const RelationPtr& relation, std::span<const int16_t> columns, const Sample& sample,
                    bool inherited) {
  for (const ColumnInfo& column : relation->columns) {
    if (column.dropped || sample.size() == 0) continue;
    if (!columns.empty() && std::find(columns.begin(), columns.end(), column.number) == columns.end()) continue;
    const auto index = static_cast<size_t>(column.number) - 1;
    size_t nulls;
    std::vector<Datum> values = sample.values(index, nulls);
    const ColumnFigures s =
        column_figures(values, nulls, sample.size(), static_cast<double>(sample.seen()),
                       types::type_order(column.type.oid), c.catalog.collator(column.type.collation));
    INDIGO_TRY(store(c, *relation, column, relation->layout.phys(index), s, inherited));
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
  INDIGO_TRY(store_sample(c, relation, columns, sample, false));
  INDIGO_TRY(gather_extended_statistics(c, relation, columns, sample.seen()));
  INDIGO_TRY(update_size_statistics(c, relation, static_cast<float>(sample.seen())));
  if (columns.empty()) c.host.analyzed(*relation, changes);
  c.catalog.changed({relation->oid});
  return {};
}

namespace {

// The rows of all that is in the tree.
Status read_tree(DdlContext& c, const RelationInfo& root, std::span<const Oid> tree, Sample& sample) {
  for (const Oid oid : tree) {
    const RelationPtr part = current(c, oid);
    if (part == nullptr || part->table == nullptr || part->is_partitioned()) continue;
    // Rows of temporary tables are their session's alone.
    if (part->persistence == 't' && part->schema != c.catalog.temp_schema()) continue;
    std::vector<size_t> column_of(root.columns.size());
    for (size_t i = 0; i < column_of.size(); i++) {
      if (root.columns[i].dropped) continue;
      for (size_t j = 0; j < part->columns.size(); j++) {
        if (!part->columns[j].dropped && part->columns[j].name == root.columns[i].name) column_of[i] = j;
      }
    }
    INDIGO_TRY(sample.read(c, part, std::move(column_of)));
  }
  return {};
}

}  // namespace

Status analyze_tree(DdlContext& c, const RelationPtr& relation, std::span<const Oid> tree,
                    std::span<const int16_t> columns) {
  Sample sample(relation->oid);
  INDIGO_TRY(read_tree(c, *relation, tree, sample));
  INDIGO_TRY(store_sample(c, relation, columns, sample, true));
  if (relation->is_partitioned()) {
    INDIGO_TRY(gather_extended_statistics(c, relation, columns, sample.seen()));
    INDIGO_TRY(set_partitioned_size(c, relation, static_cast<float>(sample.seen())));
  }
  c.catalog.changed({relation->oid});
  return {};
}

}  // namespace indigo::engine::ddl
