// Waiting for another's record: schedules in which one session blocks until another ends.
#include <thread>

#include <gtest/gtest.h>

#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

class WaitingTest : public StoreFixture {
 protected:
  // Runs `body` in a thread, and returns once that thread waits for a lock or a record.
  template <class F>
  std::thread blocked(F body) {
    size_t before = waiting();
    std::thread thread(body);
    while (waiting() == before) std::this_thread::yield();
    return thread;
  }
  size_t waiting() {
    size_t n = 0;
    for (const LockInfo& info : store->locks().snapshot()) n += info.granted ? 0 : 1;
    return n;
  }
};

TEST_F(WaitingTest, ReadCommittedWaitsThenReadsTheNewestVersion) {
  put("a", "1");
  auto first = begin();
  ASSERT_EQ(update(*first, "a", "2"), StorageStatus::kOk);
  std::thread second = blocked([&] {
    auto t = begin();
    Claimed claimed;
    EXPECT_EQ(table->claim(*t, t->view(), "a", RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed),
              StorageStatus::kOk);
    EXPECT_TRUE(claimed.changed);
    EXPECT_EQ(claimed.row, "2");
    EXPECT_EQ(table->update(*t, "a", claimed.row + "3", nullptr), StorageStatus::kOk);
    commit(*t);
  });
  commit(*first);
  second.join();
  EXPECT_EQ(committed(), (Rows{{"a", "23"}}));
}

TEST_F(WaitingTest, AfterARollbackTheWaiterFindsTheOldVersion) {
  put("a", "1");
  auto first = begin();
  ASSERT_EQ(update(*first, "a", "2"), StorageStatus::kOk);
  std::thread second = blocked([&] {
    auto t = begin(Isolation::kRepeatableRead);
    Claimed claimed;
    EXPECT_EQ(table->claim(*t, t->view(), "a", RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed),
              StorageStatus::kOk);
    EXPECT_FALSE(claimed.changed);
    EXPECT_EQ(claimed.row, "1");
  });
  store->rollback(*first);
  second.join();
}

TEST_F(WaitingTest, RepeatableReadFailsAfterTheOwnerCommitted) {
  put("a", "1");
  auto first = begin();
  ASSERT_EQ(update(*first, "a", "2"), StorageStatus::kOk);
  std::thread second = blocked([&] {
    auto t = begin(Isolation::kRepeatableRead);
    EXPECT_EQ(update(*t, "a", "3"), StorageStatus::kConflict);
  });
  commit(*first);
  second.join();
}

TEST_F(WaitingTest, AKeyUpdateIsFollowed) {
  put("a", "1");
  auto first = begin();
  Claimed mine;
  ASSERT_EQ(table->claim(*first, first->view(), "a", RowLockMode::kUpdate, LockWait::kWait, mine), StorageStatus::kOk);
  ASSERT_EQ(table->update_key(*first, "a", "b", "2", nullptr), StorageStatus::kOk);
  std::thread second = blocked([&] {
    auto t = begin();
    Claimed claimed;
    EXPECT_EQ(table->claim(*t, t->view(), "a", RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed),
              StorageStatus::kOk);
    EXPECT_EQ(claimed.key, "b");
    EXPECT_EQ(claimed.row, "2");
    EXPECT_TRUE(claimed.changed);
    EXPECT_EQ(table->update(*t, claimed.key, "3", nullptr), StorageStatus::kOk);
    commit(*t);
  });
  commit(*first);
  second.join();
  EXPECT_EQ(committed(), (Rows{{"b", "3"}}));
}

TEST_F(WaitingTest, WaitersAreServedInTheOrderOfTheirComing) {
  put("a", "0");
  auto first = begin();
  ASSERT_EQ(update(*first, "a", "0"), StorageStatus::kOk);
  std::vector<std::thread> threads;
  for (char c = '1'; c <= '4'; c++) {
    threads.push_back(blocked([this, c] {
      auto t = begin();
      Claimed claimed;
      EXPECT_EQ(table->claim(*t, t->view(), "a", RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed),
                StorageStatus::kOk);
      EXPECT_EQ(table->update(*t, "a", claimed.row + c, nullptr), StorageStatus::kOk);
      commit(*t);
    }));
  }
  commit(*first);
  for (auto& t : threads) t.join();
  EXPECT_EQ(committed(), (Rows{{"a", "01234"}}));
}

TEST_F(WaitingTest, ADeletedRowIsGoneForTheWaiter) {
  put("a", "1");
  auto first = begin();
  ASSERT_EQ(erase(*first, "a"), StorageStatus::kOk);
  std::thread second = blocked([&] {
    auto t = begin();
    EXPECT_EQ(update(*t, "a", "3"), StorageStatus::kNotFound);
  });
  commit(*first);
  second.join();
}

TEST_F(WaitingTest, AnInserterWaitsForTheOtherInserter) {
  for (bool commits : {true, false}) {
    auto first = begin();
    ASSERT_EQ(insert(*first, "k", "1"), StorageStatus::kOk);
    std::thread second = blocked([&] {
      auto t = begin();
      EXPECT_EQ(insert(*t, "k", "2"), commits ? StorageStatus::kDuplicateKey : StorageStatus::kOk);
      store->rollback(*t);
    });
    commits ? commit(*first) : store->rollback(*first);
    second.join();
    if (commits) remove("k");
  }
}

TEST_F(WaitingTest, RollbackToSavepointWakesTheWaiter) {
  put("a", "1");
  auto first = begin();
  uint32_t s = first->savepoint();
  ASSERT_EQ(update(*first, "a", "2"), StorageStatus::kOk);
  std::thread second = blocked([&] {
    auto t = begin();
    EXPECT_EQ(update(*t, "a", "3"), StorageStatus::kOk);
    commit(*t);
  });
  first->rollback_to(s);
  second.join();
  commit(*first);
  EXPECT_EQ(committed(), (Rows{{"a", "3"}}));
}

TEST_F(WaitingTest, OneOfTwoInACycleIsTheVictim) {
  put("a", "1");
  put("b", "1");
  auto first = begin();
  ASSERT_EQ(update(*first, "a", "2"), StorageStatus::kOk);
  StorageStatus second_status = StorageStatus::kOk;
  auto t = begin();
  ASSERT_EQ(update(*t, "b", "2"), StorageStatus::kOk);
  std::thread second = blocked([&] {
    second_status = update(*t, "a", "3");
    second_status == StorageStatus::kOk ? commit(*t) : store->rollback(*t);
  });
  StorageStatus first_status = update(*first, "b", "3");
  first_status == StorageStatus::kOk ? commit(*first) : store->rollback(*first);
  second.join();
  EXPECT_NE(first_status == StorageStatus::kDeadlock, second_status == StorageStatus::kDeadlock);
  EXPECT_GE(store->locks().deadlock_count() + store->statistics().deadlocks, 1u);
}

TEST_F(WaitingTest, RowLocksAndRecordWritersFormOneGraph) {
  put("a", "1");
  put("b", "1");
  auto first = begin();
  Claimed claimed;
  ASSERT_EQ(table->lock_row(*first, first->view(), "a", RowLockMode::kShare, LockWait::kWait, claimed),
            StorageStatus::kOk);
  auto t = begin();
  ASSERT_EQ(update(*t, "b", "2"), StorageStatus::kOk);
  StorageStatus second_status = StorageStatus::kOk;
  std::thread second = blocked([&] {
    second_status = update(*t, "a", "2");
    store->rollback(*t);
  });
  StorageStatus first_status = update(*first, "b", "3");
  store->rollback(*first);
  second.join();
  EXPECT_NE(first_status == StorageStatus::kDeadlock, second_status == StorageStatus::kDeadlock);
}

TEST_F(WaitingTest, LockTimeoutAndInterruptEndTheWait) {
  put("a", "1");
  auto first = begin();
  ASSERT_EQ(update(*first, "a", "2"), StorageStatus::kOk);
  auto t = begin();
  t->set_lock_timeout(std::chrono::milliseconds(1));
  EXPECT_EQ(update(*t, "a", "3"), StorageStatus::kLockTimeout);
  Waiter* waiter = nullptr;
  std::thread second = blocked([&] {
    waiter = &Waiter::current();
    auto u = begin();
    EXPECT_EQ(update(*u, "a", "3"), StorageStatus::kInterrupted);
    waiter->clear_interrupt();
  });
  waiter->interrupt(InterruptReason::kCancel);
  second.join();
}

TEST_F(WaitingTest, KeyShareLocksPassNonKeyUpdatesAndBlockDeletes) {
  put("a", "1");
  auto locker = begin();
  Claimed claimed;
  ASSERT_EQ(table->lock_row(*locker, locker->view(), "a", RowLockMode::kKeyShare, LockWait::kWait, claimed),
            StorageStatus::kOk);
  auto updater = begin();
  EXPECT_EQ(update(*updater, "a", "2", LockWait::kNoWait), StorageStatus::kOk);
  // A second key-share lock passes the open update too.
  auto locker2 = begin();
  EXPECT_EQ(table->lock_row(*locker2, locker2->view(), "a", RowLockMode::kKeyShare, LockWait::kNoWait, claimed),
            StorageStatus::kOk);
  EXPECT_EQ(table->lock_row(*locker2, locker2->view(), "a", RowLockMode::kShare, LockWait::kNoWait, claimed),
            StorageStatus::kWouldBlock);
  commit(*updater);
  auto deleter = begin();
  EXPECT_EQ(table->claim(*deleter, deleter->view(), "a", RowLockMode::kUpdate, LockWait::kSkip, claimed),
            StorageStatus::kWouldBlock);
  locker.reset();
  locker2.reset();
  EXPECT_EQ(erase(*deleter, "a"), StorageStatus::kOk);
}

TEST_F(WaitingTest, ForUpdateBlocksAWriterUntilItsEnd) {
  put("a", "1");
  auto first = begin();
  Claimed claimed;
  ASSERT_EQ(table->lock_row(*first, first->view(), "a", RowLockMode::kUpdate, LockWait::kWait, claimed),
            StorageStatus::kOk);
  EXPECT_EQ(claimed.row, "1");
  std::thread second = blocked([&] {
    auto t = begin();
    EXPECT_EQ(update(*t, "a", "3"), StorageStatus::kOk);
    commit(*t);
  });
  ASSERT_EQ(update(*first, "a", "2"), StorageStatus::kOk);
  commit(*first);
  second.join();
  EXPECT_EQ(committed(), (Rows{{"a", "3"}}));
}

TEST_F(WaitingTest, AUniqueKeyIsFreeAfterItsDeleterCommits) {
  auto t = begin();
  IndexId index(store->next_id().value);
  ASSERT_EQ(table->create_index(*t, index, {.unique = true}, std::make_shared<ColonExtractor>(), nullptr),
            StorageStatus::kOk);
  commit(*t);
  put("a", "u:");
  for (bool commits : {false, true}) {
    auto first = begin();
    ASSERT_EQ(erase(*first, "a"), StorageStatus::kOk);
    std::thread second = blocked([&] {
      auto w = begin();
      Duplicate duplicate;
      StorageStatus s = table->insert(*w, "b", "u:", &duplicate);
      EXPECT_EQ(s, commits ? StorageStatus::kOk : StorageStatus::kDuplicateKey);
      if (!commits) {
        EXPECT_EQ(duplicate.index, index);
        EXPECT_EQ(duplicate.primary_key, "a");
      }
      store->rollback(*w);
    });
    commits ? commit(*first) : store->rollback(*first);
    second.join();
  }
  EXPECT_EQ(committed(), Rows{});
}

TEST_F(WaitingTest, NullsDoNotConflictUnlessAskedTo) {
  for (bool nulls_conflict : {false, true}) {
    auto t = begin();
    IndexId index(store->next_id().value);
    ASSERT_EQ(table->create_index(*t, index, {.unique = true, .nulls_not_distinct = nulls_conflict},
                                  std::make_shared<ColonExtractor>(), nullptr),
              StorageStatus::kOk);
    ASSERT_EQ(insert(*t, "a", ":1"), StorageStatus::kOk);
    EXPECT_EQ(insert(*t, "b", ":2"), nulls_conflict ? StorageStatus::kDuplicateKey : StorageStatus::kOk);
    store->rollback(*t);
    table->drop_index(index);
  }
}

TEST_F(WaitingTest, CreatingAUniqueIndexOverDuplicatesFails) {
  put("a", "u:1");
  put("b", "u:2");
  auto old = begin(Isolation::kRepeatableRead);
  put("c", "v:");
  auto t = begin();
  IndexId id(store->next_id().value);
  Duplicate duplicate;
  EXPECT_EQ(table->create_index(*t, id, {.unique = true}, std::make_shared<ColonExtractor>(), &duplicate),
            StorageStatus::kDuplicateKey);
  EXPECT_EQ(duplicate.primary_key, "b");
  EXPECT_EQ(table->create_index(*t, id, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
  EXPECT_FALSE(table->index_usable(id, old->view()));
  EXPECT_TRUE(table->index_usable(id, t->newest_view()));
  EXPECT_EQ(drain(*table->scan_index(*t, t->view(), id, KeyRange::point("u"))).size(), 2u);
}

}  // namespace
}  // namespace indigo::storage
