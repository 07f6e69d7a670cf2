// Many threads on one table, with invariants that any lost, doubled or torn version would break.
#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "storage/shared_bytes.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

constexpr int kScale = kThreadSanitizer ? 1 : 5;

class ConcurrencyTest : public StoreFixture {
 protected:
  ConcurrencyTest() : StoreFixture(1024) {}

  template <class F>
  void in_threads(int n, F body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < n; i++) threads.emplace_back([&body, i] { body(i); });
    for (auto& t : threads) t.join();
  }
  // Reads, changes and writes one row at READ COMMITTED, as UPDATE ... SET v = v + n does.
  StorageStatus add(Transaction& t, const std::string& key, int n) {
    Claimed claimed;
    StorageStatus s = table->claim(t, t.view(), key, RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed);
    if (s != StorageStatus::kOk) return s;
    return table->update(t, claimed.key, std::to_string(std::stoi(claimed.row) + n), nullptr);
  }
};

TEST_F(ConcurrencyTest, NoUpdateIsLost) {
  put("a", "0");
  in_threads(4, [&](int) {
    for (int i = 0; i < 400 * kScale; i++) {
      auto t = begin();
      ASSERT_EQ(add(*t, "a", 1), StorageStatus::kOk);
      commit(*t);
    }
  });
  EXPECT_EQ(committed()["a"], std::to_string(1600 * kScale));
}

TEST_F(ConcurrencyTest, TransfersKeepTheSumInEverySnapshot) {
  constexpr int kAccounts = 20;
  for (int i = 0; i < kAccounts; i++) put(key_of(i), "100");
  std::atomic<bool> stop{false};
  std::atomic<int> deadlocks{0}, conflicts{0};
  std::thread reader([&] {
    while (!stop) {
      auto t = begin(Isolation::kRepeatableRead);
      int sum = 0;
      Rows rows = scan(*t);
      for (auto& [k, v] : rows) sum += std::stoi(v);
      ASSERT_EQ(rows.size(), size_t{kAccounts});
      ASSERT_EQ(sum, 100 * kAccounts);
      for (int i = 0; i < kAccounts; i++) ASSERT_EQ(get(*t, key_of(i)), rows[key_of(i)]);
    }
  });
  in_threads(3, [&](int thread) {
    std::mt19937 random(seed_or(static_cast<uint32_t>(thread)));
    for (int i = 0; i < 300 * kScale; i++) {
      auto t = begin(i % 3 == 0 ? Isolation::kRepeatableRead : Isolation::kReadCommitted);
      int from = static_cast<int>(random() % kAccounts), to = static_cast<int>(random() % kAccounts);
      if (from == to) continue;
      StorageStatus s = add(*t, key_of(from), -1);
      t->next_command();
      if (s == StorageStatus::kOk) s = add(*t, key_of(to), 1);
      if (s == StorageStatus::kDeadlock) deadlocks++;
      if (s == StorageStatus::kConflict) conflicts++;
      if (s != StorageStatus::kOk) {
        ASSERT_TRUE(s == StorageStatus::kDeadlock || s == StorageStatus::kConflict) << static_cast<int>(s);
        store->rollback(*t);
      } else {
        commit(*t);
      }
    }
  });
  stop = true;
  reader.join();
  int sum = 0;
  for (auto& [k, v] : committed()) sum += std::stoi(v);
  EXPECT_EQ(sum, 100 * kAccounts);
}

TEST_F(ConcurrencyTest, ReadersFindEveryRowWhileLeavesSplitAndMerge) {
  // Even keys stay; odd ones come and go.
  constexpr int kKeys = 1000;
  for (int i = 0; i < kKeys; i += 2) put(key_of(i), std::string(30, 'x'));
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; r++) {
    readers.emplace_back([&, r] {
      std::mt19937 random(seed_or(static_cast<uint32_t>(r)));
      while (!stop) {
        auto t = begin();
        for (int i = 0; i < 50; i++) {
          ASSERT_EQ(get(*t, key_of(static_cast<int>(random() % (kKeys / 2)) * 2)), std::string(30, 'x'));
        }
        auto direction = random() % 2 == 0 ? Direction::kForward : Direction::kBackward;
        int even = 0;
        std::string last;
        for (auto& [k, v] : scan_list(*t, KeyRange::all(), direction)) {
          ASSERT_TRUE(last.empty() || (direction == Direction::kForward ? last < k : k < last));
          last = k;
          if (std::stoi(k) % 2 == 0) even++;
        }
        ASSERT_EQ(even, kKeys / 2);
      }
    });
  }
  in_threads(2, [&](int thread) {
    for (int round = 0; round < 2 * kScale; round++) {
      for (int i = 1 + 2 * thread; i < kKeys; i += 4) put(key_of(i), std::string(200, 'y'));
      for (int i = 1 + 2 * thread; i < kKeys; i += 4) remove(key_of(i));
    }
  });
  stop = true;
  for (auto& t : readers) t.join();
  EXPECT_EQ(committed().size(), size_t{kKeys / 2});
}

TEST_F(ConcurrencyTest, OneOfManyInsertersWins) {
  std::atomic<int> won{0};
  in_threads(4, [&](int thread) {
    for (int i = 0; i < 200 * kScale; i++) {
      auto t = begin();
      StorageStatus s = insert(*t, key_of(i), std::to_string(thread));
      if (s == StorageStatus::kOk) {
        if (i % 5 == 0) {
          store->rollback(*t);
          continue;
        }
        won++;
        commit(*t);
      } else {
        ASSERT_EQ(s, StorageStatus::kDuplicateKey);
      }
    }
  });
  EXPECT_EQ(won, 160 * kScale);
  EXPECT_EQ(committed().size(), static_cast<size_t>(160 * kScale));
}

TEST_F(ConcurrencyTest, UniqueIndexesHoldUnderRaces) {
  auto t = begin();
  IndexId index(store->next_id().value);
  ASSERT_EQ(table->create_index(*t, index, {.unique = true}, std::make_shared<ColonExtractor>(), nullptr),
            StorageStatus::kOk);
  commit(*t);
  std::atomic<int> next{0};
  in_threads(4, [&](int thread) {
    std::mt19937 random(seed_or(static_cast<uint32_t>(thread)));
    for (int i = 0; i < 300 * kScale; i++) {
      auto txn = begin();
      std::string row = "u" + std::to_string(random() % 8) + ":";
      std::string key = key_of(next++ % 24);
      StorageStatus s = random() % 3 == 0 ? erase(*txn, key) : update(*txn, key, row);
      if (s == StorageStatus::kNotFound) s = insert(*txn, key, row);
      if (s == StorageStatus::kOk && random() % 4 != 0) {
        commit(*txn);
      } else {
        store->rollback(*txn);
      }
      if (i % 20 == 0) {
        auto reader = begin(Isolation::kRepeatableRead);
        std::map<std::string, std::string> owner;
        for (auto& [k, v] : scan(*reader)) ASSERT_TRUE(owner.emplace(v, k).second) << v << " twice";
      }
    }
  });
  auto reader = begin();
  auto by_index = drain(*table->scan_index(*reader, reader->view(), index, KeyRange::all()));
  EXPECT_EQ(by_index.size(), scan(*reader).size());
}

TEST_F(ConcurrencyTest, IndexScansSeeEachRowOnceWhileKeysMove) {
  auto t = begin();
  IndexId index(store->next_id().value);
  ASSERT_EQ(table->create_index(*t, index, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
  commit(*t);
  constexpr int kRows = 60;
  for (int i = 0; i < kRows; i++) put(key_of(i), std::to_string(i % 10) + ":");
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) {
      auto r = begin(Isolation::kRepeatableRead);
      std::map<std::string, std::string> rows;
      for (auto& [k, v] : drain(*table->scan_index(*r, r->view(), index, KeyRange::all()))) {
        ASSERT_TRUE(rows.emplace(k, v).second) << k << " twice";
      }
      ASSERT_EQ(rows, scan(*r));
    }
  });
  in_threads(2, [&](int thread) {
    std::mt19937 random(seed_or(static_cast<uint32_t>(thread)));
    for (int i = 0; i < 300 * kScale; i++) {
      auto w = begin();
      // a to b and back to a, often enough.
      if (update(*w, key_of(static_cast<int>(random() % kRows)), std::to_string(random() % 3) + ":") !=
              StorageStatus::kOk ||
          random() % 5 == 0) {
        store->rollback(*w);
      } else {
        commit(*w);
      }
    }
  });
  stop = true;
  reader.join();
}

TEST_F(ConcurrencyTest, AHotRowsChainStaysShortUnderALongReader) {
  put("hot", "0");
  auto reader = begin(Isolation::kRepeatableRead);
  ASSERT_EQ(get(*reader, "hot"), "0");
  const auto add_often = [&](int) {
    for (int i = 0; i < 1000 * kScale; i++) {
      auto t = begin();
      ASSERT_EQ(add(*t, "hot", 1), StorageStatus::kOk);
      commit(*t);
    }
  };
  add_often(0);
  EXPECT_LE(store->statistics().versions_kept, 200u);  // some wait for their epoch
  in_threads(2, add_often);  // how many wait now is the machine's to say: a thread may sleep in its epoch
  store->reclaim();
  store->reclaim();
  store->reclaim();
  EXPECT_LE(store->statistics().versions_kept, 3u);
  EXPECT_EQ(get(*reader, "hot"), "0");
}

}  // namespace
}  // namespace indigo::storage
