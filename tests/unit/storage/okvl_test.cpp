// Serializable transactions that lock what they read (storage/okvl): one schedule for each rule of its README. Above each
// stands the rule by its name in base/mutation.h: with it switched off the spec is red (tests/history/run --mutations).
#include "storage/index/griffin/griffin_index.h"
#include "storage/index/hash_index.h"
#include "storage/index/hydralist/hydralist_index.h"
#include "storage/index/indexlet/indexlet_index.h"
#include "storage/okvl/key_space.h"
#include "storage/okvl/method.h"
#include "storage/okvl/search.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/schedule.h"

namespace indigo::storage {
namespace {

constexpr std::chrono::milliseconds kSoon{1};  // for who waits for a lock that does not come free

StoreOptions locking(uint32_t escalation = 10'000) {
  StoreOptions options;
  options.locking = true;
  options.lock_escalation = escalation;
  return options;
}

class OkvlTest : public ScheduleFixture {
 protected:
  explicit OkvlTest(const StoreOptions& options = locking()) : ScheduleFixture(1024, options) {}

  IndexId make_index(bool unique = false) {
    const IndexId index(store->next_id().value);
    auto ddl = begin();
    IndexOptions options;
    options.unique = unique;
    EXPECT_EQ(table->create_index(*ddl, index, options, std::make_shared<ColonExtractor>(), nullptr),
              StorageStatus::kOk);
    commit(*ddl);
    return index;
  }
  size_t count_index(Transaction& t, IndexId index, Bytes low, Bytes high) {
    KeyRange range;
    range.has_low = range.has_high = true;
    range.low = low;
    range.high = high;
    return drain(*table->scan_index(t, next(t).view(), index, range)).size();
  }
  // What it would have to wait for does not end.
  static Transaction& impatient(Transaction& t) {
    t.set_lock_timeout(kSoon);
    return next(t);
  }
};

// readlock. Each reads what the other writes: the one who closes the circle is told, and nothing is lost.
TEST_F(OkvlTest, WriteSkewEndsInADeadlock) {
  put("a", "1");
  put("b", "1");
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(read(*t1, "a") + read(*t1, "b"), "11");
  EXPECT_EQ(read(*t2, "a") + read(*t2, "b"), "11");
  StorageStatus first = StorageStatus::kOk;
  Actor one = waits([&] { first = write(*t1, "a", "0"); });
  EXPECT_EQ(write(*t2, "b", "0"), StorageStatus::kDeadlock);
  store->rollback(*t2);
  one.ends();
  EXPECT_EQ(first, StorageStatus::kOk);
  commit(*t1);
}

// readlock. The same with one key: each converts its S to X, and waits for the other's S.
TEST_F(OkvlTest, TwoWhoHaveReadAKeyAndBothChangeItEndInADeadlock) {
  put("a", "1");
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(read(*t1, "a") + read(*t2, "a"), "11");
  StorageStatus first = StorageStatus::kOk;
  Actor one = waits([&] { first = write(*t1, "a", "2"); });
  EXPECT_EQ(write(*t2, "a", "3"), StorageStatus::kDeadlock);
  store->rollback(*t2);
  one.ends();
  EXPECT_EQ(first, StorageStatus::kOk);
  commit(*t1);
  EXPECT_EQ(committed()["a"], "2");
}

// readlock. A missing key is locked by its name.
TEST_F(OkvlTest, WhoHasMissedAKeyKeepsItMissing) {
  put("a", "1");
  auto t1 = serializable(), t2 = serializable(), t3 = begin();
  EXPECT_EQ(read(*t1, "k"), "-");
  EXPECT_EQ(insert(impatient(*t2), "k", "1"), StorageStatus::kLockTimeout);
  EXPECT_EQ(insert(impatient(*t3), "k", "1"), StorageStatus::kLockTimeout);  // weaker levels wait, too
  EXPECT_EQ(insert(next(*t2), "l", "1"), StorageStatus::kOk);                // the gap is nobody's
  commit(*t1);
  EXPECT_EQ(insert(next(*t2), "k", "1"), StorageStatus::kOk);
  commit(*t2);
}

// gaplock. Nothing comes into a range that was read, neither before its first value nor behind its last.
TEST_F(OkvlTest, ARangeThatWasReadStaysAsItIs) {
  put("b", "1");
  put("d", "1");
  put("y", "1");
  for (const bool backward : {false, true}) {
    auto t1 = serializable(), t2 = serializable();
    KeyRange range;
    range.has_low = range.has_high = true;
    range.low = "c";
    range.high = "g";
    const Direction direction = backward ? Direction::kBackward : Direction::kForward;
    EXPECT_EQ(drain(*table->scan(*t1, next(*t1).view(), range, direction)).size(), 1U);
    EXPECT_EQ(insert(impatient(*t2), "c", "1"), StorageStatus::kLockTimeout);
    EXPECT_EQ(insert(impatient(*t2), "e", "1"), StorageStatus::kLockTimeout);
    EXPECT_EQ(insert(impatient(*t2), "z", "1"), StorageStatus::kOk);
    EXPECT_EQ(insert(impatient(*t2), "a", "1"), StorageStatus::kOk);
    store->rollback(*t2);
    store->rollback(*t1);
  }
}

// gaplock. The same before the first value of all, and in a table without any.
TEST_F(OkvlTest, AnEmptyTableThatWasReadStaysEmpty) {
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(count(*t1, "c", "g"), 0U);
  EXPECT_EQ(insert(impatient(*t2), "d", "1"), StorageStatus::kLockTimeout);
}

// inherit. A value that its reader brings into the gap divides it: both parts stay read.
TEST_F(OkvlTest, AValueInAGapTakesTheGapsLockOver) {
  put("a", "1");
  put("z", "1");
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(count(*t1, "a", "z"), 2U);
  ASSERT_EQ(insert(next(*t1), "m", "1"), StorageStatus::kOk);
  EXPECT_EQ(insert(impatient(*t2), "p", "1"), StorageStatus::kLockTimeout);
  EXPECT_EQ(insert(impatient(*t2), "f", "1"), StorageStatus::kLockTimeout);
}

// inherit. Who has read that a value of a secondary index has no entry, and then brings one, keeps the others' out.
TEST_F(OkvlTest, AValueInAGapThatWasReadIsReadAsAWhole) {
  const IndexId index = make_index();
  put("1", "apple:1");
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(count_index(*t1, index, "melon", "nut"), 0U);
  ASSERT_EQ(insert(next(*t1), "2", "melon:1"), StorageStatus::kOk);
  EXPECT_EQ(insert(impatient(*t2), "3", "melon:1"), StorageStatus::kLockTimeout);
  store->rollback(*t2);
  EXPECT_EQ(count_index(*t1, index, "melon", "nut"), 1U);
}

// ghosts. A gap is called by a value that is gone: it stays until the lock does.
TEST_F(OkvlTest, AGhostStaysWhileItsGapIsLocked) {
  put("a", "1");
  put("m", "1");
  auto old = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(read(*old, "m"), "1");
  remove("m");
  auto t1 = serializable();
  EXPECT_EQ(count(*t1, "n", "q"), 0U);
  store->rollback(*old);
  for (int i = 0; i < 3; i++) store->reclaim();
  auto t2 = serializable();
  EXPECT_EQ(insert(impatient(*t2), "o", "1"), StorageStatus::kLockTimeout);
  store->rollback(*t2);
  commit(*t1);
  for (int i = 0; i < 3; i++) store->reclaim();
  EXPECT_EQ(committed().size(), 1U);
}

// gaplock. A ghost with which the range begins goes before its reader has locked it: then the gap has another name.
TEST_F(OkvlTest, AGhostThatGoesBeforeItIsLockedLeavesTheGap) {
  put("a", "1");
  put("c", "1");
  put("q", "1");
  auto old = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(read(*old, "c"), "1");
  remove("c");
  auto t1 = serializable(), t2 = serializable(), t3 = serializable();
  ASSERT_EQ(write(*t1, "q", "2"), StorageStatus::kOk);
  KeyRange range;
  range.has_low = range.has_high = true;
  range.low = "c";
  range.high = "q";
  size_t found = 0;
  Actor reader = waits([&] { found = drain(*table->scan(*t2, next(*t2).view(), range, Direction::kBackward)).size(); });
  store->rollback(*old);
  for (int i = 0; i < 3; i++) store->reclaim();
  commit(*t1);
  reader.ends();
  EXPECT_EQ(found, 1U);
  EXPECT_EQ(insert(impatient(*t3), "d", "1"), StorageStatus::kLockTimeout);
}

// ghosts. The same with an insert that is rolled back, and in a secondary index with an entry whose row has another key.
TEST_F(OkvlTest, AnEntryStaysWhileItsGapIsLocked) {
  const IndexId index = make_index();
  put("1", "apple:1");
  put("2", "melon:1");
  auto old = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(read(*old, "2"), "melon:1");
  put("2", "zebra:1");
  auto t1 = serializable();
  EXPECT_EQ(count_index(*t1, index, "nut", "quince"), 0U);
  store->rollback(*old);
  for (int i = 0; i < 3; i++) store->reclaim();
  auto t2 = serializable();
  EXPECT_EQ(insert(impatient(*t2), "3", "olive:1"), StorageStatus::kLockTimeout);
  store->rollback(*t2);
  commit(*t1);
}

// gaplock. Rows come into a range of a secondary index by a change of their column.
TEST_F(OkvlTest, AnUpdateDoesNotMoveARowIntoARangeThatWasRead) {
  const IndexId index = make_index();
  put("a", "red:1");
  put("b", "blue:1");
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(count_index(*t1, index, "g", "h"), 0U);
  EXPECT_EQ(write(impatient(*t2), "b", "green:1"), StorageStatus::kLockTimeout);
}

// readlock. Neither does a delete take one out, nor a delete and another insert of the same key put another in its place.
TEST_F(OkvlTest, WhatWasReadIsNotReplaced) {
  put("a", "1");
  put("b", "1");
  auto t1 = serializable(), t2 = serializable();
  EXPECT_EQ(count(*t1, "a", "c"), 2U);
  EXPECT_EQ(erase(impatient(*t2), "b"), StorageStatus::kLockTimeout);
  store->rollback(*t2);
  // In one's own transaction it is done, and stays one's own.
  ASSERT_EQ(erase(next(*t1), "b"), StorageStatus::kOk);
  ASSERT_EQ(insert(next(*t1), "b", "2"), StorageStatus::kOk);
  auto t3 = serializable();
  t3->set_lock_timeout(kSoon);
  std::string row;
  EXPECT_EQ(table->get(*t3, next(*t3).view(), "b", row), StorageStatus::kLockTimeout);
}

// Two that read a row before they change it would wait for each other; two that say so read one after the other.
TEST_F(OkvlTest, WhoReadsInOrderToWriteReadsInTurn) {
  put("a", "1");
  {
    auto t1 = serializable(), t2 = serializable();
    read(*t1, "a"), read(*t2, "a");
    Actor one = waits([&] { EXPECT_EQ(write(*t1, "a", "2"), StorageStatus::kOk); });
    EXPECT_EQ(write(*t2, "a", "3"), StorageStatus::kDeadlock);
    store->rollback(*t2);
    one.ends();
    commit(*t1);
  }
  auto t1 = serializable(), t2 = serializable();
  const auto search = [&](Transaction& t) {
    search_to_change(next(t), *table);
    return get(t, "a");
  };
  EXPECT_EQ(search(*t1), "2");
  Actor two = waits([&] {
    EXPECT_EQ(search(*t2), "3");  // what t1 leaves behind: nobody has a snapshot
    EXPECT_EQ(update(*t2, "a", "4"), StorageStatus::kOk);
  });
  ASSERT_EQ(update(*t1, "a", "3"), StorageStatus::kOk);
  commit(*t1);
  two.ends();
  commit(*t2);
  EXPECT_EQ(committed()["a"], "4");
}

// Writers of one key value lock partitions of it, a reader all of them.
TEST_F(OkvlTest, WritersOfOneValueDoNotWaitForEachOther) {
  const IndexId index = make_index();
  put("1", "red:1");
  auto t1 = serializable(), t2 = serializable(), t3 = serializable();
  ASSERT_EQ(insert(next(*t1), "2", "red:2"), StorageStatus::kOk);
  ASSERT_EQ(insert(impatient(*t2), "3", "red:3"), StorageStatus::kOk);
  std::string row;
  size_t n = 0;
  std::vector<RowRef> out(4);
  impatient(*t3);
  EXPECT_EQ(table->scan_index(*t3, t3->view(), index, KeyRange::point("red"))->next(out, n),
            StorageStatus::kLockTimeout);
  commit(*t1);
  commit(*t2);
  EXPECT_EQ(table->scan_index(*t3, t3->view(), index, KeyRange::point("red"))->next(out, n), StorageStatus::kOk);
  EXPECT_EQ(n, 3U);
}

// What was read before a rollback to a savepoint stays read.
TEST_F(OkvlTest, RollingBackToASavepointKeepsTheLocks) {
  put("a", "1");
  auto t1 = serializable(), t2 = serializable();
  const uint32_t level = t1->savepoint();
  EXPECT_EQ(read(*t1, "a"), "1");
  t1->rollback_to(level);
  EXPECT_EQ(write(impatient(*t2), "a", "2"), StorageStatus::kLockTimeout);
  commit(*t1);
  EXPECT_EQ(write(next(*t2), "a", "2"), StorageStatus::kOk);
  commit(*t2);
}

// The names of gaps, and stretches of values, over many leaves, against all values at once.
TEST_F(OkvlTest, AGapIsCalledByTheValueBelowIt) {
  for (int i = 0; i < 400; i += 2) put(key_of(i), "1:" + std::string(40, 'x'));
  const KeySpace space(static_cast<TableImpl&>(*table));
  std::vector<std::string> all;
  bool more;
  space.values(KeyRange::all(), Direction::kForward, SIZE_MAX, all, more);
  ASSERT_GE(all.size(), 200u);
  for (int i = -1; i < 402; i++) {
    const std::string key = i < 0 ? "" : key_of(i);
    const auto at = std::lower_bound(all.begin(), all.end(), key);
    const bool there = at != all.end() && *at == key;
    const KeySpace::GapName below = at == all.begin() ? space.first_gap() : KeySpace::GapName{space.id(), *(at - 1)};
    EXPECT_EQ(space.gap_below(key, false), below) << key;
    if (there) {
      EXPECT_EQ(space.gap_around(key), std::nullopt) << key;
      EXPECT_EQ(space.gap_below(key, true), (KeySpace::GapName{space.id(), key})) << key;
    } else {
      EXPECT_EQ(space.gap_around(key), below) << key;
    }
    for (const size_t most : {size_t{1}, size_t{3}, size_t{50}, size_t{1000}}) {
      KeyRange range;
      range.has_low = true;
      range.low = key;
      range.low_inclusive = most % 2 == 0;
      std::vector<std::string> found, expected(range.low_inclusive || !there ? at : at + 1, all.end());
      bool others = false;
      space.values(range, Direction::kForward, most, found, others);
      EXPECT_TRUE(others || expected.size() <= most) << key;
      expected.resize(std::min(most, expected.size()));
      EXPECT_EQ(found, expected) << key;
      std::swap(range.low, range.high);
      std::swap(range.has_low, range.has_high);
      std::swap(range.low_inclusive, range.high_inclusive);
      expected.assign(all.begin(), range.high_inclusive && there ? at + 1 : at);
      std::reverse(expected.begin(), expected.end());
      space.values(range, Direction::kBackward, most, found, others);
      EXPECT_TRUE(others || expected.size() <= most) << key;
      expected.resize(std::min(most, expected.size()));
      EXPECT_EQ(found, expected) << key;
    }
  }
}

TEST_F(OkvlTest, AnIndexWithoutOrderHasNoGaps) {
  const IndexId index(store->next_id().value);
  auto ddl = begin();
  const IndexFactory make = [](const IndexEnvironment& e) { return create_hash_index(e.epochs, e.pauses); };
  EXPECT_EQ(create_index(*table, *ddl, index, make, {}, std::make_shared<ColonExtractor>(), nullptr),
            StorageStatus::kOk);
  commit(*ddl);
  put("a", "1:x");
  const auto& impl = static_cast<TableImpl&>(*table);
  const KeySpace space(impl, *impl.find_index(index));
  EXPECT_EQ(space.gap_around("2"), std::nullopt);
}

// The value that a gap is called by may lie in an index's buffer, or in what it is merged into, or go from one to the other.
TEST_F(OkvlTest, AGapIsTheSameWhereverAnIndexKeepsTheValueBelowIt) {
  constexpr IndexFactory kBuffered[] = {create_griffin_index, create_indexlet_index, create_hydralist_index};
  char group = 'a';  // of this index's values
  for (const IndexFactory make : kBuffered) {
    const std::string v(1, group++);
    const IndexId index(store->next_id().value);
    auto ddl = begin();
    EXPECT_EQ(create_index(*table, *ddl, index, make, {}, std::make_shared<ColonExtractor>(), nullptr),
              StorageStatus::kOk);
    commit(*ddl);
    const auto put_value = [&](const std::string& n) { put(v + n, v + n + ":"); };
    for (int i = 0; i < 200; i++) put_value("9" + std::to_string(i));  // so that there is a buffer
    put_value("1");
    put_value("5");
    auto t1 = serializable(), t2 = serializable();
    EXPECT_EQ(count_index(*t1, index, v + "2", v + "4"), 0U);  // the gap above "1"
    const auto insert_value = [&](const std::string& n) { return insert(impatient(*t2), v + n, v + n + ":"); };
    EXPECT_EQ(insert_value("3"), StorageStatus::kLockTimeout);
    static_cast<TableImpl&>(*table).find_index(index)->index->scan(KeyRange::all(), Direction::kForward)->next(1);
    EXPECT_EQ(insert_value("3"), StorageStatus::kLockTimeout);
    EXPECT_EQ(insert_value("7"), StorageStatus::kOk);
    commit(*t1);
    EXPECT_EQ(insert_value("3"), StorageStatus::kOk);
    commit(*t2);
  }
}

class OkvlEscalationTest : public OkvlTest {
 protected:
  OkvlEscalationTest() : OkvlTest(locking(16)) {}
};

// Who locks much of a table locks all of it: its locks are few, and stand against what they would have stood against.
TEST_F(OkvlEscalationTest, ManyLocksBecomeOne) {
  for (int i = 0; i < 500; i++) put(key_of(i), "1");
  auto t1 = serializable(), t2 = serializable(), t3 = serializable();
  EXPECT_EQ(count(*t1, key_of(0), key_of(400)), 401U);
  EXPECT_LT(store->locks().snapshot().size(), 40U);
  EXPECT_EQ(read(*t2, key_of(450)), "1");
  EXPECT_EQ(write(impatient(*t2), key_of(100), "2"), StorageStatus::kLockTimeout);
  EXPECT_EQ(insert(impatient(*t2), "zzz", "1"), StorageStatus::kLockTimeout);  // outside of the range, too
  EXPECT_EQ(count(*t3, key_of(0), key_of(400)), 401U);                         // two read all of it
  store->rollback(*t2);
  store->rollback(*t3);
  for (int i = 0; i < 50; i++) ASSERT_EQ(write(*t1, key_of(i), "3"), StorageStatus::kOk);
  EXPECT_LT(store->locks().snapshot().size(), 80U);
  commit(*t1);
  EXPECT_EQ(store->locks().snapshot().size(), 0U);
  EXPECT_EQ(committed()[key_of(7)], "3");
}

class OkvlBesideTest : public OkvlTest {
 protected:
  OkvlBesideTest() : OkvlTest(StoreOptions()) {}
  std::unique_ptr<Transaction> locks(Isolation isolation) {
    auto t = store->begin(isolation, 0);
    set_locking(*t, true);
    t->take_statement_snapshot();
    return t;
  }
};

// In a store of the other method: what it removes is looked for among the locks from the first such transaction on.
TEST_F(OkvlBesideTest, ATransactionMayLockWhereOthersDoNot) {
  put("a", "1");
  put("m", "1");
  auto old = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(read(*old, "m"), "1");
  remove("m");
  auto t1 = locks(Isolation::kSerializable);
  EXPECT_EQ(count(*t1, "n", "q"), 0U);
  store->rollback(*old);
  for (int i = 0; i < 3; i++) store->reclaim();
  auto t2 = locks(Isolation::kReadCommitted);
  EXPECT_EQ(insert(impatient(*t2), "o", "1"), StorageStatus::kLockTimeout);
  store->rollback(*t2);
  auto other = begin();
  EXPECT_EQ(insert(impatient(*other), "p", "1"),
            StorageStatus::kOk);  // it does not look: so it must not be about the same tables
  store->rollback(*other);
  commit(*t1);
}

// A transaction is used again: what it was told is forgotten.
TEST_F(OkvlBesideTest, TheNextTransactionHasTheStoresMethod) {
  put("a", "1");
  auto t1 = locks(Isolation::kSerializable);
  EXPECT_EQ(read(*t1, "a"), "1");
  commit(*t1);
  t1 = store->begin(Isolation::kSerializable, 0, std::move(t1));
  EXPECT_EQ(read(*t1, "a"), "1");
  auto t2 = locks(Isolation::kReadCommitted);
  EXPECT_EQ(update(impatient(*t2), "a", "2"), StorageStatus::kOk);
  commit(*t2);
  EXPECT_EQ(read(*t1, "a"), "1");
}

}  // namespace
}  // namespace indigo::storage
