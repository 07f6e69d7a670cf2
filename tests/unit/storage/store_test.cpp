// Transactions on one table, as specifications.
#include "storage/store.h"

#include <gtest/gtest.h>

#include "storage/store_options.h"
#include "storage/table_options.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

using StoreTest = StoreFixture;

TEST_F(StoreTest, AnInsertIsSeenByItsOwnLaterCommandsAndByOthersAfterCommit) {
  auto t1 = begin();
  ASSERT_EQ(insert(*t1, "k", "v"), StorageStatus::kOk);
  EXPECT_EQ(get(*t1, "k"), "-");  // R2: not by the command that wrote it
  t1->next_command();
  EXPECT_EQ(get(*t1, "k"), "v");
  auto t2 = begin();
  EXPECT_EQ(get(*t2, "k"), "-");
  commit(*t1);
  EXPECT_EQ(get(*t2, "k"), "-");  // its snapshot is older
  t2->take_statement_snapshot();
  EXPECT_EQ(get(*t2, "k"), "v");
}

TEST_F(StoreTest, ARollbackLeavesNothing) {
  put("a", "1");
  auto t = begin();
  ASSERT_EQ(update(*t, "a", "2"), StorageStatus::kOk);
  ASSERT_EQ(insert(*t, "b", "x"), StorageStatus::kOk);
  store->rollback(*t);
  EXPECT_EQ(committed(), (Rows{{"a", "1"}}));
}

TEST_F(StoreTest, RepeatableReadKeepsItsSnapshot) {
  put("a", "1");
  put("b", "1");
  auto reader = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(get(*reader, "a"), "1");
  put("a", "2");
  put("a", "3");
  remove("b");
  put("c", "1");
  reader->next_command();
  reader->take_statement_snapshot();
  EXPECT_EQ(scan(*reader), (Rows{{"a", "1"}, {"b", "1"}}));
  EXPECT_EQ(get(*reader, "b"), "1");
  reader.reset();
  EXPECT_EQ(committed(), (Rows{{"a", "3"}, {"c", "1"}}));
}

TEST_F(StoreTest, RepeatableReadWriterConflictsWithAYoungerVersion) {
  put("a", "1");
  put("b", "1");
  auto t = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(get(*t, "a"), "1");
  put("a", "2");
  remove("b");
  EXPECT_EQ(update(*t, "a", "9"), StorageStatus::kConflict);
  EXPECT_EQ(update(*t, "b", "9"), StorageStatus::kConflictDelete);
}

TEST_F(StoreTest, SavepointsUndoWhatCameAfterThem) {
  put("a", "1");
  auto t = begin();
  ASSERT_EQ(update(*t, "a", "2"), StorageStatus::kOk);
  uint32_t s = t->savepoint();
  t->next_command();
  ASSERT_EQ(update(*t, "a", "3"), StorageStatus::kOk);
  ASSERT_EQ(insert(*t, "b", "1"), StorageStatus::kOk);
  t->next_command();
  EXPECT_EQ(scan(*t), (Rows{{"a", "3"}, {"b", "1"}}));
  t->rollback_to(s);
  t->next_command();
  EXPECT_EQ(scan(*t), (Rows{{"a", "2"}}));
  ASSERT_EQ(insert(*t, "b", "2"), StorageStatus::kOk);
  t->release(s);
  commit(*t);
  EXPECT_EQ(committed(), (Rows{{"a", "2"}, {"b", "2"}}));
}

TEST_F(StoreTest, RollingBackToASavepointFreesTheRecord) {
  put("a", "1");
  auto t = begin();
  uint32_t s = t->savepoint();
  ASSERT_EQ(update(*t, "a", "2"), StorageStatus::kOk);
  auto other = begin();
  EXPECT_EQ(update(*other, "a", "3", LockWait::kNoWait), StorageStatus::kWouldBlock);
  t->rollback_to(s);
  EXPECT_EQ(update(*other, "a", "3", LockWait::kNoWait), StorageStatus::kOk);
  commit(*other);
  commit(*t);
  EXPECT_EQ(committed(), (Rows{{"a", "3"}}));
}

TEST_F(StoreTest, InsertsOfAnExistingKeyAreRefused) {
  put("a", "1");
  auto t = begin();
  Duplicate duplicate;
  EXPECT_EQ(table->insert(*t, "a", "2", &duplicate), StorageStatus::kDuplicateKey);
  EXPECT_EQ(duplicate.primary_key, "a");
  EXPECT_FALSE(duplicate.index);
  ASSERT_EQ(insert(*t, "b", "1"), StorageStatus::kOk);
  EXPECT_EQ(insert(*t, "b", "2"), StorageStatus::kDuplicateKey);
}

TEST_F(StoreTest, DeleteAndInsertAgainInOneTransaction) {
  put("a", "1");
  auto t = begin();
  ASSERT_EQ(erase(*t, "a"), StorageStatus::kOk);
  t->next_command();
  ASSERT_EQ(insert(*t, "a", "2"), StorageStatus::kOk);
  t->next_command();
  EXPECT_EQ(get(*t, "a"), "2");
  auto other = begin();
  EXPECT_EQ(get(*other, "a"), "1");
  commit(*t);
  EXPECT_EQ(get(*other, "a"), "1");
  EXPECT_EQ(committed(), (Rows{{"a", "2"}}));
}

TEST_F(StoreTest, InsertedAndDeletedInOneTransactionWasNeverThere) {
  auto t = begin();
  ASSERT_EQ(insert(*t, "a", "1"), StorageStatus::kOk);
  t->next_command();
  ASSERT_EQ(erase(*t, "a"), StorageStatus::kOk);
  commit(*t);
  EXPECT_EQ(committed(), Rows{});
  put("a", "2");
  EXPECT_EQ(committed(), (Rows{{"a", "2"}}));
}

TEST_F(StoreTest, AKeyUpdateMovesTheRow) {
  put("a", "1");
  auto old_reader = begin(Isolation::kRepeatableRead);
  old_reader->take_statement_snapshot();
  auto t = begin();
  Claimed claimed;
  ASSERT_EQ(table->claim(*t, t->view(), "a", RowLockMode::kUpdate, LockWait::kWait, claimed), StorageStatus::kOk);
  ASSERT_EQ(table->update_key(*t, "a", "b", "2", nullptr), StorageStatus::kOk);
  commit(*t);
  EXPECT_EQ(committed(), (Rows{{"b", "2"}}));
  EXPECT_EQ(scan(*old_reader), (Rows{{"a", "1"}}));
}

TEST_F(StoreTest, AStatementDoesNotMeetItsOwnMovedRows) {
  for (char c = 'a'; c <= 'e'; c++) put(std::string(1, c), "1");
  auto t = begin();
  t->take_statement_snapshot();
  ReadView view = t->view();
  auto cursor = table->scan(*t, view, KeyRange::all());
  RowRef ref;
  size_t n, moved = 0;
  while (cursor->next({&ref, 1}, n) == StorageStatus::kOk && n == 1) {
    std::string key(ref.key), to = "x" + key;
    Claimed claimed;
    ASSERT_EQ(table->claim(*t, view, key, RowLockMode::kUpdate, LockWait::kWait, claimed), StorageStatus::kOk);
    ASSERT_EQ(table->update_key(*t, key, to, "2", nullptr), StorageStatus::kOk);
    moved++;
  }
  EXPECT_EQ(moved, 5u);
}

TEST_F(StoreTest, ASecondChangeByTheSameCommandIsSkipped) {
  put("a", "1");
  auto t = begin();
  ASSERT_EQ(update(*t, "a", "2"), StorageStatus::kOk);
  Claimed claimed;
  EXPECT_EQ(table->claim(*t, t->view(), "a", RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed),
            StorageStatus::kNotFound);
  EXPECT_TRUE(claimed.self_modified);
}

TEST_F(StoreTest, UnclaimKeepsNothing) {
  put("a", "1");
  auto t = begin();
  Claimed claimed;
  ASSERT_EQ(table->claim(*t, t->view(), "a", RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed), StorageStatus::kOk);
  table->unclaim(*t, "a");
  auto other = begin();
  EXPECT_EQ(update(*other, "a", "2", LockWait::kNoWait), StorageStatus::kOk);
  commit(*other);
  commit(*t);
  EXPECT_EQ(committed(), (Rows{{"a", "2"}}));
}

TEST_F(StoreTest, PinnedViewsOutliveTheStatement) {
  put("a", "1");
  auto t = begin();
  t->take_statement_snapshot();
  ReadView view = t->view();
  auto pinned = t->pin(view);
  put("a", "2");
  t->take_statement_snapshot();
  put("a", "3");
  store->reclaim();
  std::string row;
  EXPECT_EQ(table->get(*t, view, "a", row), StorageStatus::kOk);
  EXPECT_EQ(row, "1");
}

TEST_F(StoreTest, EndActionsRunInOrderAndTheirRollbackHalfAtSavepoints) {
  std::string log;
  auto action = [&](const std::string& name) {
    return std::pair([&log, name] { log += "c" + name; }, [&log, name] { log += "r" + name; });
  };
  auto t = begin();
  auto [c1, r1] = action("1");
  store->on_end(*t, c1, r1);
  uint32_t s = t->savepoint();
  auto [c2, r2] = action("2");
  store->on_end(*t, c2, r2);
  t->rollback_to(s);
  auto [c3, r3] = action("3");
  store->on_end(*t, c3, r3);
  commit(*t);
  EXPECT_EQ(log, "r2c1c3");
}

TEST_F(StoreTest, LargeRowsAndLimits) {
  std::string large(5 << 20, 'x');
  put("big", large);
  put("big2", std::string(3000, 'y'));
  EXPECT_EQ(committed()["big"].size(), large.size());
  auto reader = begin(Isolation::kRepeatableRead);
  reader->take_statement_snapshot();
  put("big", "small");
  put("big2", large);
  EXPECT_EQ(get(*reader, "big"), large);
  EXPECT_EQ(scan(*reader)["big2"], std::string(3000, 'y'));
  reader.reset();
  EXPECT_EQ(committed()["big"], "small");
  auto t = begin();
  EXPECT_EQ(insert(*t, std::string(4000, 'k'), "v"), StorageStatus::kTooLarge);
  uint32_t s = t->savepoint();
  EXPECT_EQ(insert(*t, "big3", large), StorageStatus::kOk);
  t->rollback_to(s);
  EXPECT_EQ(update(*t, "big2", std::string(1 << 20, 'z')), StorageStatus::kOk);
  t->next_command();
  EXPECT_EQ(get(*t, "big2").size(), 1u << 20);
  commit(*t);
  EXPECT_EQ(committed()["big2"], std::string(1 << 20, 'z'));
}

TEST_F(StoreTest, TheMemoryLimitIsAnError) {
  StoreOptions options;
  options.memory_limit_bytes = 8 << 20;
  auto small = Store::create(options);
  auto t2 = small->create_table({});
  auto t = small->begin(Isolation::kReadCommitted, 1);
  StorageStatus status = StorageStatus::kOk;
  for (int i = 0; i < 100000 && status == StorageStatus::kOk; i++) {
    status = t2->insert(*t, std::to_string(i), std::string(1000, 'x'), nullptr);
  }
  EXPECT_EQ(status, StorageStatus::kOutOfMemory);
  small->rollback(*t);
  t.reset();
  t2.reset();
}

TEST_F(StoreTest, AnOldSnapshotScansALeafOfTombstones) {
  put("a", "1");
  put("b", "2");
  auto reader = begin(Isolation::kRepeatableRead);
  remove("a");
  remove("b");
  EXPECT_EQ(scan(*reader), (Rows{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(committed(), Rows{});
}

TEST_F(StoreTest, UnclaimAfterASavepointDoesNotShortenTheLog) {
  put("a", "1");
  put("b", "1");
  auto t = begin();
  Claimed claimed;
  ASSERT_EQ(table->claim(*t, t->view(), "a", RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed), StorageStatus::kOk);
  uint32_t s = t->savepoint();
  table->unclaim(*t, "a");
  ASSERT_EQ(update(*t, "b", "2"), StorageStatus::kOk);
  t->rollback_to(s);
  commit(*t);
  EXPECT_EQ(committed(), (Rows{{"a", "1"}, {"b", "1"}}));
}

TEST_F(StoreTest, ScansGoBothWaysOverBounds) {
  for (int i = 0; i < 500; i++) put(key_of(i), std::to_string(i));
  auto t = begin();
  KeyRange range;
  range.low = key_of(100);
  range.high = key_of(300);
  range.has_low = range.has_high = true;
  range.high_inclusive = false;
  auto forward = scan_list(*t, range, Direction::kForward);
  auto backward = scan_list(*t, range, Direction::kBackward);
  ASSERT_EQ(forward.size(), 200u);
  EXPECT_EQ(forward.front().first, key_of(100));
  EXPECT_EQ(forward.back().first, key_of(299));
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
  range.low_inclusive = false;
  range.high_inclusive = true;
  EXPECT_EQ(scan_list(*t, range, Direction::kForward).front().first, key_of(101));
  EXPECT_EQ(scan_list(*t, range, Direction::kBackward).front().first, key_of(300));
}

TEST_F(StoreTest, GetManyAnswersForEachKey) {
  for (int i = 0; i < 300; i += 2) put(key_of(i), std::to_string(i));
  auto t = begin();
  std::vector<std::string> keys, rows(300);
  std::vector<Bytes> views;
  for (int i = 0; i < 300; i++) keys.push_back(key_of(i));
  for (auto& k : keys) views.push_back(k);
  auto found = std::make_unique<bool[]>(300);
  ASSERT_EQ(table->get_many(*t, t->view(), views, rows, {found.get(), 300}), StorageStatus::kOk);
  for (int i = 0; i < 300; i++) {
    EXPECT_EQ(found[i], i % 2 == 0);
    EXPECT_EQ(rows[i], i % 2 == 0 ? std::to_string(i) : "");
  }
}

TEST_F(StoreTest, AnEndedTransactionServesTheNextWithoutATrace) {
  put("a", "1");
  auto before = store->statistics();
  // One that used everything: a snapshot, writes, a savepoint, a lock that timed out, and a failure at the end.
  auto t = store->begin(Isolation::kSerializable, 7);
  t->declare_read_only();
  t->take_statement_snapshot();
  t->set_lock_timeout(std::chrono::milliseconds(1));
  t->savepoint();
  t->next_command();
  ASSERT_EQ(insert(*t, "b", "2"), StorageStatus::kOk);
  put("c", "3");
  EXPECT_EQ(get(*t, "c"), "-");
  const TxnId id = t->id();
  const Transaction* place = t.get();
  store->rollback(*t);

  t = store->begin(Isolation::kReadCommitted, 8, std::move(t));
  EXPECT_EQ(t.get(), place);
  EXPECT_NE(t->id(), id);
  EXPECT_EQ(t->isolation(), Isolation::kReadCommitted);
  EXPECT_EQ(t->command(), 1u);
  EXPECT_EQ(t->lock_timeout().count(), 0);
  EXPECT_FALSE(t->has_written());
  t->take_statement_snapshot();
  EXPECT_EQ(get(*t, "b"), "-") << "rolled back";
  EXPECT_EQ(get(*t, "c"), "3") << "a snapshot of its own";
  EXPECT_EQ(t->savepoint(), 1u);
  ASSERT_EQ(update(*t, "a", "4"), StorageStatus::kOk);
  commit(*t);

  // One that is still open is no use: it rolls back.
  t = store->begin(Isolation::kRepeatableRead, 8, std::move(t));
  t->take_statement_snapshot();
  ASSERT_EQ(update(*t, "a", "5"), StorageStatus::kOk);
  t = store->begin(Isolation::kRepeatableRead, 8, std::move(t));
  t->take_statement_snapshot();
  EXPECT_EQ(get(*t, "a"), "4");
  commit(*t);
  auto after = store->statistics();
  EXPECT_EQ(after.commits - before.commits, 3u);
  EXPECT_EQ(after.rollbacks - before.rollbacks, 2u);
}

}  // namespace
}  // namespace indigo::storage
