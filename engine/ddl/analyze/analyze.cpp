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
#include "engine/session/progress.h"
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

namespace analyzing = progress::analyze;

// A uniform sample (reservoir), with a seed that is the table's: the same table gives the same statistics.
class Sample {
 public:
  Sample(DdlContext& c, Oid seed) : random_(seed), shown_(running(c.host.progress(), ProgressCommand::kAnalyze)) {}

  // Adds what the table has; `column_of`: its own column for each of those that values() is asked for.
  Status read(DdlContext& c, const RelationPtr& table, std::vector<size_t> column_of) {
    sources_.push_back({table, std::move(column_of)});
    const size_t source = sources_.size() - 1;
    const storage::Table::Statistics size =
        table->table == nullptr ? storage::Table::Statistics() : table->table->statistics();
    uint64_t seen_here = 0;
    show(analyzing::kBlocksTotal, size.leaf_count);
    show(analyzing::kBlocksDone, 0);
    const auto take = [&](Bytes row) -> Status {
      seen_++;
      if (++seen_here % kShownRows == 0) show(analyzing::kBlocksDone, leaves_read(size, seen_here));
      if (rows_.size() < kSampleRows) {
        rows_.push_back({source, std::string(row)});
      } else if (const uint64_t at = random_() % seen_; at < kSampleRows) {
        rows_[at].source = source;
        rows_[at].image.assign(row);
      }
      return {};
    };
    if (table->is_foreign()) return c.host.read_foreign(table, take);
    return for_each_row(c, *table, [&](Bytes, Bytes row) { return take(row); });
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
  static constexpr uint64_t kShownRows = 256;

  // All leaves are read: how many so far is known from the rows.
  static uint64_t leaves_read(const storage::Table::Statistics& size, uint64_t rows) {
    return size.rows == 0 ? size.leaf_count : std::min(size.leaf_count, size.leaf_count * rows / size.rows);
  }
  void show(size_t parameter, uint64_t value) {
    if (shown_ != nullptr) shown_->set(parameter, static_cast<int64_t>(value));
  }

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
  Progress* const shown_;
};

void show_phase(DdlContext& c, int64_t phase) {
  Progress* const shown = running(c.host.progress(), ProgressCommand::kAnalyze);
  if (shown != nullptr) shown->set(analyzing::kPhase, phase);
}

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

Status store_size(DdlContext& c, const RelationPtr& relation, float rows) {
  if (!relation->is_foreign()) return update_size_statistics(c, relation, rows);
  INDIGO_ASSIGN(const uint64_t bytes, c.host.foreign_size(relation));
  return set_foreign_size(c, relation, rows, bytes);
}

}  // namespace

Status analyze_table(DdlContext& c, const RelationPtr& relation, std::span<const int16_t> columns) {
  const uint64_t changes = relation->table == nullptr ? 0 : storage::changes_of(*relation->table).all();
  const ProgressOf shown(c.host.progress(), ProgressCommand::kAnalyze, relation->oid);
  show_phase(c, analyzing::kSampling);
  Sample sample(c, relation->oid);
  std::vector<size_t> own(relation->columns.size());
  std::iota(own.begin(), own.end(), size_t{0});
  INDIGO_TRY(sample.read(c, relation, std::move(own)));
  show_phase(c, analyzing::kComputing);
  INDIGO_TRY(store_sample(c, relation, columns, sample, false));
  INDIGO_TRY(gather_extended_statistics(c, relation, columns, sample.seen()));
  show_phase(c, analyzing::kFinalizing);
  INDIGO_TRY(store_size(c, relation, static_cast<float>(sample.seen())));
  if (columns.empty() && !relation->is_foreign()) c.host.analyzed(*relation, changes);
  c.catalog.changed({relation->oid});
  return {};
}

namespace {

// The rows of all that is in the tree.
Status read_tree(DdlContext& c, const RelationInfo& root, std::span<const Oid> tree, Sample& sample) {
  Progress* const shown = running(c.host.progress(), ProgressCommand::kAnalyze);
  if (shown != nullptr) shown->set(analyzing::kChildrenTotal, static_cast<int64_t>(tree.size()));
  for (const Oid oid : tree) {
    if (shown != nullptr && shown->get(analyzing::kCurrentChild) != 0) shown->add(analyzing::kChildrenDone, 1);
    if (shown != nullptr) shown->set(analyzing::kCurrentChild, oid);
    const RelationPtr part = current(c, oid);
    if (part == nullptr || part->is_partitioned() || (part->table == nullptr && !part->is_foreign())) continue;
    if (part->is_foreign()) {
      INDIGO_ASSIGN(const bool can, c.host.analyzes_foreign(*part));
      if (!can) continue;
    }
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
  const ProgressOf shown(c.host.progress(), ProgressCommand::kAnalyze, relation->oid);
  show_phase(c, analyzing::kSamplingInherited);
  Sample sample(c, relation->oid);
  INDIGO_TRY(read_tree(c, *relation, tree, sample));
  show_phase(c, analyzing::kComputing);
  INDIGO_TRY(store_sample(c, relation, columns, sample, true));
  if (relation->is_partitioned()) {
    INDIGO_TRY(gather_extended_statistics(c, relation, columns, sample.seen()));
    INDIGO_TRY(set_partitioned_size(c, relation, static_cast<float>(sample.seen())));
  }
  c.catalog.changed({relation->oid});
  return {};
}

}  // namespace indigo::engine::ddl
