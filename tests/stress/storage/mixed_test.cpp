// Everything at once, in a store that is nearly full: transfers between accounts whose keys change, tables that are created,
// cloned, emptied (a new one takes the place) and dropped, indexes that are created and dropped, snapshots that stay long, loads
// that split leaves and deletions that merge them. Random pauses stretch all of it. Whatever fails for want of memory is rolled
// back; each bank keeps its money and the number of its accounts in every snapshot, and its indexes answer as the table does.
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <random>
#include <shared_mutex>
#include <thread>

#include <gtest/gtest.h>

#include "storage/clone.h"
#include "storage/statistics.h"
#include "storage/table_options.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/random_pauses.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

constexpr int kMixedAccounts = 300, kKeys = 600, kBanks = 5;
constexpr int kSteps = kThreadSanitizer ? 30 : 100;  // of each writer, 20 transactions each
constexpr int64_t kAmount = 100;
constexpr size_t kLimitBytes = 2 << 20;

// A table, its indexes, and a lock that definitions take exclusively, as the engine's sessions do. A bank's accounts have
// "group:amount;rest"; rows that are there for their size begin with a colon and come and go as a whole.
struct Bank {
  std::shared_ptr<Table> table;
  std::vector<IndexId> indexes;
  std::shared_mutex definition;  // guards the two above
};

class MixedTest : public StoreFixture {
 protected:
  MixedTest() : StoreFixture(1024, {.memory_limit_bytes = kLimitBytes}) {
    static_cast<StoreImpl&>(*store).set_pause_points(&pauses);
    for (auto& bank : banks) {
      bank = std::make_shared<Bank>();
      EXPECT_EQ(found(*bank), StorageStatus::kOk);
    }
  }
  ~MixedTest() override { static_cast<StoreImpl&>(*store).reclaimer().stop(); }  // it comes by pause points

  // ---- definitions
  StorageStatus create_index(Bank& bank) {
    auto t = begin();
    const IndexId id(store->next_id().value);
    const StorageStatus s = bank.table->create_index(*t, id, {}, std::make_shared<ColonExtractor>(), nullptr);
    if (s != StorageStatus::kOk) {
      store->rollback(*t);
      return s;
    }
    commit(*t);
    bank.indexes.push_back(id);
    return s;
  }
  // A new table with all accounts; nothing changes when there is no memory for it.
  StorageStatus found(Bank& bank) {
    Bank made;
    made.table = store->create_table({.leaf_bytes = 1024});
    auto t = begin();
    for (int i = 0; i < kMixedAccounts; i++) {
      const StorageStatus s = made.table->insert(*t, key_of(i * (kKeys / kMixedAccounts)), row_of(i, kAmount), nullptr);
      if (s != StorageStatus::kOk) {
        store->rollback(*t);
        return s;
      }
    }
    commit(*t);
    const StorageStatus s = create_index(made);
    if (s != StorageStatus::kOk) return s;
    bank.table = made.table;
    bank.indexes = made.indexes;
    return s;
  }
  void clone(const Bank& source, Bank& to) {
    Bank made;
    ASSERT_EQ(clone_tables(*store,
                           [&](Cloner& cloner) {
                             made.indexes.clear();
                             made.table = cloner.clone(*source.table, {}, [&](IndexId) {
                               made.indexes.push_back(IndexId(store->next_id().value));
                               return made.indexes.back();
                             });
                           }),
              StorageStatus::kOk);
    to.table = made.table;
    to.indexes = made.indexes;
  }
  void define(std::mt19937& random) {
    auto& bank = *banks[random() % kBanks];
    auto& other = *banks[random() % kBanks];
    const uint32_t what = random() % 6;
    if (what == 0 && &bank != &other) {
      std::scoped_lock lock(bank.definition, other.definition);
      clone(bank, other);  // whose table is dropped
      check(other);
    } else {
      std::lock_guard lock(bank.definition);
      if (what == 1) {
        allow(found(bank));  // the old one is dropped
      } else if (what < 4 && !bank.indexes.empty()) {
        const size_t gone = random() % bank.indexes.size();
        bank.table->drop_index(bank.indexes[gone]);
        bank.indexes.erase(bank.indexes.begin() + static_cast<long>(gone));
      } else if (bank.indexes.size() < 3) {
        allow(create_index(bank));
      }
      check(bank);
    }
    definitions++;
  }

  // ---- changes
  static std::string row_of(int group, int64_t amount) {
    return "g" + std::to_string(group % 13) + ":" + std::to_string(amount) + ";" +
           std::string(group % 29 == 0 ? 300 : 20, 'x');
  }
  static int64_t amount_of(Bytes row) { return std::atoll(std::string(row.substr(row.find(':') + 1)).c_str()); }
  // What may happen to a change when others work and memory is short.
  bool allow(StorageStatus s) {
    if (s == StorageStatus::kOutOfMemory) refused++;
    EXPECT_TRUE(s == StorageStatus::kOk || s == StorageStatus::kOutOfMemory || s == StorageStatus::kNotFound ||
                s == StorageStatus::kWouldBlock || s == StorageStatus::kDuplicateKey || s == StorageStatus::kConflict ||
                s == StorageStatus::kConflictDelete || s == StorageStatus::kDeadlock ||
                s == StorageStatus::kSerialization)
        << static_cast<int>(s);
    return s == StorageStatus::kOk;
  }
  bool transfer(Bank& b, Transaction& t, std::mt19937& random) {
    const auto wait = random() % 2 == 0 ? LockWait::kWait : LockWait::kNoWait;
    const auto claim = [&](Claimed& out) {
      const std::string key = key_of(static_cast<int>(random() % kKeys));
      return allow(b.table->claim(t, t.view(), key, RowLockMode::kUpdate, wait, out));
    };
    Claimed from, to;
    const int group = static_cast<int>(random() % 100);
    if (!claim(from)) return false;
    if (random() % 2 == 0) {
      const std::string key = key_of(static_cast<int>(random() % kKeys));
      return allow(b.table->update_key(t, from.key, key, row_of(group, amount_of(from.row)), nullptr));
    }
    if (!claim(to) || to.key == from.key) return false;
    const int64_t part = static_cast<int64_t>(random() % 50);
    return allow(b.table->update(t, from.key, row_of(group, amount_of(from.row) - part), nullptr)) &&
           allow(b.table->update(t, to.key, row_of(group + 1, amount_of(to.row) + part), nullptr));
  }
  // A load, or its removal: many rows side by side, which count nothing.
  bool load(Bank& b, Transaction& t, std::mt19937& random) {
    const std::string place = "load" + std::to_string(random() % 4) + "/";
    const size_t size = random() % 10 == 0 ? 5000 : random() % 200;
    const bool fill = random() % 2 == 0;
    for (int i = 0; i < 100; i++) {
      const std::string key = place + key_of(i);
      if (fill) {
        const StorageStatus s = b.table->insert(t, key, ":0;" + std::string(size, 'x'), nullptr);
        if (s == StorageStatus::kDuplicateKey) return true;  // what is in is loaded
        if (!allow(s)) return false;
        continue;
      }
      Claimed claimed;
      const StorageStatus s = b.table->claim(t, t.view(), key, RowLockMode::kUpdate, LockWait::kNoWait, claimed);
      if (s == StorageStatus::kNotFound) continue;
      if (!allow(s) || !allow(b.table->erase(t, key))) return false;
    }
    return true;
  }
  void change(Bank& b, std::mt19937& random) {
    constexpr Isolation kLevels[] = {Isolation::kReadCommitted, Isolation::kRepeatableRead, Isolation::kSerializable};
    auto t = begin(kLevels[random() % 3]);
    bool good = random() % 10 == 0 ? load(b, *t, random) : transfer(b, *t, random);
    if (good && random() % 5 == 0) {
      const uint32_t level = t->savepoint();
      next(*t);
      if (!transfer(b, *t, random) || random() % 2 == 0) t->rollback_to(level);
    }
    if (!good || random() % 10 == 0) {
      store->rollback(*t);
    } else if (allow(store->commit(*t))) {
      committed_count++;
    }
  }

  // ---- what is true in every snapshot
  StorageStatus add_up(Cursor& cursor, int64_t& accounts, int64_t& sum, int64_t& rows) {
    std::vector<RowRef> out(64);
    accounts = sum = rows = 0;
    for (;;) {
      size_t n = 0;
      const StorageStatus s = cursor.next(out, n);
      if (s != StorageStatus::kOk || n == 0) return s;
      for (size_t i = 0; i < n; i++) {
        rows++;
        accounts += out[i].row.starts_with('g');
        sum += amount_of(out[i].row);
      }
    }
  }
  void check(Bank& b, Transaction& t) {
    int64_t accounts, sum, rows;
    ASSERT_EQ(add_up(*b.table->scan(t, t.view(), KeyRange::all()), accounts, sum, rows), StorageStatus::kOk);
    ASSERT_EQ(accounts, kMixedAccounts);
    ASSERT_EQ(sum, kMixedAccounts * kAmount);
    for (IndexId index : b.indexes) {
      if (!b.table->index_usable(index, t.view())) continue;
      int64_t accounts_there, sum_there, rows_there;
      ASSERT_EQ(
          add_up(*b.table->scan_index(t, t.view(), index, KeyRange::all()), accounts_there, sum_there, rows_there),
          StorageStatus::kOk);
      ASSERT_EQ(accounts_there, accounts);
      ASSERT_EQ(sum_there, sum);
      ASSERT_EQ(rows_there, rows);
    }
    checks++;
  }
  void check(Bank& b) {
    auto t = begin(Isolation::kRepeatableRead);
    check(b, *t);
  }
  // A snapshot that stays while its table is changed, cloned, and perhaps dropped.
  void keep_snapshot(std::mt19937& random) {
    Bank& b = *banks[random() % kBanks];
    std::shared_ptr<Table> table_then;
    std::unique_ptr<Transaction> t;
    for (int n = 0; n < 8 && !done.load() && !HasFatalFailure(); n++) {
      std::shared_lock lock(b.definition);
      if (t == nullptr) {
        table_then = b.table;
        t = begin(Isolation::kRepeatableRead);
      }
      if (b.table == table_then) {
        check(b, *t);
      } else {  // dropped, and still there for this snapshot
        Bank dropped;
        dropped.table = table_then;
        check(dropped, *t);
      }
      std::this_thread::yield();
    }
  }

  const uint32_t seed = random_seed();
  RandomPauses pauses{seed};
  std::array<std::shared_ptr<Bank>, kBanks> banks;
  std::atomic<bool> done{false};
  std::atomic<uint64_t> committed_count{0}, refused{0}, definitions{0}, checks{0};
};

TEST_F(MixedTest, DefinitionsSnapshotsClonesSplitsAndMerges) {
  SCOPED_TRACE(seed_trace(seed));
  std::atomic<int> writing{3};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 3; i++) {
    threads.emplace_back([&, i] {
      std::mt19937 random(seed + i);
      for (int step = 0; step < kSteps && !HasFailure(); step++) {
        Bank& b = *banks[random() % kBanks];
        std::shared_lock lock(b.definition);
        for (int n = 0; n < 20; n++) change(b, random);
      }
      if (--writing == 0) done.store(true);
    });
  }
  const auto until_done = [&](uint32_t own, const std::function<void(std::mt19937&)>& work) {
    threads.emplace_back([&, own, work] {
      std::mt19937 random(seed + own);
      do work(random);
      while (!done.load() && !HasFailure());
    });
  };
  until_done(100, [&](auto& random) { keep_snapshot(random); });
  until_done(101, [&](auto& random) { keep_snapshot(random); });
  until_done(102, [&](auto& random) { define(random); });
  for (auto& thread : threads) thread.join();
  static_cast<StoreImpl&>(*store).reclaimer().stop();
  uint64_t splits = 0, merges = 0;
  for (auto& bank : banks) {
    check(*bank);
    EXPECT_EQ(static_cast<TableImpl&>(*bank->table).tree().check(), "");
    splits += statistics_of(*bank->table)->splits;
    merges += statistics_of(*bank->table)->merges;
  }
  // Nothing is left behind by all that was dropped and refused.
  for (auto& bank : banks) bank.reset();
  for (int i = 0; i < 12; i++) store->reclaim();
  static_cast<StoreImpl&>(*store).trim();  // what is counted in steps of 64 KB
  const auto left = statistics_of(*store);
  EXPECT_EQ(left.versions, 0u);
  for (auto kind : {MemoryKind::kVersions, MemoryKind::kLargeRows, MemoryKind::kIndexes}) {
    EXPECT_EQ(left.bytes_of(kind), 0) << memory_kind_name(kind);
  }
  std::printf(
      "%lu transactions committed, %lu refused for want of memory, %lu definitions, %lu checks, %lu splits and %lu "
      "merges in the last tables\n",
      committed_count.load(), refused.load(), definitions.load(), checks.load(), splits, merges);
  report_operations(committed_count + definitions + checks);
}

}  // namespace
}  // namespace indigo::storage
