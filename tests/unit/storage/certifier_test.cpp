// The certifier's partitions: who is held up by whom, and that whoever is not still sees the other. Above a schedule stands the
// rule that it needs, by its name in base/mutation.h: with it switched off the spec is red (tests/history/run --mutations).
#include <algorithm>
#include <random>
#include <thread>

#include "base/mutation.h"
#include "storage/txn/advance_snapshot.h"
#include "tests/unit/storage/schedule.h"

namespace indigo::storage {
namespace {

class CertifierTest : public ScheduleFixture {
 protected:
  Certifier& certifier() { return impl().certifier(); }
  static uint64_t point_partition(Table& t, Bytes key) { return KeySlots::partition_of(hash_read(t.id().value, key)); }

  // As many writes as it takes for the table to have fences.
  void spread_writes(Table& t, int writes = 10000) {
    std::mt19937_64 random(1);
    auto txn = serializable();
    drain(*t.scan(*txn, txn->view(), KeyRange::all()));  // who reads ranges is expected from now on
    for (int i = 0; i < writes; i++) {
      const std::string key = key_of(static_cast<int>(random() % 100000000));
      if (t.insert(*txn, key, "row", nullptr) == StorageStatus::kDuplicateKey) continue;
      if (i % 500 == 499) {
        commit(*txn);
        txn = serializable();
      }
    }
    commit(*txn);
  }
  // From here on commits at weaker levels are followed, so that snapshots move.
  void let_snapshots_move() {
    auto t = serializable();
    put("c", "1");
    advance_snapshot(*t);
    commit(*t);
  }
  // A statement of its own, as sessions begin them.
  static void next_statement(Transaction& t) {
    t.next_command();
    advance_snapshot(t);
    t.take_statement_snapshot();
  }
  size_t count_in(Table& where, Transaction& t) {
    KeyRange range;
    range.has_low = range.has_high = true;
    range.low = "m";
    range.high = "p";
    return drain(*where.scan(t, next(t).view(), range)).size();
  }
  // In that range of the table, and beside it in the fixture's.
  void insert_twice(Table& where) {
    auto w = serializable();
    ASSERT_EQ(where.insert(next(*w), "n", "1", nullptr), StorageStatus::kOk);
    ASSERT_EQ(insert(next(*w), "b", "1"), StorageStatus::kOk);
    commit(*w);
  }
  // `t` has read before insert_twice(), and `changes` is about to change the map.
  void stays_before(Transaction& t, Actor& changes) {
    Actor statement = starts([&] { next_statement(t); });
    if (mutated(Mutation::kMapFirst)) statement.ends();  // else it waits for the partitions
    changes.goes_on();
    statement.ends();
    EXPECT_EQ(get(t, "b"), "-");
  }
  // So many that readers do not look at each.
  std::vector<std::unique_ptr<Transaction>> more_sessions() {
    std::vector<std::unique_ptr<Transaction>> sessions;
    for (int i = 0; i < 20; i++) sessions.push_back(serializable());
    return sessions;
  }
};

// T1 stands in its section. T2, which has nothing in common with it, commits meanwhile.
TEST_F(CertifierTest, DisjointTransactionsCommitSideBySide) {
  auto other = store->create_table({1024, {}});
  const auto write_other = [&](Transaction& t, Bytes key) { return other->insert(next(t), key, "1", nullptr); };
  put("a", "1");
  auto t1 = serializable(), t2 = serializable();
  read(*t1, "a");
  ASSERT_EQ(write(*t1, "a", "2"), StorageStatus::kOk);
  // A key in another partition than a's.
  std::string key = "k";
  while (point_partition(*other, key) == point_partition(*table, "a")) key += "k";
  ASSERT_EQ(write_other(*t2, key), StorageStatus::kOk);
  Actor one = starts([&] { commit(*t1); }, PausePoint::kCertified);
  commit(*t2);
  EXPECT_FALSE(one.ended());
  one.goes_on();
}

// The same in two places of one table, once it is known where its keys lie.
TEST_F(CertifierTest, DisjointPlacesOfOneTableAreWrittenSideBySide) {
  spread_writes(*table);
  EXPECT_GE(certifier().statistics().map_version, 1U);
  const std::string low = key_of(10), high = [&] {
    for (int i = 99999990;; i--) {
      if (point_partition(*table, key_of(i)) != point_partition(*table, key_of(10))) return key_of(i);
    }
  }();
  auto t1 = serializable(), t2 = serializable();
  ASSERT_EQ(insert(next(*t1), low, "1"), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t2), high, "1"), StorageStatus::kOk);
  EXPECT_EQ(count(*t2, key_of(99990000), key_of(99999999)), count(*t2, key_of(99990000), key_of(99999999)));
  Actor one = starts([&] { commit(*t1); }, PausePoint::kCertified);
  commit(*t2);
  EXPECT_FALSE(one.ended());
  one.goes_on();
}

// A reader of other keys does not wait for the section, however many sessions there are.
TEST_F(CertifierTest, AReaderOfOtherKeysPassesASection) {
  for (bool many : {false, true}) {
    std::vector<std::unique_ptr<Transaction>> sessions;
    if (many) sessions = more_sessions();
    put("a", "1");
    std::string key = "k";
    while (point_partition(*table, key) == point_partition(*table, "a")) key += "k";
    put(key, "1");
    auto t1 = serializable(), t2 = serializable();
    ASSERT_EQ(write(*t1, "a", "2"), StorageStatus::kOk);
    EXPECT_EQ(read(*t2, key), "1");
    Actor one = starts([&] { commit(*t1); }, PausePoint::kCertified);
    commit(*t2);
    EXPECT_FALSE(one.ended());
    one.goes_on();
    for (auto& s : sessions) store->rollback(*s);
  }
}

// A reader of the key that is being written waits for the section, and then knows what came of it.
TEST_F(CertifierTest, AReaderOfTheKeyWaitsForTheSection) {
  auto sessions = more_sessions();
  put("x", "0");
  put("y", "0");
  auto t1 = serializable();
  EXPECT_EQ(read(*t1, "y"), "0");
  auto t2 = serializable();
  ASSERT_EQ(write(*t2, "y", "20"), StorageStatus::kOk);
  commit(*t2);
  auto report = serializable();
  EXPECT_EQ(read(*report, "x") + read(*report, "y"), "020");
  ASSERT_EQ(write(*t1, "x", "-11"), StorageStatus::kOk);
  Actor writer = starts([&] { commit(*t1); }, PausePoint::kCertified);
  Actor reader = starts([&] { expect_failure(*report); });
  for (int i = 0; i < 1000 && !reader.ended(); i++) std::this_thread::yield();
  EXPECT_FALSE(reader.ended());
  writer.goes_on();
  reader.ends();
}

// post. The read-only anomaly, and T1's whole section comes while the report is between leaving its stamps and looking for
// writers.
TEST_F(CertifierTest, AReaderLeavesItsStampBeforeItLooksForWriters) {
  auto sessions = more_sessions();
  put("x", "0");
  put("y", "0");
  auto t1 = serializable();
  EXPECT_EQ(read(*t1, "y"), "0");
  auto t2 = serializable();
  ASSERT_EQ(write(*t2, "y", "20"), StorageStatus::kOk);
  commit(*t2);
  auto report = serializable();
  EXPECT_EQ(read(*report, "x") + read(*report, "y"), "020");
  ASSERT_EQ(write(*t1, "x", "-11"), StorageStatus::kOk);
  StorageStatus read_as = StorageStatus::kOk;
  Actor reader = starts([&] { read_as = store->commit(*report); }, PausePoint::kReaderPosted);
  const StorageStatus written_as = store->commit(*t1);
  reader.goes_on();
  EXPECT_TRUE(read_as == StorageStatus::kSerialization || written_as == StorageStatus::kSerialization);
}

// fences. T1 reads a range and commits; then the table's ranges get partitions of their own; then T2, which T1 has not
// seen, writes in the range. And the reverse: the write comes before, the reader's commit after.
TEST_F(CertifierTest, NewPartitionsKnowWhatTheOldOnesKnew) {
  for (bool read_first : {true, false}) {
    auto where = store->create_table({1024, {}});
    const auto range = [&](Transaction& t) {
      KeyRange r;
      r.has_low = r.has_high = true;
      r.low = "m";
      r.high = "p";
      return drain(*where->scan(t, next(t).view(), r)).size();
    };
    auto t1 = serializable(), t2 = serializable();
    EXPECT_EQ(range(*t1), 0U);
    EXPECT_EQ(read(*t2, "a"), "-");
    ASSERT_EQ(insert(next(*t1), "a", "1"), StorageStatus::kOk);
    ASSERT_EQ(where->insert(next(*t2), "n", "1", nullptr), StorageStatus::kOk);
    commit(read_first ? *t1 : *t2);
    const uint64_t version = certifier().statistics().map_version;
    spread_writes(*where);
    EXPECT_GT(certifier().statistics().map_version, version);
    expect_failure(read_first ? *t2 : *t1);
    remove(read_first ? "a" : "b");
    put("b", "1");
  }
}

// fences. Nobody has read ranges of this table yet, so T2 leaves no key for those who do. T1 is the first one.
TEST_F(CertifierTest, TheFirstReaderOfRangesKnowsWhatWasWrittenBefore) {
  auto where = store->create_table({1024, {}});
  auto t1 = serializable(), t2 = serializable();
  EXPECT_TRUE(drain(*where->scan(*t1, t1->view(), KeyRange::all())).empty());
  EXPECT_EQ(read(*t2, "a"), "-");
  ASSERT_EQ(where->insert(next(*t2), "n", "1", nullptr), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t1), "a", "1"), StorageStatus::kOk);
  commit(*t2);
  expect_failure(*t1);
  // Who comes later is no worse off for it.
  auto t3 = serializable(), t4 = serializable();
  EXPECT_EQ(drain(*where->scan(*t3, t3->view(), KeyRange::all())).size(), 1U);
  EXPECT_EQ(read(*t4, "a"), "-");
  ASSERT_EQ(insert(next(*t3), "a", "1"), StorageStatus::kOk);
  commit(*t4);
  commit(*t3);
}

// map. T has found a range empty, and W has inserted there and committed. While the partitions that will be looked at for
// that are told of it, by R, T begins a statement: its snapshot stays before W's commit (R8).
TEST_F(CertifierTest, ASnapshotDoesNotMovePastAnInsertWhileRangesBecomeExpected) {
  let_snapshots_move();
  auto where = store->create_table({1024, {}});
  auto t = serializable();
  next_statement(*t);
  EXPECT_EQ(count_in(*where, *t), 0U);
  insert_twice(*where);
  auto r = serializable();
  EXPECT_EQ(count_in(*where, *r), 1U);
  Actor reader = starts([&] { commit(*r); }, PausePoint::kMapChanges);
  stays_before(*t, reader);
}

// map. The same when partitions for the range's places have just been made.
TEST_F(CertifierTest, ASnapshotDoesNotMovePastAnInsertWhileFencesAreDrawn) {
  let_snapshots_move();
  auto where = store->create_table({1024, {}});
  auto first = serializable();
  EXPECT_EQ(count_in(*where, *first), 0U);
  commit(*first);  // ranges are expected
  auto t = serializable();
  next_statement(*t);
  EXPECT_EQ(count_in(*where, *t), 0U);
  insert_twice(*where);
  Actor writer = starts([&] { spread_writes(*where); }, PausePoint::kMapChanges);
  stays_before(*t, writer);
}

// A range that lies in several partitions is read in each.
TEST_F(CertifierTest, ARangeIsReadInAllOfItsPartitions) {
  spread_writes(*table);
  for (int part = 0; part < 20; part++) {
    const std::string inside = key_of(2000000 + part * 5000000) + "x";
    auto t1 = serializable(), t2 = serializable();
    count(*t1, key_of(1000000), key_of(99000000));
    EXPECT_EQ(read(*t2, "a"), "-");
    ASSERT_EQ(insert(next(*t1), "a", "1"), StorageStatus::kOk);
    ASSERT_EQ(insert(next(*t2), inside, "1"), StorageStatus::kOk);
    if (part % 2 == 0) {
      commit(*t1);
      expect_failure(*t2);
      remove("a");
    } else {
      commit(*t2);
      expect_failure(*t1);
    }
  }
}

// With more keys than a section looks at one by one: skews are found all the same, and what was not touched is not.
TEST_F(CertifierTest, VeryManyKeysAreLookedAtByTheirSlots) {
  constexpr int kKeys = static_cast<int>(Certifier::kManyWrites) + 100;
  auto loader = begin();
  for (int i = 0; i < kKeys; i++) ASSERT_EQ(insert(*loader, key_of(i), "1"), StorageStatus::kOk);
  commit(*loader);
  const auto read_all = [&](Transaction& t) {
    next(t);
    std::string row;
    for (int i = 0; i < kKeys; i++) ASSERT_EQ(table->get(t, t.view(), key_of(i), row), StorageStatus::kOk);
  };
  const auto write_all = [&](Transaction& t) {
    next(t);
    for (int i = 0; i < kKeys; i++) {
      const StorageStatus s = update(t, key_of(i), "2");
      if (s != StorageStatus::kOk) return s;
    }
    return StorageStatus::kOk;
  };
  for (bool many_first : {true, false}) {
    // One reads much and writes little.
    auto t1 = serializable(), t2 = serializable();
    read_all(*t1);
    read(*t2, "a");
    ASSERT_EQ(insert(next(*t1), "a", "1"), StorageStatus::kOk);
    ASSERT_EQ(write(*t2, key_of(kKeys / 2), "2"), StorageStatus::kOk);
    commit(many_first ? *t1 : *t2);
    expect_failure(many_first ? *t2 : *t1);
    if (many_first) remove("a");
    // One writes much.
    auto t3 = serializable(), t4 = serializable();
    read(*t4, key_of(kKeys / 3));
    read(*t3, "b");
    ASSERT_EQ(write_all(*t3), StorageStatus::kOk);
    ASSERT_EQ(insert(next(*t4), "b", "1"), StorageStatus::kOk);
    commit(many_first ? *t3 : *t4);
    expect_failure(many_first ? *t4 : *t3);
    if (!many_first) remove("b");
  }
  auto t1 = serializable();
  read_all(*t1);
  ASSERT_EQ(insert(next(*t1), "c", "1"), StorageStatus::kOk);
  commit(*t1);
}

// Sessions that share partitions in all ways, and hold many at once, do not wait for each other in a circle; and keep the sum.
TEST_F(CertifierTest, ManySessionsWithFootprintsOfAllKinds) {
  constexpr int kKeys = 40, kThreads = 20, kRounds = 60;
  for (int i = 0; i < kKeys; i++) put(key_of(i), "100");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; thread++) {
    threads.emplace_back([&, thread] {
      std::mt19937_64 random(static_cast<uint64_t>(thread));
      for (int round = 0; round < kRounds; round++) {
        auto t = serializable();
        bool fails = false;
        int sum = 0;
        std::string row;
        for (int i = 0; i < kKeys && !fails; i++) {
          fails = table->get(*t, t->view(), key_of(i), row) != StorageStatus::kOk;
          sum += fails ? 0 : std::stoi(row);
        }
        // What all of them have read keeps them to this: each may take one away if the sum stays above the half.
        if (!fails && thread % 2 == 0 && sum > kKeys * 50) {
          const std::string key = key_of(static_cast<int>(random() % kKeys));
          fails = table->get(*t, t->view(), key, row) != StorageStatus::kOk ||
                  write(*t, key, std::to_string(std::stoi(row) - 10)) != StorageStatus::kOk;
        }
        if (fails || store->commit(*t) != StorageStatus::kOk) {
          if (fails) store->rollback(*t);
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  int sum = 0;
  for (const auto& [key, row] : committed()) sum += std::stoi(row);
  EXPECT_GE(sum, kKeys * 50 - 10);
  EXPECT_EQ(certifier().statistics().open, 0U);
}

// What nobody needs any more is given back, however many sessions there are.
TEST_F(CertifierTest, NothingPilesUp) {
  auto sessions = more_sessions();
  for (auto& s : sessions) store->rollback(*s);
  for (int i = 0; i < 20000; i++) {
    auto t = serializable();
    if (i % 2 == 0) {
      ASSERT_EQ(insert(*t, key_of(i), "1"), StorageStatus::kOk);
    } else {
      count(*t, key_of(i - 5), key_of(i));
    }
    commit(*t);
  }
  const auto now = certifier().statistics();
  EXPECT_LT(now.log_records, 64U * 64U);
  EXPECT_LT(now.range_segments, 64U * 64U);
  EXPECT_EQ(now.commits, 20000U);
}

}  // namespace
}  // namespace indigo::storage
