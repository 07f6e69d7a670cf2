// What ANALYZE has found out of several columns and expressions together (CREATE STATISTICS; pg_statistic_ext and
// pg_statistic_ext_data), and the bytes that it is kept in.
//
// Attributes are named as PostgreSQL's pg_ndistinct does: a column by its number, the n-th expression by -n.
// Thread safety: values; immutable once a descriptor has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/descriptor/relation_info.h"
#include "types/value/datum.h"

namespace indigo::catalog {

// pg_ndistinct: the number of different combinations of these attributes. pg_dependencies: the part of the rows (0 to 1) where the
// last of them follows from the others.
struct AttributeCombination {
  std::vector<int16_t> attributes;
  double value = 0;
};

// pg_mcv_list: the most common combinations of all attributes, the most common first.
struct CommonCombinations {
  std::vector<std::vector<OwnedDatum>> values;  // by attribute, then by combination
  std::vector<double> frequencies;              // of all rows
  std::vector<double> base_frequencies;  // what they would be if the attributes had nothing to do with each other
};

struct ExtendedStatistics {
  std::vector<int16_t> columns;          // ascending
  std::vector<std::string> expressions;  // as trees (sql/stored/stored_tree.h)
  // What ANALYZE has found; empty: nothing yet, or it was not asked for.
  std::vector<AttributeCombination> distinct, dependencies;
  CommonCombinations common;
  std::vector<ColumnStatistics> expression_statistics;

  size_t attribute_count() const { return columns.size() + expressions.size(); }
  int16_t attribute(size_t i) const {
    return i < columns.size() ? columns[i] : static_cast<int16_t>(-static_cast<int>(i - columns.size()) - 1);
  }
};

// The text that PostgreSQL prints, which is also what is kept: {"1, 2": 33}, {"1 => 2": 0.500000}.
std::string write_distinct(const std::vector<AttributeCombination>& all);
std::string write_dependencies(const std::vector<AttributeCombination>& all);
std::vector<AttributeCombination> read_combinations(std::string_view text);

// An attribute's type and the values that it has in each combination.
struct CommonAttribute {
  Oid type = kInvalidOid;
  Phys phys = Phys::kStr;
  std::vector<Datum> values;
};
// For each attribute its values as an array's image with their length (4 bytes) before it, then the frequencies and the base
// frequencies (8 bytes each) to the end; the number of attributes (4 bytes) before all. Unaligned.
std::string write_common(const std::vector<CommonAttribute>& attributes, const std::vector<double>& frequencies,
                         const std::vector<double>& base_frequencies);
// The types of the attributes are `types`, if it is not null. Nothing where the bytes are not of this form.
CommonCombinations read_common(Str image, std::vector<Oid>* types = nullptr);

}  // namespace indigo::catalog
