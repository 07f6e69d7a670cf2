// The anomalies of the literature, one spec each: which are refused at READ COMMITTED and REPEATABLE READ, and what
// happens instead. T1, T2 and T3 are transactions; a schedule reads from top to bottom.
// Source: Berenson et al., A critique of ANSI SQL isolation levels; Adya, Weak consistency; the Hermitage schedules.
#include <thread>

#include <gtest/gtest.h>

#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

constexpr Isolation kBoth[] = {Isolation::kReadCommitted, Isolation::kRepeatableRead};

class IsolationTest : public StoreFixture {
 protected:
  Rows read_all(Transaction& t) { return scan(next(t)); }

  // Runs a statement that has to wait; comes back when it waits.
  template <class F>
  std::thread waits(F statement) {
    size_t before = waiting();
    std::thread thread(statement);
    while (waiting() == before) std::this_thread::yield();
    return thread;
  }
  size_t waiting() {
    size_t n = 0;
    for (const LockInfo& info : store->locks().snapshot()) n += !info.granted;
    return n;
  }
};

// G0, dirty write: T2 writes over what T1 has not committed, and the two mix their writes of a and b.
// Here T2's first write waits for T1's end.
TEST_F(IsolationTest, NoDirtyWrite) {
  put("a", "0");
  put("b", "0");
  auto t1 = begin();
  auto t2 = begin();
  ASSERT_EQ(write(*t1, "a", "1"), StorageStatus::kOk);
  std::thread second = waits([&] {
    EXPECT_EQ(write(*t2, "a", "2"), StorageStatus::kOk);
    EXPECT_EQ(write(*t2, "b", "2"), StorageStatus::kOk);
    commit(*t2);
  });
  ASSERT_EQ(write(*t1, "b", "1"), StorageStatus::kOk);
  commit(*t1);
  second.join();
  EXPECT_EQ(committed(), (Rows{{"a", "2"}, {"b", "2"}}));
}

// G1a, aborted read: T2 sees what T1 wrote before T1 rolls back.
TEST_F(IsolationTest, NoAbortedRead) {
  for (Isolation isolation : kBoth) {
    put("a", "0");
    auto t1 = begin(), t2 = begin(isolation);
    ASSERT_EQ(write(*t1, "a", "1"), StorageStatus::kOk);
    ASSERT_EQ(insert(next(*t1), "b", "1"), StorageStatus::kOk);
    EXPECT_EQ(read_all(*t2), (Rows{{"a", "0"}}));
    store->rollback(*t1);
    EXPECT_EQ(read_all(*t2), (Rows{{"a", "0"}}));
  }
}

// G1b, intermediate read: T2 sees a value that T1 wrote and later replaced.
TEST_F(IsolationTest, NoIntermediateRead) {
  put("a", "0");
  auto t1 = begin(), t2 = begin();
  ASSERT_EQ(write(*t1, "a", "1"), StorageStatus::kOk);
  EXPECT_EQ(read(*t2, "a"), "0");
  ASSERT_EQ(write(*t1, "a", "2"), StorageStatus::kOk);
  EXPECT_EQ(read(*t2, "a"), "0");
  commit(*t1);
  EXPECT_EQ(read(*t2, "a"), "2");
}

// G1c, circular information flow: T1 and T2 each see what the other wrote.
TEST_F(IsolationTest, NoCircularInformationFlow) {
  for (Isolation isolation : kBoth) {
    put("a", "0");
    put("b", "0");
    auto t1 = begin(isolation), t2 = begin(isolation);
    ASSERT_EQ(write(*t1, "a", "1"), StorageStatus::kOk);
    ASSERT_EQ(write(*t2, "b", "2"), StorageStatus::kOk);
    EXPECT_EQ(read(*t1, "b"), "0");
    EXPECT_EQ(read(*t2, "a"), "0");
    commit(*t1);
    commit(*t2);
  }
}

// OTV, observed transaction vanishes: T3 sees T2's write of a and then an older value of b, which T2 wrote too.
TEST_F(IsolationTest, AnObservedTransactionDoesNotVanish) {
  put("a", "0");
  put("b", "0");
  auto t1 = begin(), t2 = begin(), t3 = begin();
  ASSERT_EQ(write(*t1, "a", "1"), StorageStatus::kOk);
  ASSERT_EQ(write(*t1, "b", "1"), StorageStatus::kOk);
  std::thread second = waits([&] {
    EXPECT_EQ(write(*t2, "a", "2"), StorageStatus::kOk);
    EXPECT_EQ(write(*t2, "b", "2"), StorageStatus::kOk);
  });
  commit(*t1);
  second.join();
  EXPECT_EQ(read_all(*t3), (Rows{{"a", "1"}, {"b", "1"}}));
  commit(*t2);
  EXPECT_EQ(read_all(*t3), (Rows{{"a", "2"}, {"b", "2"}}));
}

// Non-repeatable read and phantom: a second look differs. READ COMMITTED allows it, REPEATABLE READ does not.
TEST_F(IsolationTest, RepeatableReadsRepeat) {
  put("a", "0");
  put("b", "0");
  auto rc = begin(), rr = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(read_all(*rc), (Rows{{"a", "0"}, {"b", "0"}}));
  EXPECT_EQ(read_all(*rr), (Rows{{"a", "0"}, {"b", "0"}}));
  put("a", "1");
  remove("b");
  put("c", "1");
  EXPECT_EQ(read_all(*rc), (Rows{{"a", "1"}, {"c", "1"}}));
  EXPECT_EQ(read_all(*rr), (Rows{{"a", "0"}, {"b", "0"}}));
  EXPECT_EQ(read(*rr, "c"), "-");
  EXPECT_EQ(read(*rr, "b"), "0");
}

// P4, lost update: T1 and T2 read 0, both write, and one of the writes has no effect.
// REPEATABLE READ refuses the second writer; READ COMMITTED shows it the newest row, so that UPDATE computes from it.
TEST_F(IsolationTest, NoLostUpdate) {
  put("a", "0");
  auto t1 = begin(Isolation::kRepeatableRead), t2 = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(read(*t1, "a"), "0");
  EXPECT_EQ(read(*t2, "a"), "0");
  ASSERT_EQ(write(*t1, "a", "1"), StorageStatus::kOk);
  std::thread second = waits([&] { EXPECT_EQ(write(*t2, "a", "2"), StorageStatus::kConflict); });
  commit(*t1);
  second.join();
  store->rollback(*t2);

  auto t3 = begin();
  EXPECT_EQ(read(*t3, "a"), "1");
  put("a", "5");
  Claimed claimed;
  Transaction& t = *t3;  // no new statement: the snapshot still has 1
  ASSERT_EQ(table->claim(t, t.view(), "a", RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed), StorageStatus::kOk);
  EXPECT_TRUE(claimed.changed);
  EXPECT_EQ(claimed.row, "5");
  ASSERT_EQ(table->update(t, "a", claimed.row + "+1", nullptr), StorageStatus::kOk);
  commit(t);
  EXPECT_EQ(committed(), (Rows{{"a", "5+1"}}));
}

// G-single, read skew: T1 reads a, T2 changes a and b, T1 reads the new b.
TEST_F(IsolationTest, NoReadSkewAtRepeatableRead) {
  put("a", "0");
  put("b", "0");
  auto t1 = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(read(*t1, "a"), "0");
  auto t2 = begin();
  ASSERT_EQ(write(*t2, "a", "1"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "1"), StorageStatus::kOk);
  commit(*t2);
  EXPECT_EQ(read(*t1, "b"), "0");
  EXPECT_EQ(write(*t1, "b", "2"), StorageStatus::kConflict);
  store->rollback(*t1);
}

// The same through a delete: T1 may not write what T2 has deleted since T1's snapshot.
TEST_F(IsolationTest, AWriteOverAYoungerDeleteIsRefused) {
  put("a", "0");
  auto t1 = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(read(*t1, "a"), "0");
  remove("a");
  EXPECT_EQ(read(*t1, "a"), "0");
  EXPECT_EQ(write(*t1, "a", "1"), StorageStatus::kConflictDelete);
  store->rollback(*t1);
  // READ COMMITTED finds the row gone.
  auto t2 = begin();
  EXPECT_EQ(write(*t2, "a", "1"), StorageStatus::kNotFound);
}

// G2, write skew: T1 and T2 read both rows and write one each. Snapshot isolation allows it; SERIALIZABLE will not.
TEST_F(IsolationTest, WriteSkewPassesBelowSerializable) {
  put("a", "1");
  put("b", "1");
  auto t1 = begin(Isolation::kRepeatableRead), t2 = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(read_all(*t1), (Rows{{"a", "1"}, {"b", "1"}}));
  EXPECT_EQ(read_all(*t2), (Rows{{"a", "1"}, {"b", "1"}}));
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "0"), StorageStatus::kOk);
  commit(*t1);
  commit(*t2);
  EXPECT_EQ(committed(), (Rows{{"a", "0"}, {"b", "0"}}));
}

// A transaction reads what it wrote, in every way of reading, and no other does before it commits.
TEST_F(IsolationTest, OwnWritesAreReadByTheirWriterOnly) {
  IndexId index = IndexId{store->next_id().value};
  {
    auto t = begin();
    ASSERT_EQ(table->create_index(*t, index, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
    commit(*t);
  }
  put("a", "red:0");
  for (Isolation isolation : kBoth) {
    auto t1 = begin(isolation), t2 = begin(isolation);
    ASSERT_EQ(write(*t1, "a", "blue:1"), StorageStatus::kOk);
    ASSERT_EQ(insert(next(*t1), "b", "red:2"), StorageStatus::kOk);
    auto through_index = [&](Transaction& t, Bytes color) {
      return drain(*table->scan_index(t, next(t).view(), index, KeyRange::point(color)));
    };
    using List = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(read_all(*t1), (Rows{{"a", "blue:1"}, {"b", "red:2"}}));
    EXPECT_EQ(through_index(*t1, "red"), (List{{"b", "red:2"}}));
    EXPECT_EQ(through_index(*t1, "blue"), (List{{"a", "blue:1"}}));
    EXPECT_EQ(read_all(*t2), (Rows{{"a", "red:0"}}));
    EXPECT_EQ(through_index(*t2, "red"), (List{{"a", "red:0"}}));
    EXPECT_EQ(through_index(*t2, "blue"), List{});
    ASSERT_EQ(erase(next(*t1), "a"), StorageStatus::kOk);
    EXPECT_EQ(read_all(*t1), (Rows{{"b", "red:2"}}));
    EXPECT_EQ(through_index(*t1, "blue"), List{});
    store->rollback(*t1);
    EXPECT_EQ(through_index(*t2, "red"), (List{{"a", "red:0"}}));
  }
}

// Three transactions wait in a circle, through two records and an advisory lock: one fails, the others finish. Whoever looks
// last before the circle is known is the victim: mostly the one that closes it.
TEST_F(IsolationTest, ADeadlockOfThreeHasOneVictim) {
  put("a", "0");
  put("b", "0");
  auto t1 = begin(), t2 = begin(), t3 = begin();
  const std::chrono::milliseconds none{0};
  ASSERT_EQ(write(*t1, "a", "1"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "2"), StorageStatus::kOk);
  ASSERT_EQ(store->locks().lock_advisory(store->lock_owner(*t3), 1, "key", false, true, none), StorageStatus::kOk);
  std::atomic<int> victim{0};
  const auto finish = [&](Transaction& t, int number, StorageStatus status) {
    if (status != StorageStatus::kDeadlock) {
      EXPECT_EQ(status, StorageStatus::kOk);
      return commit(t);
    }
    EXPECT_EQ(victim.exchange(number), 0);
    store->rollback(t);
  };
  std::thread first = waits([&] { finish(*t1, 1, write(*t1, "b", "1")); });
  std::thread second =
      waits([&] { finish(*t2, 2, store->locks().lock_advisory(store->lock_owner(*t2), 1, "key", true, true, none)); });
  finish(*t3, 3, write(*t3, "a", "3"));
  second.join();
  first.join();
  ASSERT_NE(victim, 0);
  EXPECT_EQ(committed(), (Rows{{"a", victim == 3 ? "1" : "3"}, {"b", victim == 1 ? "2" : "1"}}));
  EXPECT_EQ(waiting(), 0);
}

// A unique key has one owner at any time: the second inserter waits for the first, whatever becomes of it.
TEST_F(IsolationTest, TheSecondInserterOfAKeyWaitsForTheFirst) {
  for (bool first_commits : {true, false}) {
    auto t1 = begin(), t2 = begin();
    std::string key = first_commits ? "a" : "b";
    ASSERT_EQ(insert(*t1, key, "1"), StorageStatus::kOk);
    std::thread second = waits([&] {
      EXPECT_EQ(insert(*t2, key, "2"), first_commits ? StorageStatus::kDuplicateKey : StorageStatus::kOk);
      first_commits ? store->rollback(*t2) : commit(*t2);
    });
    first_commits ? commit(*t1) : store->rollback(*t1);
    second.join();
  }
  EXPECT_EQ(committed(), (Rows{{"a", "1"}, {"b", "2"}}));
}

}  // namespace
}  // namespace indigo::storage
