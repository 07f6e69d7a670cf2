// Boxes as cells: whatever overlaps is found, skipping leaves nothing out, and coordinates keep the numbers' order.
#include "types/inverted/cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tests/random_seed.h"

namespace indigo::types {

namespace {

class Cells : public ::testing::TestWithParam<int> {
 protected:
  int dimensions() const { return GetParam(); }

  uint64_t coordinate() {
    const uint64_t greatest = CellBox::greatest(dimensions());
    switch (random_() % 6) {
      case 0: return 0;
      case 1: return greatest;
      case 2: return greatest / 2 + random_() % 5;  // where many widths meet
      default: return (random_() & greatest) >> (random_() % (dimensions() == 1 ? 60 : 28));
    }
  }
  CellBox box() {
    CellBox out;
    out.dimensions = dimensions();
    for (int d = 0; d < dimensions(); d++) {
      out.low[d] = coordinate();
      const uint64_t room = CellBox::greatest(dimensions()) - out.low[d];
      const uint64_t extent = random_() % 3 == 0 ? 0 : random_() >> (random_() % 64);
      out.high[d] = out.low[d] + std::min(room, extent);
    }
    return out;
  }
  static bool overlap(const CellBox& a, const CellBox& b) {
    for (int d = 0; d < a.dimensions; d++) {
      if (a.high[d] < b.low[d] || b.high[d] < a.low[d]) return false;
    }
    return true;
  }
  static std::string key_of(const CellBox& box) {
    std::string key;
    append_cell(box, key);
    return key;
  }
  static bool overlaps(const CellBox& box, const std::string& key) {
    std::string next;
    return CellWalk(box).meet(key, next) == CellWalk::Answer::kOverlaps;
  }

  const uint32_t seed_ = random_seed();
  std::mt19937_64 random_{seed_};
};

TEST_P(Cells, WhatOverlapsIsFound) {
  SCOPED_TRACE(seed_trace(seed_));
  for (int round = 0; round < 20000; round++) {
    const CellBox a = box(), b = box();
    if (!overlap(a, b)) continue;
    const std::string key = key_of(a);
    bool found = false;
    for (const CellRange& range : cells_that_overlap(b, {})) {
      found = found || (range.first <= key && key <= range.last && overlaps(b, key));
    }
    EXPECT_TRUE(found) << round;
  }
}

TEST_P(Cells, RangesAscendAndSkippingLeavesNothingOut) {
  SCOPED_TRACE(seed_trace(seed_));
  for (int round = 0; round < 200; round++) {
    std::set<std::string> keys;
    const CellBox query = box();
    for (int i = 0; i < 200; i++) {
      CellBox b = box();
      for (int d = 0; d < dimensions() && i % 2 == 0; d++) {  // near the query's edge
        b.low[d] = query.high[d] - std::min<uint64_t>(query.high[d], random_() % 20);
        b.high[d] = b.low[d] + std::min<uint64_t>(CellBox::greatest(dimensions()) - b.low[d], random_() % 20);
      }
      keys.insert(key_of(b));
    }
    std::string last;
    for (const CellRange& range : cells_that_overlap(query, {})) {
      EXPECT_LT(last, range.first);
      EXPECT_LE(range.first, range.last);
      last = range.last;
      std::set<std::string> wanted, met;
      std::string next;
      for (const std::string& key : keys) {
        if (key < range.first || key > range.last) continue;
        if (overlaps(query, key)) wanted.insert(key);
      }
      CellWalk walk(query);
      for (auto at = keys.lower_bound(range.first); at != keys.end() && *at <= range.last;) {
        const CellWalk::Answer answer = walk.meet(*at, next);
        if (answer == CellWalk::Answer::kDone) break;
        if (answer == CellWalk::Answer::kSkip) {
          EXPECT_GT(next, *at);
          at = keys.lower_bound(next);
          continue;
        }
        if (answer == CellWalk::Answer::kOverlaps) met.insert(*at);
        ++at;
      }
      EXPECT_EQ(wanted, met) << round;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Cells, ::testing::Values(1, 2, 3));

TEST(CellCoordinates, KeepTheNumbersOrder) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937_64 random(seed);
  constexpr double kInf = std::numeric_limits<double>::infinity();
  std::vector<double> numbers = {0, -0.0, 1, -1, kInf, -kInf, 1e308, -1e308, 1e-308, 0x1p64, -0x1p64, 0.5, 1e-9};
  for (int i = 0; i < 3000; i++) {
    const double magnitude =
        std::ldexp(1 + static_cast<double>(random() % 1000) / 1000, static_cast<int>(random() % 140) - 70);
    numbers.push_back(random() % 2 == 0 ? magnitude : -magnitude);
  }
  std::sort(numbers.begin(), numbers.end());
  for (size_t i = 1; i < numbers.size(); i++) {
    EXPECT_LE(coordinate_of(numbers[i - 1]), coordinate_of(numbers[i])) << numbers[i - 1] << " " << numbers[i];
  }
  EXPECT_EQ(coordinate_of(std::nan("")), ~uint32_t{0});
  EXPECT_LT(coordinate_of(100.0), coordinate_of(100.00001));
}

}  // namespace

}  // namespace indigo::types
