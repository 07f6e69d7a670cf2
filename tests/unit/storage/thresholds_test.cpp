// What each threshold of a table does (storage/thresholds.h). That none of them changes a result is model_test's.
#include "storage/thresholds.h"

#include <random>

#include <gtest/gtest.h>

#include "storage/clone.h"
#include "storage/durability.h"
#include "storage/statistics.h"
#include "storage/table_options.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

constexpr uint32_t kLeaf = 4096;
constexpr size_t kUsable = kLeaf - Leaf::kHeaderBytes;

TableOptions leaves_of(uint32_t bytes, LeafThresholds thresholds = {}) { return {bytes, thresholds}; }

class ThresholdsTest : public StoreFixture {
 protected:
  ThresholdsTest() : StoreFixture(leaves_of(kLeaf)) {}

  void make(LeafThresholds thresholds) { table = store->create_table(leaves_of(kLeaf, thresholds)); }
  const Tree& tree() { return static_cast<TableImpl&>(*table).tree(); }
  // Percent of each leaf that is in use, from left to right.
  std::vector<size_t> fills() {
    std::vector<size_t> out;
    tree().for_each_leaf([&](Leaf* leaf) { out.push_back(leaf->used_bytes() * 100 / kUsable); });
    return out;
  }
  void load(int n, const std::function<std::string(int)>& key, size_t row_bytes = 100) {
    auto t = begin();
    for (int i = 0; i < n; i++) ASSERT_EQ(insert(*t, key(i), std::string(row_bytes, 'x')), StorageStatus::kOk);
    commit(*t);
  }
  void expect_fills(size_t percent) {
    auto found = fills();
    ASSERT_GT(found.size(), 5u);
    found.pop_back();  // it is still being filled
    for (const size_t f : found) {
      EXPECT_LE(f, percent + 3);  // one record more or less
      EXPECT_GE(f + 4, percent);
    }
  }
  void settle() {
    for (int i = 0; i < 10; i++) store->reclaim();
  }
  // Leaves that remain when nine rows of ten are gone.
  uint64_t leaves_after_erasing() {
    load(2000, key_of);
    auto t = begin();
    for (int i = 0; i < 2000; i++) {
      if (i % 10 != 0) {
        EXPECT_EQ(erase(*t, key_of(i)), StorageStatus::kOk);
      }
    }
    commit(*t);
    settle();
    EXPECT_EQ(tree().check(), "");
    return tree().leaf_count();
  }
};

TEST_F(ThresholdsTest, AscendingInsertsLeaveEachLeafAsFullAsItShouldBe) {
  for (const uint8_t percent : {10, 30, 50, 70, 90, 100}) {
    make({.fill_percent = percent});
    load(1500, key_of);
    expect_fills(percent);
    EXPECT_LE(fills().back(), percent + 3u);
  }
}

TEST_F(ThresholdsTest, SoDoesASplitAtTheEndOfALeafInTheMiddle) {
  load(500, key_of);
  std::vector<std::string> lasts;
  tree().for_each_leaf([&](Leaf* leaf) { lasts.push_back(leaf->key(leaf->status().count - 1)); });
  ASSERT_GE(fills()[3], 95u);
  table->set_thresholds({.fill_percent = 70});
  put(lasts[3] + "x", std::string(100, 'x'));
  const auto found = fills();
  EXPECT_EQ(found.size(), lasts.size() + 1);
  EXPECT_NEAR(static_cast<double>(found[3]), 70, 4);
  EXPECT_NEAR(static_cast<double>(found[4]), 30, 5);
}

TEST_F(ThresholdsTest, LargeRowsAndALowFillAgree) {
  make({.fill_percent = 10});
  load(50, key_of, 500);
  EXPECT_EQ(tree().leaf_count(), 50u);
  EXPECT_EQ(committed().size(), 50u);
}

TEST_F(ThresholdsTest, ALivingTableTakesAnotherFill) {
  load(500, key_of);
  const size_t before = fills().size();
  table->set_thresholds({.fill_percent = 50});
  load(500, [](int i) { return key_of(i + 500); });
  const auto found = fills();
  for (size_t i = 0; i < found.size() - 1; i++) {
    EXPECT_GE(found[i], i < before - 1 ? 94u : 0u);
    EXPECT_LE(found[i], i > before ? 53u : 100u);
  }
}

TEST_F(ThresholdsTest, NeighboursAreMergedAsFarAsTheyMay) {
  make({.merge_percent = 0});
  const uint64_t never = leaves_after_erasing();
  make({.merge_percent = 25});
  const uint64_t little = leaves_after_erasing();
  make({.merge_percent = 90});
  const uint64_t most = leaves_after_erasing();
  EXPECT_GT(never, 60u);
  EXPECT_LT(little, never / 2 + 2);
  EXPECT_LT(most, little / 2 + 2);
}

TEST_F(ThresholdsTest, MergesDoNotFillLeavesAboveTheirFill) {
  make({.fill_percent = 20, .merge_percent = 90});
  load(500, key_of);
  const uint64_t before = tree().leaf_count();
  auto reader = begin(Isolation::kRepeatableRead);  // its versions make the leaves be looked at
  for (int i = 0; i < 500; i++) put(key_of(i), std::string(100, 'y'));
  reader.reset();
  settle();
  EXPECT_EQ(tree().leaf_count(), before);
}

// Rows that grow leave dead bytes behind in a full leaf.
TEST_F(ThresholdsTest, DeadBytesDecideBetweenCompactionAndSplit) {
  uint64_t splits[2];
  for (const uint8_t percent : {0, 100}) {
    make({.dead_percent = percent});
    load(300, key_of, 20);
    const uint64_t before = tree().split_count();
    std::mt19937 random(5);
    for (int i = 0; i < 3000; i++) put(key_of(static_cast<int>(random() % 300)), std::string(20 + random() % 30, 'y'));
    splits[percent / 100] = tree().split_count() - before;
  }
  EXPECT_LT(splits[0] * 3, splits[1] * 2);
}

TEST_F(ThresholdsTest, LargerRowsLieOutsideOfTheLeaf) {
  const auto outside = [this] { return statistics_of(*store).bytes_of(MemoryKind::kLargeRows); };
  const auto added = [&](Bytes key, size_t row_bytes) {
    const int64_t before = outside();
    put(key, std::string(row_bytes, 'r'));
    return outside() - before;
  };
  EXPECT_EQ(added("a", kLeaf / 8), 0);
  EXPECT_GT(added("b", kLeaf / 8 + 1), 0);
  table->set_thresholds({.inline_bytes = 128});
  EXPECT_EQ(added("c", 128), 0);
  EXPECT_GT(added("d", 129), 0);
  EXPECT_GT(added("a", kLeaf / 8), 0);  // an update decides again
  table->set_thresholds({.inline_bytes = LeafThresholds::kInline.most});
  EXPECT_EQ(added("e", kLeaf / 6 - 96), 0);
  EXPECT_GT(added("f", kLeaf / 6), 0);
  const int64_t before = outside();
  put("b", std::string(500, 'r'));
  settle();
  EXPECT_LT(outside(), before);
  EXPECT_EQ(committed().size(), 6u);
}

// Rows as large as may lie within a leaf, with keys as long as may be: what the bound of inline_bytes promises.
TEST_F(ThresholdsTest, TheLargestRowsAndKeysFindRoom) {
  make({.inline_bytes = LeafThresholds::kInline.most});
  std::mt19937 random(9);
  Rows model;
  const auto key = [&] { return std::string(kLeaf / 6 - 2, 'k') + static_cast<char>('a' + random() % 26) + "z"; };
  for (int i = 0; i < 2000; i++) {
    const std::string k = key(), row(kLeaf / 6 - 96 - random() % 3, static_cast<char>('a' + random() % 26));
    if (random() % 3 == 0 && model.contains(k)) {
      remove(k);
      model.erase(k);
    } else {
      put(k, row);
      model[k] = row;
    }
  }
  EXPECT_EQ(committed(), model);
  settle();
  EXPECT_EQ(tree().check(), "");
}

TEST_F(ThresholdsTest, ClonesInheritThem) {
  make({.fill_percent = 40, .merge_percent = 7, .dead_percent = 3, .inline_bytes = 200});
  std::shared_ptr<Table> clone;
  ASSERT_EQ(
      clone_tables(*store, [&](Cloner& cloner) { clone = cloner.clone(*table, {}, [](IndexId id) { return id; }); }),
      StorageStatus::kOk);
  table = clone;
  const LeafThresholds t = tree().thresholds();
  EXPECT_EQ(t.fill_percent, 40);
  EXPECT_EQ(t.merge_percent, 7);
  EXPECT_EQ(t.dead_percent, 3);
  EXPECT_EQ(t.inline_bytes, 200u);
  load(500, key_of);
  expect_fills(40);
}

TEST_F(ThresholdsTest, AnIndexIsFilledAsItShouldBe) {
  // Bytes of an index on 5,000 ascending keys: built at once, or row by row.
  const auto bytes = [&](uint8_t percent, bool at_once) {
    make({});
    IndexOptions options;
    options.fill_percent = percent;
    const auto load_rows = [&] {
      auto t = begin();
      for (int i = 0; i < 5000; i++) EXPECT_EQ(insert(*t, key_of(i), "s" + key_of(i) + ":row"), StorageStatus::kOk);
      commit(*t);
    };
    if (at_once) load_rows();
    auto t = begin();
    EXPECT_EQ(table->create_index(*t, IndexId(77), options, std::make_shared<ColonExtractor>(), nullptr),
              StorageStatus::kOk);
    commit(*t);
    if (!at_once) load_rows();
    const auto& index = *static_cast<TableImpl&>(*table).indexes()->front()->index;
    EXPECT_EQ(index.check(), "");
    EXPECT_EQ(index.entry_count(), 5000u);
    return static_cast<double>(index.memory_bytes());
  };
  for (const bool at_once : {true, false}) {
    const double full = bytes(100, at_once);
    EXPECT_NEAR(bytes(50, at_once) / full, 2.0, 0.15);
    EXPECT_NEAR(bytes(70, at_once) / full, 1 / 0.7, 0.1);
    EXPECT_GT(bytes(10, at_once) / full, 7.0);
  }
}

TEST(Thresholds, OnesLeftOutAreTheDefaults) {
  const LeafThresholds t;
  EXPECT_EQ(t.largest_inline(16384), 2048u);
  EXPECT_EQ(t.small_bytes(16384), 6553u);
  EXPECT_EQ(t.emptied_bytes(16384), 4095u);
  EXPECT_EQ((LeafThresholds{.inline_bytes = 8160}).largest_inline(131072), 8160u);
  EXPECT_EQ((LeafThresholds{.inline_bytes = 8160}).largest_inline(4096), 586u);
}

}  // namespace
}  // namespace indigo::storage
