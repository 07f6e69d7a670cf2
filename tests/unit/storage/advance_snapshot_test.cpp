// R8: a serializable snapshot moves on between statements, as long as nothing that was read has changed. Above each schedule
// stands the rule that it needs, by its name in base/mutation.h.
#include "storage/txn/advance_snapshot.h"

#include "tests/unit/storage/schedule.h"

namespace indigo::storage {
namespace {

class AdvanceSnapshotTest : public ScheduleFixture {
 protected:
  void SetUp() override {
    put("a", "1");
    put("b", "1");
    // From here on commits at weaker levels are followed.
    auto t = serializable();
    put("c", "1");
    advance_snapshot(*t);
    commit(*t);
  }
  // A statement of its own, as sessions begin them.
  Transaction& next_statement(Transaction& t) {
    t.next_command();
    advance_snapshot(t);
    t.take_statement_snapshot();
    mark_statement(t);
    return t;
  }
  // Both changed by one serializable transaction.
  void change(std::initializer_list<const char*> keys) {
    auto t = serializable();
    for (const char* key : keys) ASSERT_EQ(write(*t, key, "2"), StorageStatus::kOk);
    commit(*t);
  }
};

TEST_F(AdvanceSnapshotTest, WhatOthersHaveChangedMeanwhileMayBeChangedAgain) {
  auto t = serializable(), stays = serializable();
  EXPECT_EQ(read(*t, "a"), "1");
  EXPECT_EQ(read(*stays, "a"), "1");
  change({"b"});
  EXPECT_EQ(update(next(*stays), "b", "3"), StorageStatus::kConflict);
  store->rollback(*stays);
  EXPECT_EQ(update(next_statement(*t), "b", "3"), StorageStatus::kOk);
  EXPECT_EQ(read(*t, "a"), "1");
  commit(*t);
  EXPECT_EQ(committed()["b"], "3");
}

TEST_F(AdvanceSnapshotTest, AndWhatATransactionHasWrittenItselfIsNoHindrance) {
  auto t = serializable();
  ASSERT_EQ(write(*t, "a", "3"), StorageStatus::kOk);
  change({"b"});
  EXPECT_EQ(get(next_statement(*t), "b"), "2");
  change({"c"});
  EXPECT_EQ(get(next_statement(*t), "c"), "2");
  EXPECT_EQ(update(next_statement(*t), "c", "3"), StorageStatus::kOk);
  commit(*t);
}

// R8. t does not see the new b beside the old a.
TEST_F(AdvanceSnapshotTest, NotPastAChangeOfWhatWasRead) {
  auto t = serializable();
  EXPECT_EQ(read(*t, "a"), "1");
  change({"a", "b"});
  EXPECT_EQ(get(next_statement(*t), "b"), "1");
  EXPECT_EQ(read(*t, "a"), "1");
}

// R8. The same with what was not there, as a key and as a range.
TEST_F(AdvanceSnapshotTest, NotPastAnInsertOfWhatWasMissed) {
  auto t = serializable(), u = serializable();
  EXPECT_EQ(read(*t, "m"), "-");
  EXPECT_EQ(count(*u, "m", "p"), 0U);
  auto w = serializable();
  ASSERT_EQ(insert(next(*w), "m", "1"), StorageStatus::kOk);
  ASSERT_EQ(write(*w, "b", "2"), StorageStatus::kOk);
  commit(*w);
  for (Transaction* reader : {t.get(), u.get()}) {
    EXPECT_EQ(get(next_statement(*reader), "b"), "1");
    EXPECT_EQ(get(next_statement(*reader), "m"), "-");
  }
}

// weaker. What is committed below SERIALIZABLE leaves nothing by which it could be found.
TEST_F(AdvanceSnapshotTest, NotPastACommitAtAWeakerLevel) {
  auto t = serializable();
  EXPECT_EQ(read(*t, "a"), "1");
  put("a", "2");
  change({"b"});
  EXPECT_EQ(get(next_statement(*t), "b"), "1");
  EXPECT_EQ(read(*t, "a"), "1");
}

// R9: a statement that has failed begins again, behind what it has met.
TEST_F(AdvanceSnapshotTest, AFailedStatementBeginsAgain) {
  auto t = serializable();
  EXPECT_EQ(get(next_statement(*t), "a"), "1");
  next_statement(*t);
  change({"b"});
  EXPECT_EQ(get(*t, "b"), "1");
  EXPECT_EQ(update(*t, "b", "3"), StorageStatus::kConflict);
  ASSERT_TRUE(begin_statement_again(*t));
  EXPECT_EQ(get(next(*t), "b"), "2");
  EXPECT_EQ(update(next(*t), "b", "3"), StorageStatus::kOk);
  commit(*t);
  EXPECT_EQ(committed()["b"], "3");
}

// again. What the statements before it have read stays read.
TEST_F(AdvanceSnapshotTest, NotWhenWhatWasReadBeforeHasChanged) {
  auto t = serializable();
  EXPECT_EQ(get(next_statement(*t), "a"), "1");
  next_statement(*t);
  change({"a", "b"});
  EXPECT_EQ(update(*t, "b", "3"), StorageStatus::kConflict);
  EXPECT_FALSE(begin_statement_again(*t));
  EXPECT_EQ(get(next(*t), "b"), "1");
}

// And so does what it has read itself, when it cannot begin again: here because of a commit at a weaker level.
TEST_F(AdvanceSnapshotTest, AStatementThatDoesNotBeginAgainHasReadWhatItRead) {
  auto t = serializable();
  const uint32_t level = t->savepoint();
  next_statement(*t);
  EXPECT_EQ(get(*t, "c"), "1");
  put("b", "2");
  EXPECT_EQ(update(*t, "b", "3"), StorageStatus::kConflict);
  EXPECT_FALSE(begin_statement_again(*t));
  t->rollback_to(level);
  ASSERT_EQ(insert(next(*t), "z", "1"), StorageStatus::kOk);
  change({"c"});
  auto reader = serializable();
  EXPECT_EQ(read(*reader, "z"), "-");
  commit(*reader);
  expect_failure(*t);
}

TEST_F(AdvanceSnapshotTest, NotWhenItHasChangedSomething) {
  auto t = serializable();
  next_statement(*t);
  ASSERT_EQ(update(*t, "a", "3"), StorageStatus::kOk);
  change({"b"});
  EXPECT_EQ(update(*t, "b", "3"), StorageStatus::kConflict);
  EXPECT_FALSE(begin_statement_again(*t));
}

TEST_F(AdvanceSnapshotTest, NotWhileACursorReadsOn) {
  auto t = serializable();
  const ReadView view = next(*t).view();
  const auto cursor = table->scan(*t, view, KeyRange::all());
  const auto pin = t->pin(view);
  change({"b"});
  EXPECT_EQ(get(next_statement(*t), "b"), "1");
  EXPECT_EQ(drain(*cursor).size(), 3U);
}

// It began before the other was known to be followed.
TEST(AdvanceSnapshot, TheFirstOfAStoreStays) {
  class First : public StoreFixture {
   public:
    First() : StoreFixture(1024) {}
    void TestBody() override {
      put("a", "1");
      auto t = serializable();
      EXPECT_EQ(read(*t, "x"), "-");
      put("a", "2");
      advance_snapshot(*t);
      EXPECT_EQ(read(*t, "a"), "1");
    }
  };
  First().TestBody();
}

}  // namespace
}  // namespace indigo::storage
