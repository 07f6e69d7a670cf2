// What a sample says of several attributes together: how many combinations there are, which attribute follows from which, and
// which combinations are common.
// Source: PostgreSQL's documentation, "Extended Statistics"; its rules for what is counted, so that estimates agree.
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace indigo::engine::ddl {

// One attribute of each sampled row: the number of its value, in the values' order; the same for equal ones. All attributes have
// the same rows.
using AttributeRanks = std::vector<uint32_t>;

struct AttributeFigure {
  std::vector<size_t> attributes;
  double value = 0;
};
// For each two or more attributes the number of different combinations among `total_rows` rows.
std::vector<AttributeFigure> distinct_combinations(const std::vector<AttributeRanks>& sample, double total_rows);
// The part of the rows where the last attribute follows from the others; those where it never does are left out.
std::vector<AttributeFigure> functional_dependencies(const std::vector<AttributeRanks>& sample);

struct CommonCombination {
  size_t row;  // one of the sample that has it
  double frequency, base_frequency;
};
// At most `target`, the most frequent first; those that a sample is too small to tell of are left out.
std::vector<CommonCombination> common_combinations(const std::vector<AttributeRanks>& sample, double total_rows,
                                                   size_t target);

}  // namespace indigo::engine::ddl
