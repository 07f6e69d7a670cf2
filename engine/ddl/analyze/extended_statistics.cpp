#include "engine/ddl/analyze/extended_statistics.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/fiber/long_sort.h"
#include "catalog/descriptor/extended_statistics.h"
#include "catalog/tables/system_indexes.h"
#include "engine/ddl/analyze/column_statistics.h"
#include "engine/ddl/analyze/multivariate.h"
#include "engine/ddl/expression.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "engine/row_sink.h"
#include "engine/session/progress.h"
#include "types/builtin/function_text.h"
#include "types/io/record.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_statistic_ext = catalog::pg_statistic_ext;
namespace pg_statistic_ext_data = catalog::pg_statistic_ext_data;

constexpr uint64_t kUnitsOfComparison = 30;  // note_work

struct Wanted {
  Oid oid = kInvalidOid, schema = kInvalidOid;
  std::string name;
  int32_t target = -1;
  std::vector<int16_t> columns;
  std::vector<std::string> expressions;
  std::string kinds;
  bool has(char kind) const { return kinds.find(kind) != std::string::npos; }
};

std::vector<Wanted> wanted_of(DdlContext& c, Oid relation) {
  std::vector<Wanted> out;
  table(c, pg_statistic_ext::kOid)
      .scan_index(c.txn, catalog::system_index::kStatisticsTable, {Datum::of_oid(relation)}, [&](RowReader row) {
        Wanted& w = out.emplace_back();
        w.oid = row.oid(pg_statistic_ext::c_oid);
        w.schema = row.oid(pg_statistic_ext::c_stxnamespace);
        w.name = row.str(pg_statistic_ext::c_stxname);
        w.target = row.i32(pg_statistic_ext::c_stxstattarget);
        w.columns = read_i16s(row.str(pg_statistic_ext::c_stxkeys));
        w.expressions = types::split_default_texts(row.str(pg_statistic_ext::c_stxexprs));
        for (const std::string& kind : read_texts(row.str(pg_statistic_ext::c_stxkind))) w.kinds += kind;
        return true;
      });
  return out;
}

// ALTER COLUMN ... SET STATISTICS; -1: the default.
int32_t column_target(DdlContext& c, Oid relation, int16_t column) {
  const SystemTable& attributes = table(c, pg_attribute::kOid);
  std::string image;
  if (!attributes.find(c.txn, {Datum::of_oid(relation), Datum::of(column)}, image)) return -1;
  return attributes.reader(image).i32(pg_attribute::c_attstattarget);
}

// Its own, or the largest of its columns'.
size_t target_of(DdlContext& c, const Wanted& wanted, Oid relation) {
  int32_t target = wanted.target;
  if (target < 0) {
    for (const int16_t column : wanted.columns) target = std::max(target, column_target(c, relation, column));
  }
  return target < 0 ? kStatisticsTarget : static_cast<size_t>(target);
}

// The values of each attribute in each row of a sample.
struct AttributeSample {
  struct Attribute {
    TypeRef type;
    Phys phys = Phys::kStr;
    std::vector<OwnedDatum> values;
  };
  std::vector<Attribute> attributes;
  size_t rows() const { return attributes.empty() ? 0 : attributes[0].values.size(); }
};

Result<AttributeSample> read_sample(DdlContext& c, const RelationPtr& relation, const Wanted& wanted, uint64_t rows) {
  std::string list;
  for (const int16_t column : wanted.columns) {
    list += list.empty() ? "" : ", ";
    list += types::quote_identifier(relation->columns[static_cast<size_t>(column) - 1].name);
  }
  for (const std::string& tree : wanted.expressions) {
    INDIGO_ASSIGN(const std::string text, expression_text(c, tree, relation));
    list += (list.empty() ? "(" : ", (") + text + ")";
  }
  std::string sql = "SELECT " + list + (relation->is_partitioned() ? " FROM " : " FROM ONLY ") + qualified(*relation);
  // A little more than is wanted, for the number that comes varies.
  const double part = 1.1 * static_cast<double>(kSampleRows) / std::max<double>(1, static_cast<double>(rows));
  if (part < 1) sql += fmt::format(" TABLESAMPLE BERNOULLI ({}) REPEATABLE ({})", part * 100, wanted.oid);

  AttributeSample out;
  out.attributes.resize(wanted.columns.size() + wanted.expressions.size());
  const auto owner = wanted.expressions.empty() ? nullptr : c.host.act_as(relation->owner);
  INDIGO_TRY(c.host.run_query(sql, [&](const ResultShape& shape, const Chunk& chunk) -> Status {
    std::vector<Datum> row(out.attributes.size());
    for (size_t i = 0; i < row.size(); i++) {
      out.attributes[i].type = shape.columns[i].type;
      out.attributes[i].phys = chunk.columns[i].phys();
    }
    for (uint32_t k = 0; k < chunk.rows(); k++) {
      bool wide = false;
      for (size_t i = 0; i < row.size(); i++) {
        row[i] = chunk.columns[i].datum(chunk.selection[k]);
        wide |= !row[i].null && row[i].phys == Phys::kStr && row[i].str.size() > kWideBytes;
      }
      if (wide) continue;
      for (size_t i = 0; i < row.size(); i++) out.attributes[i].values.emplace_back(row[i]);
    }
    return {};
  }));
  return out;
}

// Null is a value of its own, 0.
AttributeRanks ranks_of(DdlContext& c, const AttributeSample::Attribute& a) {
  AttributeRanks out(a.values.size(), 0);
  const types::TypeOrder* order = types::type_order(a.type.oid);
  if (order == nullptr || order->compare == nullptr) return out;
  const types::Collator* collator = c.catalog.collator(a.type.collation);
  std::vector<uint32_t> rows;
  for (size_t i = 0; i < a.values.size(); i++) {
    if (!a.values[i].get().null) rows.push_back(static_cast<uint32_t>(i));
  }
  const auto compare = [&](uint32_t x, uint32_t y) {
    return order->compare(a.values[x].get(), a.values[y].get(), collator);
  };
  long_sort(rows.begin(), rows.end(), kUnitsOfComparison, [&](uint32_t x, uint32_t y) { return compare(x, y) < 0; });
  uint32_t rank = 0;
  for (size_t i = 0; i < rows.size(); i++) {
    if (i == 0 || compare(rows[i - 1], rows[i]) != 0) rank++;
    out[rows[i]] = rank;
  }
  return out;
}

std::vector<catalog::AttributeCombination> named(const Wanted& wanted, const std::vector<AttributeFigure>& figures) {
  std::vector<catalog::AttributeCombination> out;
  for (const AttributeFigure& f : figures) {
    catalog::AttributeCombination& combination = out.emplace_back();
    combination.value = f.value;
    for (const size_t i : f.attributes) {
      const size_t columns = wanted.columns.size();
      combination.attributes.push_back(
          i < columns ? wanted.columns[i] : static_cast<int16_t>(static_cast<int>(columns) - 1 - static_cast<int>(i)));
    }
  }
  return out;
}

std::string common_image(const AttributeSample& sample, const std::vector<CommonCombination>& common) {
  std::vector<catalog::CommonAttribute> attributes;
  for (const AttributeSample::Attribute& a : sample.attributes) {
    catalog::CommonAttribute& out = attributes.emplace_back();
    out.type = a.type.oid;
    out.phys = a.phys;
    for (const CommonCombination& combination : common) out.values.push_back(a.values[combination.row].get());
  }
  std::vector<double> frequencies, base;
  for (const CommonCombination& combination : common) {
    frequencies.push_back(combination.frequency);
    base.push_back(combination.base_frequency);
  }
  return catalog::write_common(attributes, frequencies, base);
}

// An array of rows of pg_statistic, one for each expression.
std::string expression_image(DdlContext& c, const AttributeSample& sample, size_t columns, double rows) {
  const SystemTable& t = table(c, pg_statistic::kOid);
  const catalog::StaticTable& definition = t.definition();
  const RelationPtr statistics = c.catalog.relation(pg_statistic::kOid);
  std::vector<TypeRef> types;
  for (const ColumnInfo& column : statistics->columns) types.push_back(column.type);
  std::vector<std::string> images;
  for (size_t i = columns; i < sample.attributes.size(); i++) {
    const AttributeSample::Attribute& a = sample.attributes[i];
    std::vector<Datum> values;
    size_t nulls = 0;
    for (const OwnedDatum& d : a.values) {
      if (d.get().null) {
        nulls++;
      } else {
        values.push_back(d.get());
      }
    }
    const ColumnFigures figures = column_figures(values, nulls, a.values.size(), rows, types::type_order(a.type.oid),
                                                 c.catalog.collator(a.type.collation));
    RowValues row(definition);
    row.oid(pg_statistic::c_starelid, kInvalidOid)
        .i16(pg_statistic::c_staattnum, 0)
        .flag(pg_statistic::c_stainherit, false);
    fill_statistics(c, a.type, a.phys, figures, row);
    images.push_back(types::make_record(statistics->row_type, types, row.datums()));
  }
  std::vector<Datum> elements;
  for (const std::string& image : images) elements.push_back(Datum::of(Str(image)));
  return make_array(statistics->row_type, Phys::kStr, elements);
}

Status gather(DdlContext& c, const RelationPtr& relation, const Wanted& wanted, uint64_t rows) {
  const size_t target = target_of(c, wanted, relation->oid);
  if (target == 0) return {};
  INDIGO_ASSIGN(const AttributeSample sample, read_sample(c, relation, wanted, rows));
  if (sample.rows() == 0) return {};
  const auto total = static_cast<double>(std::max<uint64_t>(rows, sample.rows()));
  SystemTable& t = table(c, pg_statistic_ext_data::kOid);
  const bool inherited = relation->is_partitioned();
  RowValues row(t.definition());
  row.oid(pg_statistic_ext_data::c_stxoid, wanted.oid).flag(pg_statistic_ext_data::c_stxdinherit, inherited);
  if (wanted.has('d') || wanted.has('f') || wanted.has('m')) {
    std::vector<AttributeRanks> ranks;
    for (const AttributeSample::Attribute& a : sample.attributes) ranks.push_back(ranks_of(c, a));
    if (wanted.has('d'))
      row.str(pg_statistic_ext_data::c_stxdndistinct,
              catalog::write_distinct(named(wanted, distinct_combinations(ranks, total))));
    if (wanted.has('f')) {
      if (const auto found = functional_dependencies(ranks); !found.empty())
        row.str(pg_statistic_ext_data::c_stxddependencies, catalog::write_dependencies(named(wanted, found)));
    }
    if (wanted.has('m')) {
      if (const auto common = common_combinations(ranks, total, target); !common.empty())
        row.str(pg_statistic_ext_data::c_stxdmcv, common_image(sample, common));
    }
  }
  if (wanted.has('e'))
    row.str(pg_statistic_ext_data::c_stxdexpr, expression_image(c, sample, wanted.columns.size(), total));
  std::string image;
  const bool exists = t.find(c.txn, {Datum::of_oid(wanted.oid), Datum::of(inherited)}, image);
  return check(exists ? t.update(c.txn, row) : t.insert(c.txn, row));
}

}  // namespace

Status gather_extended_statistics(DdlContext& c, const RelationPtr& relation, std::span<const int16_t> columns,
                                  uint64_t rows) {
  if (relation->extended_statistics == nullptr || rows == 0) return {};
  const auto all = wanted_of(c, relation->oid);
  Progress* const shown = running(c.host.progress(), ProgressCommand::kAnalyze);
  if (shown != nullptr && !all.empty()) {
    shown->set(progress::analyze::kPhase, progress::analyze::kComputingExtended);
    shown->set(progress::analyze::kExtendedTotal, static_cast<int64_t>(all.size()));
  }
  for (const Wanted& wanted : all) {
    // Columns are left out by ANALYZE's list, or by SET STATISTICS 0.
    const bool whole = std::all_of(wanted.columns.begin(), wanted.columns.end(), [&](int16_t n) {
      const bool listed = columns.empty() || std::find(columns.begin(), columns.end(), n) != columns.end();
      return listed && column_target(c, relation->oid, n) != 0;
    });
    if (!whole) {
      c.host.notice(
          Severity::kWarning,
          Error(sqlstate::kInvalidObjectDefinition,
                "statistics object \"" + std::string(c.catalog.schema_name(wanted.schema)) + "." + wanted.name +
                    "\" could not be computed for relation \"" + relation->schema_name + "." + relation->name + "\""));
      continue;
    }
    INDIGO_TRY(gather(c, relation, wanted, rows));
    if (shown != nullptr) shown->add(progress::analyze::kExtendedDone, 1);
  }
  return {};
}

Status forget_gathered(DdlContext& c, Oid statistics) {
  SystemTable& t = table(c, pg_statistic_ext_data::kOid);
  std::string image;
  for (const bool inherited : {false, true}) {
    if (!t.find(c.txn, {Datum::of_oid(statistics), Datum::of(inherited)}, image)) continue;
    INDIGO_TRY(check(t.erase(c.txn, {Datum::of_oid(statistics), Datum::of(inherited)})));
  }
  return {};
}

}  // namespace indigo::engine::ddl
