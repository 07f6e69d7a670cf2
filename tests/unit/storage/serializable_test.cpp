// SERIALIZABLE at storage's interface: the anomalies of snapshot isolation, one spec each, and the schedules that a lucky
// interleaving would hide. T1, T2 and T3 are transactions; a schedule reads from top to bottom. tests/sql/isolation_*.test
// has them in SQL.
#include <thread>

#include <gtest/gtest.h>

#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

class SerializableTest : public StoreFixture {
 protected:
  SerializableTest() : index(store->next_id().value) {
    auto t = begin();
    EXPECT_EQ(table->create_index(*t, index, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
    commit(*t);
  }
  size_t count_by_index(Transaction& t, Bytes key) {
    return drain(*table->scan_index(t, next(t).view(), index, KeyRange::point(key))).size();
  }

  IndexId index;
};

// Both read both before either writes.
TEST_F(SerializableTest, WriteSkew) {
  put("a", "1");
  put("b", "1");
  auto t1 = serializable(), t2 = serializable();
  read(*t1, "a"), read(*t1, "b"), read(*t2, "a"), read(*t2, "b");
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "0"), StorageStatus::kOk);
  commit(*t1);
  expect_failure(*t2);
}

// Who cannot commit any more learns it from the write that decides it: a change or an insert that comes after the other's
// commit, of a key or into a range that the other has read.
TEST_F(SerializableTest, TheLastWriteOfASkewFails) {
  put("a", "1");
  put("b", "1");
  auto t1 = serializable(), t2 = serializable();
  read(*t1, "b"), read(*t2, "a");
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  commit(*t1);
  EXPECT_EQ(write(*t2, "b", "0"), StorageStatus::kSerialization);
  store->rollback(*t2);

  auto t3 = serializable(), t4 = serializable();
  EXPECT_EQ(count(*t3, "m", "p") + count(*t4, "c", "d"), 0u);
  ASSERT_EQ(insert(next(*t3), "cc", "1"), StorageStatus::kOk);
  commit(*t3);
  EXPECT_EQ(insert(next(*t4), "n", "1"), StorageStatus::kSerialization);
  store->rollback(*t4);
}

// Each inserts into the range that the other has found empty.
TEST_F(SerializableTest, PhantomTwins) {
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(count(*t1, "m", "p") + count(*t2, "a", "d"), 0u);
  ASSERT_EQ(insert(next(*t1), "b", "1"), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t2), "n", "1"), StorageStatus::kOk);
  commit(*t1);
  expect_failure(*t2);
}

TEST_F(SerializableTest, PhantomsBesideTheRangeAreNone) {
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(count(*t1, "m", "p") + count(*t2, "a", "d"), 0u);
  ASSERT_EQ(insert(next(*t1), "dd", "1"), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t2), "l", "1"), StorageStatus::kOk);
  commit(*t1);
  commit(*t2);
}

// Each inserts the key that the other has looked for in vain.
TEST_F(SerializableTest, FailedLookups) {
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(read(*t1, "b") + read(*t2, "a"), "--");
  ASSERT_EQ(insert(next(*t1), "a", "1"), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t2), "b", "1"), StorageStatus::kOk);
  commit(*t1);
  expect_failure(*t2);
}

// Each moves a row into the part of the index that the other has read.
TEST_F(SerializableTest, PhantomsOfASecondaryIndex) {
  put("a", "red:1");
  put("b", "blue:1");
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(count_by_index(*t1, "green") + count_by_index(*t2, "yellow"), 0u);
  ASSERT_EQ(write(*t1, "a", "yellow:1"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "green:1"), StorageStatus::kOk);
  commit(*t1);
  expect_failure(*t2);
}

// What a LIMIT has not looked at was not read.
TEST_F(SerializableTest, AScanReadsAsFarAsItGoes) {
  for (char c = 'a'; c <= 'z'; c++) put(std::string(1, c), "1");
  auto t1 = serializable(), t2 = serializable();
  auto cursor = table->scan(*t1, next(*t1).view(), KeyRange::all());
  RowRef first[3];
  size_t n;
  ASSERT_EQ(cursor->next(first, n), StorageStatus::kOk);
  EXPECT_EQ(n, 3u);
  read(*t2, "m");
  ASSERT_EQ(write(*t1, "m", "2"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "d", "2"), StorageStatus::kOk);
  commit(*t1);
  commit(*t2);
}

// T3 sees T2 but not T1, T1 does not see T2: the report makes the pair impossible to order.
TEST_F(SerializableTest, ReadOnlyAnomaly) {
  for (bool declared : {false, true}) {
    put("x", "0");
    put("y", "0");
    auto t1 = serializable();
    EXPECT_EQ(read(*t1, "y"), "0");
    read(*t1, "x");
    auto t2 = serializable();
    ASSERT_EQ(write(*t2, "y", "20"), StorageStatus::kOk);
    commit(*t2);
    auto t3 = store->begin(Isolation::kSerializable, 0);
    if (declared) t3->declare_read_only();
    EXPECT_EQ(read(*t3, "x") + read(*t3, "y"), "020");
    commit(*t3);
    EXPECT_EQ(write(*t1, "x", "-11"), StorageStatus::kSerialization);
    store->rollback(*t1);
  }
}

// The same, but the report ends last.
TEST_F(SerializableTest, ReadOnlyAnomalySeenByTheReader) {
  put("x", "0");
  put("y", "0");
  auto t1 = serializable();
  read(*t1, "y"), read(*t1, "x");
  auto t2 = serializable();
  ASSERT_EQ(write(*t2, "y", "20"), StorageStatus::kOk);
  commit(*t2);
  auto t3 = store->begin(Isolation::kSerializable, 0);
  t3->declare_read_only();
  read(*t3, "y");
  ASSERT_EQ(write(*t1, "x", "-11"), StorageStatus::kOk);
  commit(*t1);
  std::string row;
  EXPECT_EQ(table->get(*t3, t3->view(), "x", row), StorageStatus::kSerialization);
  store->rollback(*t3);
}

TEST_F(SerializableTest, ADeferrableReaderWaitsForASafeSnapshot) {
  put("x", "0");
  put("y", "0");
  auto t1 = serializable();
  read(*t1, "y"), read(*t1, "x");
  auto t2 = serializable();
  ASSERT_EQ(write(*t2, "y", "20"), StorageStatus::kOk);
  commit(*t2);
  auto t3 = store->begin(Isolation::kSerializable, 0);
  t3->declare_read_only();
  std::atomic<bool> safe{false};
  std::thread reader([&] {
    EXPECT_EQ(t3->take_safe_snapshot(), StorageStatus::kOk);
    safe = true;
  });
  auto& certifier = static_cast<StoreImpl&>(*store).certifier();
  while (certifier.statistics().open < 2) std::this_thread::yield();
  EXPECT_FALSE(safe);
  ASSERT_EQ(write(*t1, "x", "-11"), StorageStatus::kOk);
  commit(*t1);  // makes the first snapshot unsafe; there is a second one
  reader.join();
  EXPECT_EQ(read(*t3, "x") + read(*t3, "y"), "-1120");
  commit(*t3);
}

TEST_F(SerializableTest, AReadOnlySnapshotWithoutWritersIsNotTracked) {
  put("x", "0");
  auto t = store->begin(Isolation::kSerializable, 0);
  t->declare_read_only();
  EXPECT_EQ(read(*t, "x"), "0");
  EXPECT_EQ(static_cast<StoreImpl&>(*store).certifier().statistics().open, 0u);
  commit(*t);
}

// R6: what was read before rolling back to a savepoint was read.
TEST_F(SerializableTest, RollingBackTakesNoReadBack) {
  put("a", "1");
  put("b", "1");
  auto t1 = serializable(), t2 = serializable();
  uint32_t level = t1->savepoint();
  read(*t1, "b");
  t1->rollback_to(level);
  read(*t2, "a");
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "0"), StorageStatus::kOk);
  commit(*t1);
  expect_failure(*t2);
}

// An insert that found its key taken has read it; so has one that was rolled back to a savepoint after it.
TEST_F(SerializableTest, AConflictingInsertReads) {
  put("a", "1");
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(insert(next(*t1), "a", "2"), StorageStatus::kDuplicateKey);
  read(*t2, "log");
  ASSERT_EQ(insert(next(*t1), "log", "1"), StorageStatus::kOk);
  ASSERT_EQ(erase(next(*t2), "a"), StorageStatus::kOk);
  commit(*t1);
  expect_failure(*t2);
}

// FOR KEY SHARE, which foreign keys use, reads that the record is there, not what is in it.
TEST_F(SerializableTest, KeyShareReadsTheKeyAlone) {
  put("parent", "1");
  put("other", "1");
  auto t1 = serializable(), t2 = serializable();
  Claimed claimed;
  ASSERT_EQ(table->lock_row(*t1, t1->newest_view(), "parent", RowLockMode::kKeyShare, LockWait::kWait, claimed),
            StorageStatus::kOk);
  read(*t2, "other");
  ASSERT_EQ(write(*t1, "other", "2"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "parent", "2"), StorageStatus::kOk);
  commit(*t1);
  commit(*t2);
}

// R7: who begins after another was acknowledged comes after it. T reads what W overwrites, W reads what V overwrote, and V
// is acknowledged before T begins.
TEST_F(SerializableTest, TheOrderAgreesWithRealTime) {
  put("v", "0");
  put("w", "0");
  auto w = serializable();
  read(*w, "v");
  auto v = serializable();
  ASSERT_EQ(write(*v, "v", "1"), StorageStatus::kOk);
  commit(*v);
  auto t = serializable();
  read(*t, "w");
  commit(*t);
  EXPECT_EQ(write(*w, "w", "1"), StorageStatus::kSerialization);
  store->rollback(*w);
}

// A tombstone is purged between a reader and a writer, and its leaf merged away.
TEST_F(SerializableTest, ThePurgeOfATombstoneLosesNothing) {
  for (int i = 0; i < 300; i++) put(key_of(i), std::string(100, 'x'));
  auto t1 = serializable();
  EXPECT_EQ(count(*t1, key_of(100), key_of(200)), 101u);
  auto t2 = serializable();
  read(*t2, "other");
  for (int i = 100; i <= 200; i++) ASSERT_EQ(erase(next(*t2), key_of(i)), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t1), "other", "1"), StorageStatus::kOk);
  commit(*t2);
  for (int i = 0; i < 3; i++) store->reclaim();
  expect_failure(*t1);
}

// Weaker transactions neither fail nor make others fail.
TEST_F(SerializableTest, WeakerLevelsAreNoPartOfIt) {
  put("a", "1");
  put("b", "1");
  auto t1 = serializable();
  auto t2 = begin(Isolation::kRepeatableRead);
  read(*t1, "b"), read(*t2, "a");
  ASSERT_EQ(write(*t1, "a", "0"), StorageStatus::kOk);
  ASSERT_EQ(write(*t2, "b", "0"), StorageStatus::kOk);
  commit(*t2);
  commit(*t1);
}

}  // namespace
}  // namespace indigo::storage
