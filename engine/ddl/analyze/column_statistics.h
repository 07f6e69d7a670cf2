// What a sample says of one column or expression: a row of pg_statistic.
// Source: PostgreSQL's documentation of pg_statistic; the estimate of distinct values is Haas and Stokes' Duj1.
// Thread safety: pure functions.
#pragma once

#include <vector>

#include "catalog/tables/system_table.h"
#include "engine/ddl/ddl.h"
#include "types/function/registry.h"
#include "types/value/collator.h"

namespace indigo::engine::ddl {

inline constexpr size_t kSampleRows = 30000;
inline constexpr size_t kWideBytes = 1024;        // wider values say little and cost much
inline constexpr size_t kStatisticsTarget = 100;  // most common values, histogram bounds - 1

struct ColumnFigures {
  float null_fraction = 0;
  float distinct = 0;         // as stadistinct: negative is a multiple of the row count
  int32_t width = 0;          // bytes, on average
  std::vector<Datum> common;  // borrow from the sample
  std::vector<float> frequencies;
  std::vector<Datum> histogram;
};

// The number of different values among `total_rows` rows, of which `sampled` have been seen with `distinct` values, `once` of
// these a single time.
double estimated_distinct(double sampled, double distinct, double once, double total_rows);
// `values` are those that are not null of `sampled` rows; they are sorted on the way. Without an order there is only their width.
ColumnFigures column_figures(std::vector<Datum>& values, size_t nulls, size_t sampled, double total_rows,
                             const types::TypeOrder* order, const types::Collator* collator);
// The columns of pg_statistic that say it: all but starelid, staattnum and stainherit.
void fill_statistics(DdlContext& c, const types::TypeRef& type, Phys phys, const ColumnFigures& figures,
                     catalog::RowValues& row);

}  // namespace indigo::engine::ddl
