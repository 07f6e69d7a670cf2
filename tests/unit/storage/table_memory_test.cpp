// What a table says it takes is what it takes: through splits, merges, versions, large rows, rollbacks, clones and drops.
#include "storage/memory/table_memory.h"

#include <random>

#include "storage/clone.h"
#include "storage/durability.h"
#include "storage/statistics.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

class TableMemoryTest : public StoreFixture {
 protected:
  TableMemoryTest() : StoreFixture(4096) { static_cast<StoreImpl&>(*store).reclaimer().stop(); }

  TableMemory memory() { return memory_of(*table).value(); }
  void settle() {
    for (int i = 0; i < 20; i++) store->reclaim();
    static_cast<StoreImpl&>(*store).trim();
  }
  // The only table of its store.
  void expect_as_accounted(const std::string& when) {
    settle();
    const StoreStatistics s = statistics_of(*store);
    const TableMemory m = memory();
    EXPECT_EQ(m.leaf_bytes, static_cast<uint64_t>(s.bytes_of(MemoryKind::kLeaves))) << when;
    EXPECT_EQ(m.version_bytes, static_cast<uint64_t>(s.bytes_of(MemoryKind::kVersions))) << when;
    EXPECT_EQ(m.large_row_bytes, static_cast<uint64_t>(s.bytes_of(MemoryKind::kLargeRows))) << when;
    EXPECT_EQ(m.index_bytes(), static_cast<uint64_t>(s.bytes_of(MemoryKind::kIndexes))) << when;
    EXPECT_LE(m.inner_node_bytes, static_cast<uint64_t>(s.bytes_of(MemoryKind::kInnerNodes))) << when;
    EXPECT_EQ(m.leaf_bytes + m.inner_node_bytes + m.version_bytes + m.large_row_bytes + m.index_bytes(),
              table->statistics().bytes)
        << when;
    EXPECT_EQ(static_cast<TableImpl&>(*table).tree().check(), "") << when;
  }
  IndexId make_index() {
    auto t = begin();
    const IndexId id(store->next_id().value);
    EXPECT_EQ(table->create_index(*t, id, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
    commit(*t);
    return id;
  }
  std::shared_ptr<Table> clone(Table& source) {
    std::shared_ptr<Table> out;
    EXPECT_EQ(clone_tables(*store,
                           [&](Cloner& cloner) {
                             out = cloner.clone(source, {}, [&](IndexId) { return IndexId(store->next_id().value); });
                           }),
              StorageStatus::kOk);
    return out;
  }
  // Large rows that the leaves name: all there are when nothing is pending and no older version is kept.
  static uint64_t walk_large_rows(Table& t) {
    uint64_t bytes = 0;
    auto& impl = static_cast<TableImpl&>(t);
    impl.tree().for_each_leaf([&](Leaf* leaf) {
      for (size_t i = 0; i < leaf->status().count; i++) {
        const RecordMeta m = impl.own_meta(leaf, i);
        if (m.visible() && m.overflow()) bytes += load_unaligned<OverflowBody*>(leaf->payload(m))->total_bytes();
      }
    });
    return bytes;
  }
  static std::string row(std::mt19937& random) {
    const size_t length = random() % 4 == 0 ? 1000 + random() % 9000 : random() % 300;
    return std::to_string(random() % 100) + ":" + std::string(length, 'x');
  }
};

TEST_F(TableMemoryTest, IsWhatTheStoresAccountHas) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  make_index();
  expect_as_accounted("empty");
  std::unique_ptr<Transaction> reader;
  for (int round = 0; round < 12; round++) {
    auto t = begin();
    const uint32_t at = t->savepoint();
    for (int i = 0; i < 400; i++) {
      const std::string key = key_of(static_cast<int>(random() % 1500));
      next(*t);
      const StorageStatus status = random() % 3 == 0 && round > 6 ? erase(*t, key) : update(*t, key, row(random));
      if (status == StorageStatus::kNotFound) {
        ASSERT_EQ(insert(*t, key, row(random)), StorageStatus::kOk);
      }
      if (i == 200 && round % 4 == 1) t->rollback_to(at);
    }
    expect_as_accounted("pending, round " + std::to_string(round));
    if (round % 5 == 3) {
      store->rollback(*t);
    } else {
      commit(*t);
    }
    t.reset();
    expect_as_accounted("ended, round " + std::to_string(round));
    if (round % 3 == 0) {
      reader = begin(Isolation::kRepeatableRead);
      reader->view();
    }
  }
  EXPECT_GT(memory().version_bytes, 0u);
  EXPECT_GT(memory().large_row_bytes, walk_large_rows(*table));  // those of older versions, too
  reader.reset();
  expect_as_accounted("without readers");
  EXPECT_EQ(memory().version_bytes, 0u);
  EXPECT_EQ(memory().large_row_bytes, walk_large_rows(*table));
  for (const std::string& key : scan_all_keys()) remove(key);
  expect_as_accounted("emptied");
  EXPECT_EQ(memory().large_row_bytes, 0u);
}

TEST_F(TableMemoryTest, TellsItsIndexesApart) {
  for (int i = 0; i < 1000; i++) put(key_of(i), std::to_string(i) + ":" + std::string(50, 'x'));
  const IndexId first = make_index();
  const IndexId second = make_index();
  put(key_of(1000), "y:");
  TableMemory m = memory();
  ASSERT_EQ(m.indexes.size(), 2u);
  EXPECT_EQ(m.indexes[0].id, first);
  EXPECT_EQ(m.indexes[1].id, second);
  EXPECT_GT(m.indexes[0].bytes, 1000u * 10);
  table->drop_index(first);
  m = memory();
  ASSERT_EQ(m.indexes.size(), 1u);
  EXPECT_EQ(m.indexes[0].id, second);
  expect_as_accounted("one index dropped");
  table->drop_index(second);
  EXPECT_EQ(memory().index_bytes(), 0u);
  settle();
  EXPECT_EQ(statistics_of(*store).bytes_of(MemoryKind::kIndexes), 0);
}

// A clone counts what it reaches, at once and after changes on both sides.
TEST_F(TableMemoryTest, AClonesFiguresAreItsOwn) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  make_index();
  for (int i = 0; i < 800; i++) put(key_of(i), row(random));
  const uint64_t committed_bytes = memory().large_row_bytes;
  // What is pending or older at its moment is not the clone's.
  auto reader = begin(Isolation::kRepeatableRead);
  reader->view();
  for (int i = 0; i < 20; i++) put(key_of(i), "1:" + std::string(3000, 'v'));
  auto open = begin();
  for (int i = 20; i < 40; i++) ASSERT_EQ(update(*open, key_of(i), "2:" + std::string(4000, 'p')), StorageStatus::kOk);
  ASSERT_EQ(insert(*open, "new", "3:" + std::string(4000, 'p')), StorageStatus::kOk);
  const TableMemory before = memory();
  auto copy = clone(*table);
  TableMemory cloned = memory_of(*copy).value();
  EXPECT_EQ(cloned.leaf_bytes, before.leaf_bytes);
  EXPECT_EQ(cloned.inner_node_bytes, before.inner_node_bytes);
  EXPECT_EQ(cloned.index_bytes(), before.index_bytes());
  EXPECT_EQ(cloned.version_bytes, 0u);
  EXPECT_EQ(cloned.large_row_bytes, walk_large_rows(*copy));
  EXPECT_GT(before.large_row_bytes, committed_bytes);
  EXPECT_EQ(memory().large_row_bytes, before.large_row_bytes);
  store->rollback(*open);
  open.reset();
  reader.reset();
  auto again = clone(*copy);
  for (int round = 0; round < 300; round++) {
    auto& side = round % 3 == 0 ? copy : round % 3 == 1 ? again : table;
    std::swap(table, side);
    const std::string key = key_of(static_cast<int>(random() % 900));
    if (random() % 3 != 0) {
      put(key, row(random));
    } else if (auto t = begin(); erase(*t, key) == StorageStatus::kOk) {
      commit(*t);
    }
    std::swap(table, side);
  }
  settle();
  for (const auto& t : {table, copy, again}) {
    EXPECT_EQ(static_cast<TableImpl&>(*t).tree().check(), "");
    EXPECT_EQ(memory_of(*t)->version_bytes, 0u);
    EXPECT_EQ(memory_of(*t)->large_row_bytes, walk_large_rows(*t));
  }
  copy.reset();
  again.reset();
  // Alone again, its figures are the store's.
  for (int i = 0; i < 900; i += 7) put(key_of(i), "last:");
  expect_as_accounted("alone again");
}

}  // namespace
}  // namespace indigo::storage
