// Bounds to partitions: where a key belongs, and which partitions an interval of keys leaves, against a plain search.
#include "sql/partition/partition_map.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sql/analyze/make.h"
#include "sql/partition/prune.h"
#include "tests/unit/sql/analyze_harness.h"
#include "types/oids.h"

namespace indigo::sql::partition {
namespace {

std::shared_ptr<catalog::RelationInfo> table_by_int(char strategy) {
  auto r = std::make_shared<catalog::RelationInfo>();
  r->kind = catalog::RelationKind::kPartitionedTable;
  auto key = std::make_shared<catalog::PartitionKey>();
  key->strategy = strategy;
  catalog::PartitionKeyColumn column;
  column.column = 1;
  column.type.oid = oid::kInt4;
  key->columns.push_back(column);
  types::KeyColumn k;
  k.type = oid::kInt4;
  k.phys = Phys::kI32;
  k.nullable = false;
  key->layout = types::KeyLayout({k});
  r->partition_key = key;
  r->partition_map = std::make_shared<catalog::DerivedSlot>();
  return r;
}

Bound range(int32_t low, int32_t high) {
  Bound out;
  out.strategy = 'r';
  out.lower.push_back({BoundValue::Kind::kValue, OwnedDatum(Datum::of(low))});
  out.upper.push_back({BoundValue::Kind::kValue, OwnedDatum(Datum::of(high))});
  return out;
}

class PartitionMapTest : public ::testing::Test {
 protected:
  PartitionMapTest() : context(harness.session()) { context.set_arena(&arena); }
  void add(catalog::RelationInfo& r, const Bound& bound) {
    r.children.push_back(static_cast<Oid>(1000 + r.children.size()));
    r.child_bounds.push_back(store_bound(bound));
  }
  testing::Harness harness;
  Arena arena;
  types::FuncContext context;
};

TEST_F(PartitionMapTest, BoundsReadBackAsTheyWereStored) {
  auto r = table_by_int('r');
  Bound bound = range(-5, 7);
  bound.upper[0].kind = BoundValue::Kind::kMax;
  const std::string stored = store_bound(bound);
  auto read = read_bound(context, *r->partition_key, stored);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(bound_text(context, *r->partition_key, *read), "FOR VALUES FROM ('-5') TO (MAXVALUE)");
  EXPECT_EQ(store_bound(*read), stored);
  EXPECT_FALSE(read_bound(context, *r->partition_key, "r =zz").ok());
  EXPECT_FALSE(read_bound(context, *r->partition_key, "l =00").ok());
}

TEST_F(PartitionMapTest, RangesAgreeWithAPlainSearch) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 50; round++) {
    auto r = table_by_int('r');
    std::vector<std::pair<int, int>> ranges;
    int at = -50;
    while (at < 50) {
      const int low = at + static_cast<int>(random() % 4), high = low + 1 + static_cast<int>(random() % 9);
      ranges.emplace_back(low, high);
      at = high;
    }
    std::shuffle(ranges.begin(), ranges.end(), random);
    for (const auto& [low, high] : ranges) add(*r, range(low, high));
    const int rest = static_cast<int>(ranges.size());
    add(*r, Bound());
    auto map = PartitionMap::of(harness.session(), *r);
    ASSERT_TRUE(map.ok());
    const auto expected = [&](int v) {
      for (size_t i = 0; i < ranges.size(); i++) {
        if (ranges[i].first <= v && v < ranges[i].second) return static_cast<int>(i);
      }
      return rest;
    };
    std::string scratch;
    for (int v = -60; v < 70; v++) {
      const Datum d = Datum::of(static_cast<int32_t>(v));
      EXPECT_EQ((*map)->find(context, std::span(&d, 1), scratch), expected(v)) << v;
    }
    // Pruning never leaves out a partition that holds a value of the interval.
    for (int i = 0; i < 100; i++) {
      const int low = static_cast<int>(random() % 120) - 60, high = low + static_cast<int>(random() % 20);
      KeyBounds bounds;
      const TypeRef type{oid::kInt4, -1, kInvalidOid};
      bounds.low = make_const(type, Datum::of(static_cast<int32_t>(low)));
      bounds.high = make_const(type, Datum::of(static_cast<int32_t>(high)));
      bounds.low_inclusive = random() % 2 == 0;
      bounds.high_inclusive = random() % 2 == 0;
      const std::vector<TypeRef> types{type, type};
      const std::vector<Datum> values{Datum::of(static_cast<int32_t>(low)), Datum::of(static_cast<int32_t>(high))};
      auto left = prune(context, **map, bounds, types, values);
      ASSERT_TRUE(left.ok());
      for (int v = bounds.low_inclusive ? low : low + 1; bounds.high_inclusive ? v <= high : v < high; v++) {
        EXPECT_NE(std::find(left->begin(), left->end(), expected(v)), left->end()) << v;
      }
    }
  }
}

TEST_F(PartitionMapTest, OverlapsAreFound) {
  auto r = table_by_int('r');
  add(*r, range(0, 10));
  add(*r, range(20, 30));
  auto map = PartitionMap::of(harness.session(), *r);
  ASSERT_TRUE(map.ok());
  size_t at = 0;
  EXPECT_EQ((*map)->overlapping(range(10, 20), at), -1);
  EXPECT_EQ((*map)->overlapping(range(9, 20), at), 0);
  EXPECT_EQ((*map)->overlapping(range(10, 21), at), 1);
  EXPECT_EQ((*map)->overlapping(range(-5, 50), at), 0);
}

}  // namespace
}  // namespace indigo::sql::partition
