// Clones while everybody works: writers in source and clones, long snapshots, splits, merges, rollbacks, drops.
// Each table is a bank whose transactions keep its sum: a clone that tore one apart would show it.
#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "storage/clone.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/index_in_turn.h"
#include "tests/unit/storage/mapped_copy.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

struct Bank {
  std::shared_ptr<Table> table;
  IndexId index;
};

class CloneStressTest : public StoreFixture {
 protected:
  static constexpr int kAccounts = 600, kKeys = 4000;
  static constexpr int64_t kAmount = 100;

  CloneStressTest() : StoreFixture(1024) {
    auto t = begin();
    bank.table = table;
    bank.index = IndexId(store->next_id().value);
    EXPECT_EQ(create_index_in_turn(*table, *t, bank.index, {}, std::make_shared<ColonExtractor>()), StorageStatus::kOk);
    for (int i = 0; i < kAccounts; i++) {
      EXPECT_EQ(insert(*t, key_of(i * 5), row_of(i, kAmount)), StorageStatus::kOk);
    }
    commit(*t);
  }
  // Some rows are large.
  static std::string row_of(int group, int64_t amount) {
    return "g" + std::to_string(group % 13) + ":" + std::to_string(amount) + ";" +
           std::string(group % 29 == 0 ? 300 : 20, 'x');
  }
  static int64_t amount_of(Bytes row) { return std::atoll(std::string(row.substr(row.find(':') + 1)).c_str()); }

  Bank clone(Bank& source) {
    Bank out;
    const StorageStatus cloned = clone_tables(*store, [&](Cloner& cloner) {
      out.table = cloner.clone(*source.table, {}, [&](IndexId) { return out.index = IndexId(store->next_id().value); });
    });
    EXPECT_EQ(cloned, StorageStatus::kOk);
    return out;
  }
  // One transaction: an amount from one account to another, or an account to another key.
  void work(Bank& b, std::mt19937& random) {
    auto t = store->begin(Isolation::kReadCommitted, 0);
    t->take_statement_snapshot();
    const auto claim = [&](const std::string& key, Claimed& out) {
      return b.table->claim(*t, t->view(), key, RowLockMode::kUpdate, LockWait::kNoWait, out) == StorageStatus::kOk;
    };
    Claimed from, to;
    const int group = static_cast<int>(random() % 100);
    bool good = claim(key_of(static_cast<int>(random() % kKeys)), from);
    if (good && random() % 2 == 0) {
      const std::string key = key_of(static_cast<int>(random() % kKeys));
      good = b.table->update_key(*t, from.key, key, row_of(group, amount_of(from.row)), nullptr) == StorageStatus::kOk;
    } else if (good) {
      good = claim(key_of(static_cast<int>(random() % kKeys)), to) && to.key != from.key;
      const int64_t part = static_cast<int64_t>(random() % 50);
      good = good &&
             b.table->update(*t, from.key, row_of(group, amount_of(from.row) - part), nullptr) == StorageStatus::kOk &&
             b.table->update(*t, to.key, row_of(group + 1, amount_of(to.row) + part), nullptr) == StorageStatus::kOk;
    }
    if (good && random() % 10 != 0) {
      ASSERT_EQ(store->commit(*t), StorageStatus::kOk);
    } else {
      store->rollback(*t);
    }
  }
  void check(Bank& b, Transaction& t) {
    int64_t sum = 0, count = 0, by_index = 0;
    const auto view = t.view();
    std::vector<RowRef> out(64);
    const auto add = [&](Cursor& cursor, int64_t& to) {
      for (size_t n = 1; n > 0;) {
        ASSERT_EQ(cursor.next(out, n), StorageStatus::kOk);
        for (size_t i = 0; i < n; i++) to += amount_of(out[i].row), count++;
      }
    };
    add(*b.table->scan(t, view, KeyRange::all()), sum);
    add(*b.table->scan_index(t, view, b.index, KeyRange::all()), by_index);
    ASSERT_EQ(count, 2 * kAccounts);
    ASSERT_EQ(sum, kAccounts * kAmount);
    ASSERT_EQ(by_index, kAccounts * kAmount);
  }
  void check(Bank& b) {
    auto t = store->begin(Isolation::kRepeatableRead, 0);
    t->take_statement_snapshot();
    check(b, *t);
  }

  void everybody_works();
  // The bank's table over leaves of an image; they have no large rows.
  void map_bank() {
    table = store->create_table({.leaf_bytes = 1024});
    auto t = begin();
    for (int i = 0; i < kAccounts; i++) {
      EXPECT_EQ(insert(*t, key_of(i * 5), row_of(i % 13 + 1, kAmount)), StorageStatus::kOk);
    }
    commit(*t);
    bank.index = IndexId(store->next_id().value);
    bank.table = table = mapped_copy(*store, *table, bank.index);
  }

  Bank bank;
};

void CloneStressTest::everybody_works() {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  const char* rounds_text = std::getenv("INDIGO_CLONE_ROUNDS");
  const int rounds = rounds_text != nullptr ? std::atoi(rounds_text) : kThreadSanitizer ? 60 : 300;
  std::mutex mutex;  // guards banks
  std::vector<Bank> banks{bank};
  std::atomic<bool> done{false};
  std::atomic<uint64_t> transactions{0};
  const auto pick = [&](std::mt19937& random) {
    std::lock_guard lock(mutex);
    return banks[random() % banks.size()];
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; i++) {
    threads.emplace_back([&, i] {
      std::mt19937 random(seed + i);
      while (!done.load() && !HasFatalFailure()) {
        Bank b = pick(random);
        for (int n = 0; n < 20; n++) work(b, random);
        transactions += 20;
      }
    });
  }
  threads.emplace_back([&] {  // a snapshot that sleeps while its table is cloned and changed
    std::mt19937 random(seed + 100);
    while (!done.load() && !HasFatalFailure()) {
      Bank b = pick(random);
      auto t = store->begin(Isolation::kRepeatableRead, 0);
      t->take_statement_snapshot();
      for (int n = 0; n < 5; n++) {
        check(b, *t);
        std::this_thread::yield();
      }
    }
  });
  std::mt19937 random(seed + 200);
  for (int round = 0; round < rounds && !HasFatalFailure(); round++) {
    Bank source = pick(random);
    Bank made = clone(source);
    check(made);
    std::lock_guard lock(mutex);
    banks.push_back(made);
    if (banks.size() > 6) banks.erase(banks.begin() + static_cast<long>(random() % banks.size()));
  }
  done.store(true);
  for (auto& thread : threads) thread.join();
  for (Bank& b : banks) check(b);
  report_operations(transactions);
  static_cast<StoreImpl&>(*store).reclaimer().stop();
  for (Bank& b : banks) EXPECT_EQ(static_cast<TableImpl&>(*b.table).tree().check(), "");
}

TEST_F(CloneStressTest, EverybodyWorks) { everybody_works(); }

TEST_F(CloneStressTest, EverybodyWorksOverMappedLeaves) {
  map_bank();
  everybody_works();
}

}  // namespace
}  // namespace indigo::storage
