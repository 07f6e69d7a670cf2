// What memory a store takes, gives back and refuses: limits are errors, and nothing is left behind.
#include <atomic>
#include <set>
#include <thread>

#include "storage/clone.h"
#include "storage/durability.h"
#include "storage/statistics.h"
#include "storage/store_options.h"
#include "storage/table_options.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

class MemoryTest : public StoreFixture {
 protected:
  int64_t bytes(MemoryKind kind) { return statistics_of(*store).bytes_of(kind); }
  // What is retired waits for epochs; no other thread holds a guard here.
  void settle() {
    for (int i = 0; i < 8; i++) store->reclaim();
    static_cast<StoreImpl&>(*store).trim();
  }
  uint64_t versions_of(const std::shared_ptr<Table>& t) { return statistics_of(*t)->versions; }
};

// A chain of a record that is updated under the eyes of sleeping readers has a version for each of them, not for each
// update.
TEST_F(MemoryTest, AChainGrowsWithItsReadersNotWithItsUpdates) {
  put("hot", "first");
  std::vector<std::unique_ptr<Transaction>> readers;
  for (int r = 0; r < 40; r++) {
    readers.push_back(begin(Isolation::kRepeatableRead));
    for (int i = 0; i < 500; i++) put("hot", std::to_string(r) + ":" + std::to_string(i));
    EXPECT_LE(versions_of(table), readers.size() + 1);
  }
  for (size_t r = 0; r < readers.size(); r++) {
    EXPECT_EQ(get(*readers[r], "hot"), r == 0 ? "first" : std::to_string(r - 1) + ":499");
  }
  // Readers that end in the middle of the chain: what they alone needed is cut there.
  std::set<size_t> stay = {0, 7, 39};
  for (size_t r = 0; r < readers.size(); r++) {
    if (!stay.contains(r)) readers[r].reset();
  }
  settle();
  EXPECT_EQ(versions_of(table), stay.size());
  for (size_t r : stay) EXPECT_EQ(get(*readers[r], "hot"), r == 0 ? "first" : std::to_string(r - 1) + ":499");
  readers.clear();
  settle();
  EXPECT_EQ(versions_of(table), 0u);
  EXPECT_EQ(bytes(MemoryKind::kVersions), 0);
}

TEST_F(MemoryTest, VersionsGiveTheirMemoryBack) {
  for (int i = 0; i < 2000; i++) put(key_of(i), std::string(400, 'a'));
  auto reader = begin(Isolation::kRepeatableRead);
  for (int i = 0; i < 2000; i++) put(key_of(i), std::string(400, 'b'));
  EXPECT_GT(bytes(MemoryKind::kVersions), 2000 * 400);
  EXPECT_EQ(versions_of(table), 2000u);
  EXPECT_GT(table->statistics().bytes, table->statistics().leaf_count * 4096 + 2000 * 400);
  reader.reset();
  settle();
  EXPECT_EQ(bytes(MemoryKind::kVersions), 0);
  EXPECT_EQ(versions_of(table), 0u);
}

TEST_F(MemoryTest, ADroppedTableGivesEverythingBack) {
  put("stays", "here");
  settle();
  auto before = statistics_of(*store);
  for (int round = 0; round < 3; round++) {
    TableOptions options;
    options.leaf_bytes = 4096;
    auto other = store->create_table(options);
    auto t = begin();
    ASSERT_EQ(other->create_index(*t, IndexId(9), {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
    for (int i = 0; i < 3000; i++) {
      std::string row = key_of(i * 7) + ":" + std::string(i % 50 == 0 ? 5000 : 100, 'x');
      ASSERT_EQ(other->insert(*t, key_of(i), row, nullptr), StorageStatus::kOk);
    }
    commit(*t);
    t.reset();
    auto reader = begin(Isolation::kRepeatableRead);
    t = begin();
    for (int i = 0; i < 3000; i += 3) {
      Claimed claimed;
      ASSERT_EQ(other->claim(*t, t->view(), key_of(i), RowLockMode::kUpdate, LockWait::kWait, claimed),
                StorageStatus::kOk);
      if (i % 2 == 0) {
        ASSERT_EQ(other->update(*t, key_of(i), key_of(i) + ":new", nullptr), StorageStatus::kOk);
      } else {
        ASSERT_EQ(other->erase(*t, key_of(i)), StorageStatus::kOk);
      }
    }
    commit(*t);
    t.reset();
    EXPECT_GT(bytes(MemoryKind::kIndexes), 0);
    EXPECT_GT(bytes(MemoryKind::kLargeRows), 0);
    EXPECT_GT(bytes(MemoryKind::kVersions), 0);
    other.reset();  // while a snapshot that saw it is still registered
    settle();
    auto after = statistics_of(*store);
    for (auto kind : {MemoryKind::kVersions, MemoryKind::kLargeRows, MemoryKind::kIndexes, MemoryKind::kTransactions}) {
      EXPECT_EQ(after.bytes_of(kind), before.bytes_of(kind)) << memory_kind_name(kind);
    }
    EXPECT_LE(bytes(MemoryKind::kLeaves), 65536);
    EXPECT_EQ(after.versions, 0u);
  }
}

// Whose last user goes while a transaction has changed its records: the table is there until that one ends, and no longer.
TEST_F(MemoryTest, ADroppedTableWaitsForItsWritersOnly) {
  auto& impl = static_cast<StoreImpl&>(*store);
  impl.reclaimer().stop();
  auto bystander = begin();
  ASSERT_EQ(insert(*bystander, "other", "table"), StorageStatus::kOk);
  const int64_t before = bytes(MemoryKind::kLargeRows);
  const std::string large(100000, 'x');
  for (const bool commits : {true, false}) {
    auto dropped = store->create_table({});
    // The set of a transaction's tables is coarse: take one that it tells from the bystander's.
    while (WriteContext::touched_bit(dropped->id()) == WriteContext::touched_bit(table->id())) {
      dropped = store->create_table({});
    }
    auto writer = begin();
    ASSERT_EQ(dropped->insert(*writer, "key", large, nullptr), StorageStatus::kOk);
    dropped.reset();
    settle();
    EXPECT_GT(bytes(MemoryKind::kLargeRows), before);
    if (commits) {
      commit(*writer);
    } else {
      store->rollback(*writer);
    }
    writer = begin();  // its context may serve another transaction by now
    ASSERT_EQ(insert(*writer, "again" + std::to_string(commits), "here"), StorageStatus::kOk);
    settle();
    EXPECT_EQ(bytes(MemoryKind::kLargeRows), before);
    store->rollback(*writer);
  }
  store->rollback(*bystander);
}

// Everything that a transaction wrote counts before it commits, and a limit that it runs into leaves the store usable.
class LimitTest : public ::testing::TestWithParam<size_t> {};

TEST_P(LimitTest, ATransactionThatTakesTooMuchFailsAndGivesItBack) {
  StoreOptions options;
  options.memory_limit_bytes = 12 << 20;
  auto store = Store::create(options);
  auto table = store->create_table({});
  std::string row(GetParam(), 'x');
  auto key = [](int i) { return std::to_string(1000000 + i); };
  for (int round = 0; round < 3; round++) {
    auto t = store->begin(Isolation::kReadCommitted, 0);
    t->take_statement_snapshot();
    StorageStatus status = StorageStatus::kOk;
    int n = 0;
    for (; n < 1000000 && status == StorageStatus::kOk; n++) status = table->insert(*t, key(n), row, nullptr);
    ASSERT_EQ(status, StorageStatus::kOutOfMemory);
    EXPECT_GE(store->statistics().bytes, uint64_t{9} << 20);
    EXPECT_LE(store->statistics().bytes, uint64_t{15} << 20);
    if (round % 2 == 0) {
      store->rollback(*t);
    } else {
      ASSERT_EQ(store->commit(*t), StorageStatus::kOk);
      // Deleting works at the limit, and makes room.
      t = store->begin(Isolation::kReadCommitted, 0);
      t->take_statement_snapshot();
      for (int i = 0; i < n - 1; i++) {
        Claimed claimed;
        ASSERT_EQ(table->claim(*t, t->view(), key(i), RowLockMode::kUpdate, LockWait::kWait, claimed),
                  StorageStatus::kOk);
        StorageStatus s = table->erase(*t, key(i));
        if (s == StorageStatus::kOk) continue;
        ASSERT_EQ(s, StorageStatus::kOutOfMemory);  // in pieces, then
        table->unclaim(*t, key(i));
        ASSERT_EQ(store->commit(*t), StorageStatus::kOk);
        for (int r = 0; r < 8; r++) store->reclaim();
        t = store->begin(Isolation::kReadCommitted, 0);
        t->take_statement_snapshot();
        i--;
      }
      ASSERT_EQ(store->commit(*t), StorageStatus::kOk);
    }
    t.reset();
    for (int r = 0; r < 12; r++) store->reclaim();
    EXPECT_LE(store->statistics().bytes, uint64_t{2} << 20);
    static_cast<StoreImpl&>(*store).reclaimer().stop();
    EXPECT_EQ(static_cast<TableImpl&>(*table).tree().check(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(RowSizes, LimitTest, ::testing::Values(20, 300, 1900, 5000, 300000));

// The next statement does not suffer from what the last one, rolled back, has left to the reclaimer.
TEST(Limit, WhatWasRolledBackIsThereForTheNext) {
  StoreOptions options;
  options.memory_limit_bytes = 12 << 20;
  auto store = Store::create(options);
  static_cast<StoreImpl&>(*store).reclaimer().stop();
  auto table = store->create_table({});
  std::string row(500, 'x');
  auto fill = [&](int rows) {
    auto t = store->begin(Isolation::kReadCommitted, 0);
    t->take_statement_snapshot();
    StorageStatus status = StorageStatus::kOk;
    for (int i = 0; i < rows && status == StorageStatus::kOk; i++) {
      status = table->insert(*t, std::to_string(1000000 + i), row, nullptr);
    }
    store->rollback(*t);
    return status;
  };
  EXPECT_EQ(fill(100000), StorageStatus::kOutOfMemory);
  EXPECT_EQ(fill(12000), StorageStatus::kOk);
  EXPECT_EQ(fill(12000), StorageStatus::kOk);
}

// What cleaning would have to copy, since a clone shares it, waits until there is memory.
TEST(Limit, CleaningTakesNoMemoryAboveIt) {
  StoreOptions options;
  options.memory_limit_bytes = 8 << 20;
  auto store = Store::create(options);
  static_cast<StoreImpl&>(*store).reclaimer().stop();
  TableOptions small;
  small.leaf_bytes = 4096;
  auto table = store->create_table(small);
  const auto key = [](int i) { return std::to_string(1000000 + i); };
  auto t = store->begin(Isolation::kReadCommitted, 0);
  for (int i = 0; i < 8000; i++) {
    ASSERT_EQ(table->insert(*t, key(i), std::string(100, 'x'), nullptr), StorageStatus::kOk);
  }
  ASSERT_EQ(store->commit(*t), StorageStatus::kOk);
  auto reader = store->begin(Isolation::kRepeatableRead, 0);
  reader->take_statement_snapshot();
  t = store->begin(Isolation::kReadCommitted, 0);
  t->take_statement_snapshot();
  for (int i = 0; i < 8000; i += 10) {
    Claimed claimed;
    ASSERT_EQ(table->claim(*t, t->view(), key(i), RowLockMode::kUpdate, LockWait::kWait, claimed), StorageStatus::kOk);
    ASSERT_EQ(table->erase(*t, key(i)), StorageStatus::kOk);
  }
  ASSERT_EQ(store->commit(*t), StorageStatus::kOk);
  std::shared_ptr<Table> clone;
  ASSERT_EQ(clone_tables(*store, [&](Cloner& c) { clone = c.clone(*table, {}, [](IndexId id) { return id; }); }),
            StorageStatus::kOk);
  reader.reset();  // from now on the tombstones may go

  auto filler = store->create_table(small);
  t = store->begin(Isolation::kReadCommitted, 0);
  StorageStatus status = StorageStatus::kOk;
  for (int i = 0; status == StorageStatus::kOk; i++) {
    status = filler->insert(*t, key(i), std::string(100, 'x'), nullptr);
  }
  ASSERT_EQ(status, StorageStatus::kOutOfMemory);
  const uint64_t full = std::max<uint64_t>(store->statistics().bytes, options.memory_limit_bytes);
  const Tree& tree = static_cast<TableImpl&>(*table).tree();
  for (int i = 0; i < 5; i++) store->reclaim();
  EXPECT_LE(store->statistics().bytes, full + (128 << 10));
  store->rollback(*t);
  const uint64_t before = tree.copy_count();
  for (int i = 0; i < 10; i++) store->reclaim();
  EXPECT_GT(tree.copy_count(), before + 100);
  EXPECT_EQ(store->statistics().versions_kept, 0u);
}

// Concurrent writers around the limit: statements fail, commits do not, and what is there is what was committed.
TEST(Limit, ConcurrentWritersAtTheLimitKeepTheTableSound) {
  StoreOptions options;
  options.memory_limit_bytes = 8 << 20;
  auto store = Store::create(options);
  TableOptions small;
  small.leaf_bytes = 4096;
  auto table = store->create_table(small);
  constexpr int kThreads = 3;
  std::atomic<int> refused{0};
  std::vector<std::set<std::string>> mine(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; thread++) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 1500; i++) {
        auto t = store->begin(Isolation::kReadCommitted, 0);
        t->take_statement_snapshot();
        std::vector<std::string> keys;
        StorageStatus status = StorageStatus::kOk;
        for (int k = 0; k < 5 && status == StorageStatus::kOk; k++) {
          keys.push_back(std::to_string((i * 7919 + k * 104729) % 100000) + "/" + std::to_string(thread) + "/" +
                         std::to_string(i));
          status = table->insert(*t, keys.back(), std::string(700, 'r'), nullptr);
        }
        if (status != StorageStatus::kOk) {
          EXPECT_EQ(status, StorageStatus::kOutOfMemory);
          refused++;
          store->rollback(*t);
        } else {
          EXPECT_EQ(store->commit(*t), StorageStatus::kOk);
          mine[static_cast<size_t>(thread)].insert(keys.begin(), keys.end());
        }
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_GT(refused.load(), 0);
  std::set<std::string> expected, found;
  for (auto& m : mine) expected.insert(m.begin(), m.end());
  auto t = store->begin(Isolation::kReadCommitted, 0);
  t->take_statement_snapshot();
  auto cursor = table->scan(*t, t->view(), KeyRange::all());
  std::vector<RowRef> rows(100);
  for (size_t n = 1; n > 0;) {
    ASSERT_EQ(cursor->next(rows, n), StorageStatus::kOk);
    for (size_t i = 0; i < n; i++) found.insert(std::string(rows[i].key));
  }
  EXPECT_EQ(found, expected);
  static_cast<StoreImpl&>(*store).reclaimer().stop();
  EXPECT_EQ(static_cast<TableImpl&>(*table).tree().check(), "");
}

TEST(Snapshots, ManyAreSearchedLikeFew) {
  CommitClock clock;
  for (int i = 0; i < 400; i++) clock.decide(clock.take());
  const PauseHook pauses;
  SnapshotRegistry registry(clock, pauses);
  std::vector<SnapshotRegistry::Slot*> slots;
  std::set<uint64_t> stamps;
  for (uint64_t s = 3; s < 400; s += 13) {
    slots.push_back(registry.allocate_slot(0));
    registry.copy(*slots.back(), CommitStamp(s));
    stamps.insert(s);
  }
  ActiveSnapshots active;
  registry.collect(active);
  EXPECT_EQ(active.oldest(), 3u);
  for (uint64_t start = 1; start < 400; start += 3) {
    for (uint64_t end = start + 1; end < 400; end += 5) {
      auto at = stamps.lower_bound(start);
      EXPECT_EQ(active.needs(start, end), at != stamps.end() && *at < end) << start << " " << end;
    }
  }
  EXPECT_TRUE(active.needs(500, 501));  // not stable yet
  SnapshotRegistry::announce(*slots.back(), CommitStamp(100));
  registry.collect(active);
  EXPECT_TRUE(active.needs(100, 102));
  EXPECT_FALSE(active.needs(97, 99));
  for (auto* s : slots) registry.free_slot(s, 0);
}

}  // namespace
}  // namespace indigo::storage
