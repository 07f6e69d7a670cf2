// What the engine counts about itself.
#include "storage/statistics.h"

#include <thread>

#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

class StatisticsTest : public StoreFixture {
 protected:
  StoreStatistics of_store() { return statistics_of(*store); }
  TableStatistics of_table() { return statistics_of(*table).value(); }
};

TEST_F(StatisticsTest, RecordsAreInProcessUntilTheirTransactionEndsOrGivesThemUp) {
  put("a", "1");
  put("b", "1");
  EXPECT_EQ(of_store().records_in_process, 0u);
  auto t = begin();
  ASSERT_EQ(insert(*t, "c", "1"), StorageStatus::kOk);
  ASSERT_EQ(update(*t, "a", "2"), StorageStatus::kOk);
  EXPECT_EQ(of_store().records_in_process, 2u);
  uint32_t savepoint = t->savepoint();
  ASSERT_EQ(erase(*t, "b"), StorageStatus::kOk);
  auto other = begin();
  ASSERT_EQ(insert(*other, "d", "1"), StorageStatus::kOk);
  EXPECT_EQ(of_store().records_in_process, 4u);
  t->rollback_to(savepoint);
  EXPECT_EQ(of_store().records_in_process, 3u);
  commit(*t);
  EXPECT_EQ(of_store().records_in_process, 1u);
  store->rollback(*other);
  EXPECT_EQ(of_store().records_in_process, 0u);
}

// What a planner is told of a table that a transaction fills before it asks.
TEST_F(StatisticsTest, RowsThatOpenTransactionsHaveInsertedAreTold) {
  constexpr uint64_t kRows = 1000, kUntold = 64;
  const auto fill = [&](Transaction& t, const std::string& prefix) {
    for (uint64_t i = 0; i < kRows; i++) ASSERT_EQ(insert(t, prefix + std::to_string(i), "1"), StorageStatus::kOk);
  };
  auto t = begin();
  fill(*t, "a");
  EXPECT_GE(table->rows(), kRows - kUntold);
  EXPECT_LE(table->rows(), kRows);
  EXPECT_EQ(table->statistics().rows, 0u);
  const uint32_t savepoint = t->savepoint();
  for (int i = 0; i < 5; i++) {
    fill(*t, "b");
    EXPECT_GE(table->rows(), 2 * kRows - kUntold);
    t->rollback_to(savepoint);
    EXPECT_LE(table->rows(), kRows + kUntold);
  }
  auto other = begin();
  fill(*other, "c");
  store->rollback(*other);
  EXPECT_LE(table->rows(), kRows + kUntold);
  commit(*t);
  EXPECT_EQ(table->rows(), kRows);
  EXPECT_EQ(table->statistics().rows, kRows);
}

TEST_F(StatisticsTest, AbortsAreCountedByTheirReason) {
  put("a", "1");
  StoreStatistics before = of_store();
  auto reader = begin(Isolation::kRepeatableRead);
  put("a", "2");
  ASSERT_EQ(update(*reader, "a", "3"), StorageStatus::kConflict);
  store->rollback(*reader);
  auto by_choice = begin();
  ASSERT_EQ(update(*by_choice, "a", "3"), StorageStatus::kOk);
  store->rollback(*by_choice);
  // A failure that ended at a savepoint was not the end.
  auto saved = begin(Isolation::kRepeatableRead);
  uint32_t savepoint = saved->savepoint();
  put("a", "4");
  ASSERT_EQ(update(*saved, "a", "5"), StorageStatus::kConflict);
  saved->rollback_to(savepoint);
  store->rollback(*saved);
  StoreStatistics after = of_store();
  EXPECT_EQ(after.aborts_by(AbortReason::kConflict), before.aborts_by(AbortReason::kConflict) + 1);
  EXPECT_EQ(after.rollbacks, before.rollbacks + 3);
  EXPECT_EQ(after.aborts_by(AbortReason::kDeadlock), 0u);
}

TEST_F(StatisticsTest, AnAbortForALockTimeoutIsOne) {
  put("a", "1");
  auto owner = begin();
  ASSERT_EQ(update(*owner, "a", "2"), StorageStatus::kOk);
  auto waiter = begin();
  waiter->set_lock_timeout(std::chrono::milliseconds(1));
  ASSERT_EQ(update(*waiter, "a", "3"), StorageStatus::kLockTimeout);
  store->rollback(*waiter);
  EXPECT_EQ(of_store().aborts_by(AbortReason::kTimeout), 1u);
  commit(*owner);
}

TEST_F(StatisticsTest, AnAbortForWriteSkewIsOne) {
  put("a", "1");
  put("b", "1");
  auto first = begin(Isolation::kSerializable);
  auto second = begin(Isolation::kSerializable);
  get(*first, "a");
  get(*second, "b");
  ASSERT_EQ(update(*first, "b", "2"), StorageStatus::kOk);
  ASSERT_EQ(update(*second, "a", "2"), StorageStatus::kOk);
  commit(*first);
  ASSERT_EQ(store->commit(*second), StorageStatus::kSerialization);
  EXPECT_EQ(of_store().aborts_by(AbortReason::kSerialization), 1u);
}

TEST_F(StatisticsTest, SplitsAndMergesOfATable) {
  for (int i = 0; i < 500; i++) put(key_of(i), std::string(100, 'x'));
  TableStatistics full = of_table();
  EXPECT_GT(full.splits, 5u);
  EXPECT_EQ(full.leaves, full.splits + 1 - full.merges);
  EXPECT_EQ(full.leaf_bytes, 4096u);
  for (int i = 0; i < 500; i++) remove(key_of(i));
  for (int round = 0; round < 20; round++) store->reclaim();
  TableStatistics empty = of_table();
  EXPECT_GT(empty.merges, 3u);
  EXPECT_LT(empty.leaves, full.leaves);
}

TEST_F(StatisticsTest, ChainsAreMeasured) {
  static_cast<StoreImpl&>(*store).reclaimer().stop();
  for (int i = 0; i < 100; i++) put(key_of(i), "0");
  EXPECT_EQ(of_table().chains, 0u);
  std::vector<std::unique_ptr<Transaction>> readers;
  for (int round = 1; round <= 3; round++) {
    readers.push_back(begin(Isolation::kRepeatableRead));
    readers.back()->view();
    for (int i = 0; i < 10 * round; i++) put(key_of(i * 3), std::to_string(round));
  }
  TableStatistics s = of_table();
  EXPECT_EQ(s.chains, 30u);
  EXPECT_EQ(s.chain_length_max, 3u);
  EXPECT_EQ(s.chained_versions, 10u + 20u + 30u);
  EXPECT_EQ(s.versions, s.chained_versions);
  EXPECT_GT(s.version_bytes, s.versions);
}

}  // namespace
}  // namespace indigo::storage
