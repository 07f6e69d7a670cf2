#include "engine/ddl/analyze/multivariate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "base/fiber/long_sort.h"
#include "base/fiber/long_work.h"
#include "engine/ddl/analyze/column_statistics.h"

namespace indigo::engine::ddl {

namespace {

constexpr uint64_t kUnitsOfRow = 30;  // note_work

// Rows with equal values, by number.
struct Groups {
  std::vector<uint32_t> of_row;
  uint32_t count = 0;
};

Groups refined(const Groups& by, const AttributeRanks& ranks) {
  Groups out;
  out.of_row.resize(ranks.size());
  std::unordered_map<uint64_t, uint32_t> numbers;
  numbers.reserve(by.count);
  for (size_t i = 0; i < ranks.size(); i++) {
    note_work(kUnitsOfRow);
    const auto [at, fresh] = numbers.try_emplace(uint64_t{by.of_row[i]} << 32 | ranks[i], out.count);
    out.count += fresh ? 1 : 0;
    out.of_row[i] = at->second;
  }
  return out;
}

Groups one_group(size_t rows) { return {std::vector<uint32_t>(rows, 0), rows == 0 ? 0U : 1U}; }

std::vector<uint32_t> sizes_of(const Groups& groups) {
  std::vector<uint32_t> out(groups.count);
  for (const uint32_t g : groups.of_row) out[g]++;
  return out;
}

// Visits each set of `size` attributes in order, with its groups.
template <typename Visit>
void for_each_set(const std::vector<AttributeRanks>& sample, size_t size, const Groups& groups,
                  std::vector<size_t>& chosen, const Visit& visit) {
  if (chosen.size() == size) return visit(chosen, groups);
  for (size_t i = chosen.empty() ? 0 : chosen.back() + 1; i < sample.size(); i++) {
    const Groups finer = refined(groups, sample[i]);
    chosen.push_back(i);
    for_each_set(sample, size, finer, chosen, visit);
    chosen.pop_back();
  }
}

template <typename Visit>
void for_each_set(const std::vector<AttributeRanks>& sample, size_t size, const Visit& visit) {
  std::vector<size_t> chosen;
  for_each_set(sample, size, one_group(sample[0].size()), chosen, visit);
}

// The part of the rows whose group has one value of the attribute.
double degree(const Groups& groups, const AttributeRanks& ranks) {
  constexpr uint64_t kNone = UINT64_MAX, kSeveral = UINT64_MAX - 1;
  std::vector<uint64_t> value(groups.count, kNone);
  for (size_t i = 0; i < ranks.size(); i++) {
    uint64_t& v = value[groups.of_row[i]];
    if (v == kNone) {
      v = ranks[i];
    } else if (v != ranks[i]) {
      v = kSeveral;
    }
  }
  size_t supporting = 0;
  for (const uint32_t g : groups.of_row) supporting += value[g] != kSeveral ? 1 : 0;
  note_work(kUnitsOfRow * ranks.size());
  return static_cast<double>(supporting) / static_cast<double>(ranks.size());
}

// Fewer of a sample's rows say nothing: the estimate's relative error would be more than a fifth.
double least_count(double sampled, double total) {
  const double denominator = total - sampled + 0.04 * sampled * (total - 1);
  return denominator == 0 ? 0 : sampled * (total - sampled) / denominator;
}

}  // namespace

std::vector<AttributeFigure> distinct_combinations(const std::vector<AttributeRanks>& sample, double total_rows) {
  std::vector<AttributeFigure> out;
  const auto rows = static_cast<double>(sample[0].size());
  for (size_t size = 2; size <= sample.size(); size++) {
    for_each_set(sample, size, [&](const std::vector<size_t>& chosen, const Groups& groups) {
      double once = 0;
      for (const uint32_t n : sizes_of(groups)) once += n == 1 ? 1 : 0;
      const double estimate = estimated_distinct(rows, groups.count, once, std::max(total_rows, rows));
      out.push_back({chosen, std::floor(estimate + 0.5)});
    });
  }
  return out;
}

std::vector<AttributeFigure> functional_dependencies(const std::vector<AttributeRanks>& sample) {
  std::vector<AttributeFigure> out;
  for (size_t size = 1; size < sample.size(); size++) {
    for_each_set(sample, size, [&](const std::vector<size_t>& chosen, const Groups& groups) {
      for (size_t last = 0; last < sample.size(); last++) {
        if (std::find(chosen.begin(), chosen.end(), last) != chosen.end()) continue;
        const double d = degree(groups, sample[last]);
        if (d == 0) continue;
        AttributeFigure& figure = out.emplace_back(AttributeFigure{chosen, d});
        figure.attributes.push_back(last);
      }
    });
  }
  return out;
}

std::vector<CommonCombination> common_combinations(const std::vector<AttributeRanks>& sample, double total_rows,
                                                   size_t target) {
  const size_t rows = sample[0].size();
  Groups groups = one_group(rows);
  std::vector<std::vector<uint32_t>> value_counts;
  for (const AttributeRanks& ranks : sample) {
    groups = refined(groups, ranks);
    std::vector<uint32_t>& counts = value_counts.emplace_back();
    counts.resize(ranks.empty() ? 0 : *std::max_element(ranks.begin(), ranks.end()) + 1);
    for (const uint32_t r : ranks) counts[r]++;
  }
  const std::vector<uint32_t> sizes = sizes_of(groups);
  std::vector<size_t> first(groups.count, rows);
  for (size_t i = 0; i < rows; i++) first[groups.of_row[i]] = std::min(first[groups.of_row[i]], i);
  std::vector<size_t> order(groups.count);
  std::iota(order.begin(), order.end(), size_t{0});
  long_sort(order.begin(), order.end(), kUnitsOfRow, [&](size_t a, size_t b) {
    if (sizes[a] != sizes[b]) return sizes[a] > sizes[b];
    for (const AttributeRanks& ranks : sample) {
      // Null, 0, comes last.
      if (ranks[first[a]] != ranks[first[b]]) return ranks[first[a]] - 1 < ranks[first[b]] - 1;
    }
    return false;
  });

  std::vector<CommonCombination> out;
  const double least = least_count(static_cast<double>(rows), total_rows);
  for (size_t i = 0; i < order.size() && out.size() < target; i++) {
    const double count = sizes[order[i]];
    if (count < least) break;
    double base = 1;
    for (size_t a = 0; a < sample.size(); a++)
      base *= value_counts[a][sample[a][first[order[i]]]] / static_cast<double>(rows);
    out.push_back({first[order[i]], count / static_cast<double>(rows), base});
  }
  return out;
}

}  // namespace indigo::engine::ddl
