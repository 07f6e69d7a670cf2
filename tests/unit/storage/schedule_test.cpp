// The schedules that the proof of the storage engine names, one spec each. Above each stands the rule that it needs, by its
// name in base/mutation.h: with it switched off the spec is red (tests/history/run --mutations). R5 has its spec in
// commit_test.cpp.
#include "tests/unit/storage/schedule.h"

#include "base/mutation.h"
#include "storage/clone.h"
#include "tests/unit/storage/colon_extractor.h"

namespace indigo::storage {
namespace {

using ScheduleTest = ScheduleFixture;

// exclusion. T1 and T2 read a and b, then T1 writes a and T2 writes b.
TEST_F(ScheduleTest, WriteSkewWithBothReadsBeforeBothWrites) {
  put("a", "1");
  put("b", "1");
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(read(*t1, "a") + read(*t1, "b"), "11");
  EXPECT_EQ(read(*t2, "a") + read(*t2, "b"), "11");
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "0"), StorageStatus::kOk);
  commit(*t1);
  expect_failure(*t2);
}

// section. The same pair, and both are in their commits at once: T1 stands between its test and its stamp.
TEST_F(ScheduleTest, WriteSkewWithBothInTheirCommits) {
  put("a", "1");
  put("b", "1");
  auto t1 = serializable(), t2 = serializable();
  read(*t1, "b"), read(*t2, "a");
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "0"), StorageStatus::kOk);
  StorageStatus first = StorageStatus::kOk, second = StorageStatus::kOk;
  Actor one = starts([&] { first = store->commit(*t1); }, PausePoint::kCertified);
  Actor two = starts([&] { second = store->commit(*t2); });
  if (mutated(Mutation::kNoCommitSection)) two.ends();  // else it waits for the section
  one.goes_on();
  two.ends();
  EXPECT_EQ(first, StorageStatus::kOk);
  EXPECT_EQ(second, StorageStatus::kSerialization);
}

// gaps. T1 and T2 find each other's range empty and insert into it; T1 has its stamp, and has installed nothing, when T2
// commits.
TEST_F(ScheduleTest, PhantomTwinsWithOneBetweenStampAndInstall) {
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(count(*t1, "m", "p") + count(*t2, "a", "d"), 0U);
  ASSERT_EQ(insert(next(*t1), "b", "1"), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t2), "n", "1"), StorageStatus::kOk);
  Actor one = starts([&] { commit(*t1); }, PausePoint::kStamped);
  Actor two = starts([&] { expect_failure(*t2); });
  if (!kMutations) two.ends();  // when it commits after all, it waits for T1's stamp
  one.goes_on();
}

// gaps. The same with the ranges of a secondary index, by rows that move.
TEST_F(ScheduleTest, PhantomTwinsInASecondaryIndex) {
  const IndexId index(store->next_id().value);
  auto ddl = begin();
  ASSERT_EQ(table->create_index(*ddl, index, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
  commit(*ddl);
  put("a", "red:1");
  put("b", "blue:1");
  auto t1 = serializable(), t2 = serializable();
  const auto in_range = [&](Transaction& t, Bytes low, Bytes high) {
    KeyRange range;
    range.has_low = range.has_high = true;
    range.low = low;
    range.high = high;
    return drain(*table->scan_index(t, next(t).view(), index, range)).size();
  };
  EXPECT_EQ(in_range(*t1, "g", "h") + in_range(*t2, "x", "z"), 0U);
  ASSERT_EQ(write(*t1, "a", "yellow:1"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "green:1"), StorageStatus::kOk);
  Actor one = starts([&] { commit(*t1); }, PausePoint::kStamped);
  Actor two = starts([&] { expect_failure(*t2); });
  if (!kMutations) two.ends();
  one.goes_on();
}

// R3. T1 meets k's tombstone, which is purged before T2 inserts k: T1 has read that there was none.
TEST_F(ScheduleTest, ATombstoneIsPurgedBetweenAReaderAndAWriter) {
  auto snapshot = begin(Isolation::kRepeatableRead);  // keeps the tombstone until now
  put("k", "1");
  remove("k");
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(read(*t1, "k"), "-");
  EXPECT_EQ(read(*t2, "other"), "-");
  store->rollback(*snapshot);
  for (int i = 0; i < 3; i++) store->reclaim();
  ASSERT_EQ(insert(next(*t2), "k", "2"), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t1), "other", "1"), StorageStatus::kOk);
  commit(*t2);
  expect_failure(*t1);
}

// R6. T1 reads b and rolls back to a savepoint before that; then comes the skew.
TEST_F(ScheduleTest, RollbackToASavepointAndThenSkew) {
  put("a", "1");
  put("b", "1");
  auto t1 = serializable(), t2 = serializable();
  const uint32_t level = t1->savepoint();
  EXPECT_EQ(read(*t1, "b"), "1");
  t1->rollback_to(level);
  EXPECT_EQ(read(*t2, "a"), "1");
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "0"), StorageStatus::kOk);
  commit(*t1);
  expect_failure(*t2);
}

// R7. T reads what W overwrites, W has read what V overwrote: T, W, V. But V was acknowledged before T began.
TEST_F(ScheduleTest, WhoBeginsAfterAnAcknowledgementComesAfterIt) {
  put("v", "0");
  put("w", "0");
  auto w = serializable();
  EXPECT_EQ(read(*w, "v"), "0");
  auto v = serializable();
  ASSERT_EQ(write(*v, "v", "1"), StorageStatus::kOk);
  commit(*v);
  auto t = serializable();
  EXPECT_EQ(read(*t, "w"), "0");
  ASSERT_EQ(write(*w, "w", "1"), StorageStatus::kOk);
  commit(*w);
  expect_failure(*t);
}

// R1. Nobody has a snapshot when W looks whether the old image is needed; a reader registers, below W's stamp because an
// earlier one is not decided, before W overwrites it.
TEST_F(ScheduleTest, AReaderRegistersBeforeTheOverwrite) {
  put("k", "old");
  auto t1 = begin(), w = begin();
  ASSERT_EQ(insert(*t1, "other", "1"), StorageStatus::kOk);
  ASSERT_EQ(write(*w, "k", "new"), StorageStatus::kOk);
  Actor earlier = starts([&] { commit(*t1); }, PausePoint::kStamped);
  Actor writer = starts([&] { commit(*w); }, PausePoint::kInstall);
  auto reader = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(read(*reader, "k"), "old");
  writer.goes_on_to(PausePoint::kInstalled);
  EXPECT_EQ(read(*reader, "k"), "old");
  store->reclaim();
  EXPECT_EQ(read(*reader, "k"), "old");
  writer.released();
  earlier.goes_on();
  writer.ends();
  EXPECT_EQ(read(*reader, "k"), "old");
  EXPECT_EQ(committed()["k"], "new");
}

// R4. The reader has its snapshot, and only a lower bound of it is known, when W looks whether the old image is needed.
TEST_F(ScheduleTest, AReaderIsHeldBetweenItsSnapshotAndItsRegistration) {
  put("k", "old");
  std::unique_ptr<Transaction> reader;
  Actor late = starts([&] { reader = begin(Isolation::kRepeatableRead); }, PausePoint::kSnapshot);
  put("k", "new");
  store->reclaim();
  late.goes_on();
  EXPECT_EQ(read(*reader, "k"), "old");
  put("k", "newer");
  EXPECT_EQ(read(*reader, "k"), "old");
}

// follow. T1 moves the row from a to b; T2, READ COMMITTED, has waited for it at a and changes b.
TEST_F(ScheduleTest, AKeyUpdateIsMetByAWaitingUpdater) {
  put("a", "1");
  auto t1 = begin();
  Claimed mine;
  ASSERT_EQ(table->claim(*t1, t1->view(), "a", RowLockMode::kUpdate, LockWait::kWait, mine), StorageStatus::kOk);
  ASSERT_EQ(table->update_key(*t1, "a", "b", "2", nullptr), StorageStatus::kOk);
  Actor waiter = waits([&] {
    auto t2 = begin();
    Claimed claimed;
    EXPECT_EQ(table->claim(*t2, t2->view(), "a", RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed),
              StorageStatus::kOk);
    EXPECT_EQ(claimed.key + "=" + claimed.row, "b=2");
    if (claimed.key == "b") {
      EXPECT_EQ(table->update(*t2, "b", "3", nullptr), StorageStatus::kOk);
    }
    commit(*t2);
  });
  commit(*t1);
  waiter.ends();
  EXPECT_EQ(committed(), (Rows{{"b", "3"}}));
}

// index. T1, REPEATABLE READ, sees a under red; a has become blue before the index of the newest colours is made.
TEST_F(ScheduleTest, AnIndexIsCreatedWhileARepeatableReadIsOpen) {
  put("a", "red:1");
  auto t1 = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(read(*t1, "a"), "red:1");
  put("a", "blue:1");
  const IndexId index(store->next_id().value);
  auto ddl = begin();
  ASSERT_EQ(table->create_index(*ddl, index, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
  commit(*ddl);
  const auto reds = [&](Transaction& t) {
    const ReadView view = next(t).view();
    if (table->index_usable(index, view))
      return drain(*table->scan_index(t, view, index, KeyRange::point("red"))).size();
    size_t n = 0;
    for (auto& [k, v] : scan(t)) n += v.starts_with("red:") ? 1U : 0U;
    return n;
  };
  EXPECT_EQ(reds(*t1), 1U);
  auto t2 = begin(Isolation::kRepeatableRead);
  EXPECT_TRUE(table->index_usable(index, t2->view()));
  EXPECT_EQ(reds(*t2), 0U);
}

class CloneScheduleTest : public ScheduleTest {
 protected:
  CloneScheduleTest() {
    auto t = begin();
    for (int i = 0; i < kRows; i++) EXPECT_EQ(insert(*t, key_of(2 * i), "row"), StorageStatus::kOk);
    commit(*t);
    EXPECT_GT(tree(*table).leaf_count(), Inner::kMaxChildren + 0U) << "two levels of inner nodes";
  }
  ~CloneScheduleTest() override { expect_sound(*copy); }

  const Tree& tree(Table& t) { return static_cast<TableImpl&>(t).tree(); }
  void clone() {
    EXPECT_EQ(clone_tables(*store, [&](Cloner& c) { copy = c.clone(*table, {}, {}); }), StorageStatus::kOk);
  }
  StorageStatus change(Transaction& t, Table& where, Bytes key, Bytes row) {
    Claimed claimed;
    StorageStatus s = where.claim(t, t.view(), key, RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed);
    return s == StorageStatus::kOk ? where.update(t, claimed.key, row, nullptr) : s;
  }
  std::string read_from(Table& where, Bytes key) {
    auto t = begin();
    std::string row;
    return where.get(*t, t->view(), key, row) == StorageStatus::kOk ? row : "-";
  }
  size_t count_of(Table& where) {
    auto t = begin();
    return drain(*where.scan(*t, t->view(), KeyRange::all())).size();
  }
  void expect_sound(Table& t) {
    impl().reclaimer().stop();
    EXPECT_EQ(tree(t).check(), "");
  }

  static constexpr int kRows = 20000;
  std::shared_ptr<Table> copy;
};

// copy. Writers of both sides have found the same leaf shared, and are held before they copy it.
TEST_F(CloneScheduleTest, BothSidesCopyTheSameLeaf) {
  clone();
  std::string key = key_of(kRows);
  for (bool source_first : {true, false}) {
    auto t1 = begin(), t2 = begin();
    Actor one = starts(
        [&] {
          EXPECT_EQ(change(*t1, *table, key, "of the source"), StorageStatus::kOk);
          commit(*t1);
        },
        PausePoint::kCopyNode);
    Actor two = starts(
        [&] {
          EXPECT_EQ(change(*t2, *copy, key, "of the clone"), StorageStatus::kOk);
          commit(*t2);
        },
        PausePoint::kCopyNode);
    (source_first ? one : two).goes_on();
    EXPECT_EQ(read_from(*table, key), source_first ? "of the source" : "row");
    EXPECT_EQ(read_from(*copy, key), source_first ? "row" : "of the clone");
    (source_first ? two : one).goes_on();
    EXPECT_EQ(read_from(*table, key), "of the source");
    EXPECT_EQ(read_from(*copy, key), "of the clone");
    EXPECT_EQ(read_from(*table, key_of(kRows + 2)) + read_from(*copy, key_of(kRows + 2)), "rowrow");
    EXPECT_EQ(count_of(*table) + count_of(*copy), 2U * kRows);
    key = key_of(kRows / 2);
  }
}

// clone. A writer stands before the latch of a full leaf, which it will split, when the clone is asked for.
TEST_F(CloneScheduleTest, ACloneWaitsForAWriterBeforeItsLatch) {
  auto t1 = begin();
  Actor writer = starts([&] { EXPECT_EQ(insert(*t1, key_of(kRows + 1), std::string(100, 'x')), StorageStatus::kOk); },
                        PausePoint::kLatch);
  Actor cloner = starts([&] { clone(); });
  while (!cloner.ended() && reached_count(PausePoint::kGateClosed) == 0) std::this_thread::yield();
  writer.goes_on();
  cloner.ends();
  EXPECT_EQ(count_of(*copy), size_t{kRows});
  EXPECT_EQ(read_from(*copy, key_of(kRows + 1)), "-");
  commit(*t1);
  EXPECT_EQ(count_of(*copy), size_t{kRows});
  EXPECT_EQ(count_of(*table), size_t{kRows + 1});
}

// clone. What others have seen committed is in the clone, though its commit has installed nothing yet; and while the clone
// waits for that long commit, others' commits do not wait for the clone.
TEST_F(CloneScheduleTest, ACloneWaitsForALongCommitAndKeepsNobodyOut) {
  auto t1 = begin();
  const std::string key = key_of(kRows);
  ASSERT_EQ(change(*t1, *table, key, "new"), StorageStatus::kOk);
  Actor writer = starts([&] { commit(*t1); }, PausePoint::kInstall);
  EXPECT_EQ(read_from(*table, key), "new");
  Actor cloner = starts([&] { clone(); });
  constexpr int kLooks = 10;
  while (!cloner.ended() && reached_count(PausePoint::kLongCommit) < kLooks) put("meanwhile", "x");
  EXPECT_EQ(reached_count(PausePoint::kGateClosed), 0);
  writer.goes_on();
  cloner.ends();
  EXPECT_EQ(read_from(*copy, key), "new");
  EXPECT_EQ(read_from(*copy, "meanwhile"), "x");
}

// A scan that takes two rows at a time has read a leaf with many, and finds that it has changed meanwhile; when it reads the leaf
// again, few are left. It must have forgotten the first attempt.
TEST_F(ScheduleTest, AScanForgetsAnAttemptThatFailed) {
  for (int i = 0; i < 4; i++) put(key_of(i), "row");
  auto reader = begin(Isolation::kRepeatableRead);
  std::vector<std::string> keys;
  Actor scan = starts(
      [&] {
        auto cursor = table->scan(*reader, reader->view(), KeyRange::all());
        std::vector<RowRef> out(2);
        for (size_t n = 1; n > 0;) {
          EXPECT_EQ(cursor->next(out, n), StorageStatus::kOk);
          for (size_t i = 0; i < n; i++) keys.emplace_back(out[i].key);
        }
      },
      PausePoint::kReadLeaf);
  scan.goes_on_to(PausePoint::kReadLeaf);  // with two rows
  auto loader = begin();
  for (int i = 4; i < 12; i++) ASSERT_EQ(insert(*loader, key_of(i), "row"), StorageStatus::kOk);
  scan.goes_on_to(PausePoint::kReadLeaf);  // the leaf is not as it found it
  store->rollback(*loader);
  for (int i = 0; i < 4; i++) store->reclaim();
  scan.goes_on();
  EXPECT_EQ(keys, (std::vector<std::string>{key_of(0), key_of(1), key_of(2), key_of(3)}));
}

}  // namespace
}  // namespace indigo::storage
