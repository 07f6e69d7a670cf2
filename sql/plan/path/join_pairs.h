// Which sets of relations to join with which, so that every plan without products is found: DPccp (Moerkotte and Neumann,
// "Analysis of Two Existing and One New Dynamic Programming Algorithm", VLDB 2006).
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace indigo::sql::planning {

struct JoinPairs {
  std::vector<std::pair<uint64_t, uint64_t>> pairs;
  bool complete = true;  // false: there are more than the limit
};

// Pairs of disjoint, connected sets with an edge between them, each once, those that make a set before those that use it.
// `neighbours`: by relation, at most 64.
JoinPairs connected_pairs(const std::vector<uint64_t>& neighbours, size_t limit);

}  // namespace indigo::sql::planning
