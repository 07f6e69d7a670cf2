// Transactions that are prepared, at storage's interface: what they keep, and that nobody takes their commit from them.
#include "storage/prepared.h"

#include <gtest/gtest.h>

#include "storage/lock/lock_manager.h"
#include "tests/unit/storage/schedule.h"

namespace indigo::storage {
namespace {

class PreparedTest : public ScheduleFixture {
 protected:
  PreparedTransactions& prepared() { return prepared_transactions(*store); }
  StorageStatus prepare(const std::string& name, std::unique_ptr<Transaction> t) {
    EXPECT_EQ(prepared().reserve({name}, 10), StorageStatus::kOk);
    return prepared().prepare(name, std::move(t));
  }
  void commit_prepared(const std::string& name) {
    PreparedName found;
    ASSERT_EQ(prepared().begin_end(name, found), StorageStatus::kOk);
    ASSERT_EQ(prepared().commit(name), StorageStatus::kOk);
  }
  void roll_back_prepared(const std::string& name) {
    PreparedName found;
    ASSERT_EQ(prepared().begin_end(name, found), StorageStatus::kOk);
    ASSERT_EQ(prepared().roll_back(name), StorageStatus::kOk);
  }
  void two_rows() {
    put("a", "1");
    put("b", "1");
  }
};

TEST_F(PreparedTest, ItsChangesAreSeenOnceItCommits) {
  two_rows();
  auto t = begin();
  ASSERT_EQ(write(*t, "a", "2"), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t), "c", "3"), StorageStatus::kOk);
  ASSERT_EQ(erase(next(*t), "b"), StorageStatus::kOk);
  ASSERT_EQ(prepare("p", std::move(t)), StorageStatus::kOk);
  EXPECT_EQ(committed(), (Rows{{"a", "1"}, {"b", "1"}}));
  commit_prepared("p");
  EXPECT_EQ(committed(), (Rows{{"a", "2"}, {"c", "3"}}));
  EXPECT_TRUE(prepared().list().empty());
}

TEST_F(PreparedTest, ItHoldsItsRecordsUntilItIsRolledBack) {
  two_rows();
  auto t = begin();
  ASSERT_EQ(write(*t, "a", "2"), StorageStatus::kOk);
  Claimed claimed;
  ASSERT_EQ(table->lock_row(*t, t->view(), "b", RowLockMode::kShare, LockWait::kWait, claimed), StorageStatus::kOk);
  ASSERT_EQ(prepare("p", std::move(t)), StorageStatus::kOk);
  auto other = begin();
  EXPECT_EQ(update(*other, "a", "x", LockWait::kNoWait), StorageStatus::kWouldBlock);
  EXPECT_EQ(update(*other, "b", "x", LockWait::kNoWait), StorageStatus::kWouldBlock);
  roll_back_prepared("p");
  EXPECT_EQ(update(*other, "a", "x", LockWait::kNoWait), StorageStatus::kOk);
  EXPECT_EQ(update(*other, "b", "x", LockWait::kNoWait), StorageStatus::kOk);
  commit(*other);
}

TEST_F(PreparedTest, NamesAreUsedOnceAndCounted) {
  EXPECT_EQ(prepared().reserve({"p"}, 1), StorageStatus::kOk);
  EXPECT_EQ(prepared().reserve({"p"}, 2), StorageStatus::kDuplicateKey);
  EXPECT_EQ(prepared().reserve({"q"}, 1), StorageStatus::kOutOfMemory);
  PreparedName found;
  EXPECT_EQ(prepared().begin_end("p", found), StorageStatus::kNotFound);
  prepared().forget("p");
  ASSERT_EQ(prepare("p", begin()), StorageStatus::kOk);
  EXPECT_EQ(prepared().begin_end("p", found), StorageStatus::kOk);
  EXPECT_EQ(prepared().begin_end("p", found), StorageStatus::kWouldBlock);
  prepared().release("p");
  roll_back_prepared("p");
}

// The other one of a write skew comes after the preparation.
TEST_F(PreparedTest, WhoWouldCloseItsWindowFailsInstead) {
  two_rows();
  auto t1 = serializable(), t2 = serializable();
  read(*t1, "a"), read(*t1, "b"), read(*t2, "a"), read(*t2, "b");
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "0"), StorageStatus::kOk);
  ASSERT_EQ(prepare("p", std::move(t1)), StorageStatus::kOk);
  expect_failure(*t2);
  commit_prepared("p");
}

// One overwrites what it has read; then who reads what it has written would lie before it and behind the other.
TEST_F(PreparedTest, OneEdgeIsAllowedAndTheSecondIsNot) {
  two_rows();
  auto t1 = serializable();
  read(*t1, "b");
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  ASSERT_EQ(prepare("p", std::move(t1)), StorageStatus::kOk);
  auto before = serializable();  // reads what is not overwritten yet
  EXPECT_EQ(read(*before, "a"), "1");
  commit(*before);
  auto t2 = serializable();
  ASSERT_EQ(write(*t2, "b", "2"), StorageStatus::kOk);
  commit(*t2);
  auto t3 = serializable();
  EXPECT_EQ(read(*t3, "b"), "2");
  EXPECT_EQ(read(*t3, "a"), "1");
  expect_failure(*t3);
  auto t4 = serializable();  // nothing of it concerns what is prepared
  EXPECT_EQ(read(*t4, "b"), "2");
  commit(*t4);
  commit_prepared("p");
}

// By a range, in which it has written a key that was not there.
TEST_F(PreparedTest, ARangeThatItHasReadMeetsAnInsert) {
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(count(*t1, "m", "p") + count(*t2, "a", "d"), 0u);
  ASSERT_EQ(insert(next(*t1), "b", "1"), StorageStatus::kOk);
  ASSERT_EQ(prepare("p", std::move(t1)), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t2), "n", "1"), StorageStatus::kOk);
  expect_failure(*t2);
  commit_prepared("p");
}

TEST_F(PreparedTest, TwoThatHaveSomethingInCommonAreNotBothPrepared) {
  two_rows();
  auto t1 = serializable(), t2 = serializable(), t3 = serializable();
  read(*t1, "b"), read(*t2, "c"), read(*t3, "d");
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "0"), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t3), "e", "0"), StorageStatus::kOk);
  ASSERT_EQ(prepare("p1", std::move(t1)), StorageStatus::kOk);
  EXPECT_EQ(prepare("p2", std::move(t2)), StorageStatus::kSerialization);
  EXPECT_EQ(prepare("p3", std::move(t3)), StorageStatus::kOk);
  commit_prepared("p3");
  commit_prepared("p1");
}

// A rollback takes what it stood in the way of back.
TEST_F(PreparedTest, OnceItIsRolledBackNobodyMindsIt) {
  two_rows();
  auto t1 = serializable();
  read(*t1, "b");
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  ASSERT_EQ(prepare("p", std::move(t1)), StorageStatus::kOk);
  auto t2 = serializable();
  read(*t2, "a");
  ASSERT_EQ(write(*t2, "b", "2"), StorageStatus::kOk);
  roll_back_prepared("p");
  commit(*t2);
}

// The read-only anomaly, with a writer that is prepared before the report leaves its stamps, or has been for long, and commits
// when the report has looked for writers.
TEST_F(PreparedTest, AReaderMeetsOneThatIsPreparedAndCommitsMeanwhile) {
  for (const bool before : {true, false}) {
    two_rows();
    auto t1 = serializable();
    read(*t1, "b");
    auto t2 = serializable();
    ASSERT_EQ(write(*t2, "b", "20"), StorageStatus::kOk);
    commit(*t2);
    auto report = serializable();
    EXPECT_EQ(read(*report, "a") + read(*report, "b"), "120");
    ASSERT_EQ(write(*t1, "a", "-11"), StorageStatus::kOk);
    if (before) {
      ASSERT_EQ(prepare("p", std::move(t1)), StorageStatus::kOk);
      Actor reader = starts([&] { expect_failure(*report); }, PausePoint::kReaderLooked);
      commit_prepared("p");
    } else {
      Actor reader = starts([&] { expect_failure(*report); }, PausePoint::kReaderCertifies);
      ASSERT_EQ(prepare("p", std::move(t1)), StorageStatus::kOk);
      reader.goes_on_to(PausePoint::kReaderLooked);
      commit_prepared("p");
    }
  }
}

// After a restart nobody knows what it had read, and who has overwritten that: whoever sees all that was committed then may not
// see what it is about to overwrite.
TEST_F(PreparedTest, OneThatIsRestoredWasPerhapsOverwrittenBefore) {
  two_rows();
  auto t1 = serializable();
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  restore_serializable(*t1);
  ASSERT_EQ(prepared().restore({"p"}, std::move(t1), nullptr), StorageStatus::kOk);
  auto t2 = serializable();
  read(*t2, "a");
  expect_failure(*t2);
  auto t3 = serializable();
  read(*t3, "a");
  ASSERT_EQ(write(*t3, "b", "2"), StorageStatus::kOk);
  expect_failure(*t3);
  auto t4 = store->begin(Isolation::kSerializable, 0);
  t4->declare_read_only();
  EXPECT_EQ(read(*t4, "a"), "1");
  expect_failure(*t4);
  auto t5 = serializable();
  read(*t5, "b");
  ASSERT_EQ(write(*t5, "b", "3"), StorageStatus::kOk);
  commit(*t5);
  commit_prepared("p");
  auto t6 = serializable();
  EXPECT_EQ(read(*t6, "a"), "0");
  commit(*t6);
}

}  // namespace
}  // namespace indigo::storage
