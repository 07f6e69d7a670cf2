// What taking changes back costs, and giving keys up: as much as there are changes and versions, not their product. Counted in
// computed keys, never in time. And that what is left is exact, however deep the record's stack was.
#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "storage/index/btree_index.h"
#include "storage/index/griffin/griffin_index.h"
#include "storage/index/hash_index.h"
#include "storage/index/hydralist/hydralist_index.h"
#include "storage/index/indexlet/indexlet_index.h"
#include "storage/index/key_list.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

// Rows are "a,b,c:rest", with keys a, b and c; a plain index has "a,b,c" as the key. Counts what it computes.
class CountingExtractor final : public KeyExtractor {
 public:
  explicit CountingExtractor(bool list) : list_(list) {}
  Outcome extract(Bytes, Bytes row, std::string& key, bool& has_null) const override {
    computed_.fetch_add(1, std::memory_order_relaxed);
    has_null = false;
    key.clear();
    const size_t colon = row.find(':');
    if (colon == Bytes::npos) return Outcome::kNotIndexed;
    if (!list_) {
      key.assign(row.substr(0, colon));
      return Outcome::kKey;
    }
    for (const std::string& word : words(row)) append_to_key_list(word, key);
    return Outcome::kKey;
  }
  uint64_t computed() const { return computed_.load(); }

  static std::set<std::string> words(Bytes row) {
    std::set<std::string> out;
    Bytes rest = row.substr(0, row.find(':'));
    for (size_t comma = 0; comma != Bytes::npos; rest.remove_prefix(comma + 1)) {
      comma = rest.find(',');
      out.emplace(rest.substr(0, comma));
      if (comma == Bytes::npos) break;
    }
    return out;
  }

 private:
  const bool list_;
  mutable std::atomic<uint64_t> computed_{0};
};

struct Method {
  const char* name;
  IndexFactory make;
  bool inverted = false;
};

class UndoWork : public StoreFixture, public ::testing::WithParamInterface<Method> {
 protected:
  static constexpr IndexId kIndex{77};
  static constexpr uint64_t kMostForEach =
      12;  // keys that one change costs: computed for itself, and for those who look

  void SetUp() override {
    extractor_ = std::make_shared<CountingExtractor>(GetParam().inverted);
    auto t = begin();
    ASSERT_EQ(create_index(*table, *t, kIndex, GetParam().make, {}, extractor_, nullptr), StorageStatus::kOk);
    commit(*t);
  }
  static std::string numbered(int i) { return "k" + std::to_string(i) + ":r"; }
  // Keys computed meanwhile.
  template <class Work>
  uint64_t computed(Work work) {
    const uint64_t before = extractor_->computed();
    work();
    return extractor_->computed() - before;
  }
  // Exactly the entries of these rows, when everything is at rest.
  void expect_index_of(const Rows& rows) {
    for (int i = 0; i < 8; i++) store->reclaim();
    std::set<std::string> expected, found;
    for (const auto& [key, row] : rows) {
      if (!GetParam().inverted) expected.insert(row.substr(0, row.find(':')) + "@" + key);
      if (!GetParam().inverted) continue;
      for (const std::string& word : CountingExtractor::words(row)) expected.insert(word + "@" + key);
    }
    Index& index = *static_cast<TableImpl&>(*table).indexes()->front()->index;
    auto scan = index.scan(KeyRange::all(), Direction::kForward);
    for (auto batch = scan->next(100); !batch.empty(); batch = scan->next(100)) {
      for (const IndexEntry& e : batch) found.insert(std::string(e.key) + "@" + std::string(e.primary_key));
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(index.check(), "");
  }

  std::shared_ptr<CountingExtractor> extractor_;
};

TEST_P(UndoWork, RollingBackManyChangesOfARow) {
  constexpr int kChanges = 2000;
  for (const int different : {kChanges, 20, 1}) {
    put("1", "k0:r");
    auto t = begin();
    for (int i = 1; i <= kChanges; i++) ASSERT_EQ(write(*t, "1", numbered(i % different)), StorageStatus::kOk);
    EXPECT_LE(computed([&] { store->rollback(*t); }), kChanges * kMostForEach) << different;
    expect_index_of({{"1", "k0:r"}});
  }
}

TEST_P(UndoWork, RollingBackInTurnOverManyRows) {
  constexpr int kRows = 50, kRounds = 60;
  Rows rows;
  for (int r = 0; r < kRows; r++) put(key_of(r), rows[key_of(r)] = numbered(0));
  auto t = begin();
  for (int i = 1; i <= kRounds; i++) {
    for (int r = 0; r < kRows; r++) ASSERT_EQ(write(*t, key_of(r), numbered(i)), StorageStatus::kOk);
  }
  EXPECT_LE(computed([&] { store->rollback(*t); }), kRows * kRounds * kMostForEach);
  expect_index_of(rows);
}

TEST_P(UndoWork, SavepointsAboveManyChanges) {
  constexpr int kChanges = 2000;
  put("1", "k0:r");
  auto t = begin();
  const uint64_t most = kChanges * 2 * kMostForEach;
  EXPECT_LE(computed([&] {
              for (int i = 1; i <= kChanges; i++) {
                ASSERT_EQ(write(*t, "1", numbered(i)), StorageStatus::kOk);
                const uint32_t mark = t->savepoint();
                // A new key, that of the committed row, and one of below, in turn.
                ASSERT_EQ(write(*t, "1", numbered(i % 3 == 0 ? 0 : i % 3 == 1 ? i / 2 : -i)), StorageStatus::kOk);
                t->rollback_to(mark);
                t->release(mark);
              }
            }),
            most);
  EXPECT_LE(computed([&] { store->rollback(*t); }), most);
  expect_index_of({{"1", "k0:r"}});
}

TEST_P(UndoWork, DeletingAndInsertingARowInTurn) {
  constexpr int kChanges = 1000;
  put("1", "k0:r");
  for (const bool to_commit : {false, true}) {
    auto t = begin();
    for (int i = 1; i <= kChanges; i++) {
      ASSERT_EQ(erase(next(*t), "1"), StorageStatus::kOk);
      ASSERT_EQ(insert(next(*t), "1", numbered(to_commit ? i : i % 5)), StorageStatus::kOk);
    }
    EXPECT_LE(computed([&] {
                if (to_commit) {
                  commit(*t);
                } else {
                  store->rollback(*t);
                }
              }),
              kChanges * kMostForEach);
    expect_index_of({{"1", numbered(to_commit ? kChanges : 0)}});
  }
}

// Many versions, seen by many snapshots, and then by none.
TEST_P(UndoWork, GivingUpKeysBesideManySnapshots) {
  constexpr int kVersions = 200, kChanges = 200;
  put("1", "k0:r");
  std::vector<std::unique_ptr<Transaction>> readers;
  for (int i = 1; i <= kVersions; i++) {
    readers.push_back(begin(Isolation::kRepeatableRead));
    EXPECT_NE(get(*readers.back(), "1"), "-");
    put("1", numbered(i));
  }
  for (const bool to_commit : {false, true}) {
    auto t = begin();
    for (int i = 1; i <= kChanges; i++) ASSERT_EQ(write(*t, "1", numbered(1000 + i)), StorageStatus::kOk);
    EXPECT_LE(computed([&] {
                if (to_commit) {
                  commit(*t);
                } else {
                  store->rollback(*t);
                }
              }),
              (kChanges + kVersions) * kMostForEach);
  }
  for (int i = 1; i <= kVersions; i++) EXPECT_EQ(get(*readers[static_cast<size_t>(i) - 1], "1"), numbered(i - 1));
  EXPECT_LE(computed([&] {
              readers.clear();
              for (int i = 0; i < 8; i++) store->reclaim();
            }),
            kVersions * kMostForEach);
  expect_index_of({{"1", numbered(1000 + kChanges)}});
}

// A row of many keys: its keys are computed for all of them at once.
TEST_P(UndoWork, RowsOfManyKeys) {
  if (!GetParam().inverted) return;
  constexpr int kKeys = 500, kRows = 4;
  auto row_of = [](int round) {
    std::string row;
    for (int i = 0; i < kKeys; i++) row += (i == 0 ? "" : ",") + std::to_string(round * kKeys + i);
    return row + ":r";
  };
  Rows rows;
  for (int r = 0; r < kRows; r++) put(key_of(r), rows[key_of(r)] = row_of(0));
  for (const bool to_commit : {false, true}) {
    auto t = begin();
    for (int r = 0; r < kRows; r++) {
      for (int i = 1; i <= 3; i++) ASSERT_EQ(write(*t, key_of(r), row_of(i)), StorageStatus::kOk);
      if (to_commit) rows[key_of(r)] = row_of(3);
    }
    EXPECT_LE(computed([&] {
                if (to_commit) {
                  commit(*t);
                } else {
                  store->rollback(*t);
                }
              }),
              kRows * 3 * kMostForEach);
    expect_index_of(rows);
  }
}

// Stacks of any depth, taken back in part again and again, while other records of the leaf change, snapshots come and go, and
// another session takes the row whenever it can: the index has what the rows have, no more and no less.
TEST_P(UndoWork, WhatIsLeftIsExact) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  constexpr int kTransactions = 60;
  put("1", "k0:r");
  put("2", "k0:r");
  std::atomic<bool> stop{false};
  std::thread neighbour([&] {
    std::mt19937 random(seed + 1);
    while (!stop) {
      auto reader = begin(Isolation::kRepeatableRead);
      EXPECT_NE(get(*reader, "1"), "-");
      auto t = begin();
      const std::string key = random() % 2 == 0 ? "1" : "2";
      if (update(*t, key, numbered(static_cast<int>(random() % 4))) == StorageStatus::kOk && random() % 2 == 0) {
        commit(*t);
      } else {
        store->rollback(*t);
      }
    }
  });
  std::mt19937 random(seed);
  for (int n = 0; n < kTransactions; n++) {
    auto t = begin();
    const int keys = random() % 2 == 0 ? 4 : 1000;
    std::vector<std::pair<uint32_t, std::string>> marks;
    std::string row = read(*t, "1");
    if (write(*t, "1", row) != StorageStatus::kOk) continue;
    row = read(*t, "1");
    for (int i = 0; i < 80; i++) {
      const uint32_t what = random() % 10;
      if (what == 0) {
        marks.emplace_back(t->savepoint(), row);
      } else if (what <= 2 && !marks.empty()) {
        marks.resize(random() % marks.size() + 1);
        t->rollback_to(marks.back().first);
        row = marks.back().second;
      } else if (what == 3 && row != "-") {
        ASSERT_EQ(erase(next(*t), "1"), StorageStatus::kOk);
        row = "-";
      } else {
        const std::string to = numbered(static_cast<int>(random()) % keys);
        ASSERT_EQ(row == "-" ? insert(next(*t), "1", to) : write(*t, "1", to), StorageStatus::kOk);
        row = to;
      }
      ASSERT_EQ(read(*t, "1"), row);
    }
    if (row == "-") {
      ASSERT_EQ(insert(next(*t), "1", "k0:r"), StorageStatus::kOk);
    }
    if (random() % 2 == 0) {
      commit(*t);
    } else {
      store->rollback(*t);
    }
  }
  stop = true;
  neighbour.join();
  expect_index_of(committed());
}

INSTANTIATE_TEST_SUITE_P(Methods, UndoWork,
                         ::testing::Values(Method{"btree", create_btree_index}, Method{"hash", create_hash_index},
                                           Method{"griffin", create_griffin_index},
                                           Method{"indexlet", create_indexlet_index},
                                           Method{"adaptive", create_adaptive_index},
                                           Method{"hydralist", create_hydralist_index},
                                           Method{"inverted", create_inverted_index, true}),
                         [](const auto& info) { return std::string(info.param.name); });

// An old view finds its entry of a deep stack in few steps, and the right one.
TEST(PendingStack, AnOldCommandIsFoundInFewSteps) {
  constexpr size_t kDepth = 5000;
  std::vector<PendingEntry> entries(kDepth);
  PendingVersion pending;
  std::mt19937 random(7);
  CommandId command = 1;
  for (size_t i = 0; i < kDepth; i++) {
    entries[i].command = command += static_cast<CommandId>(random() % 3);
    entries[i].set_below(i == 0 ? nullptr : &entries[i - 1]);
    ASSERT_EQ(entries[i].depth, i + 1);
    size_t steps = 0;
    for (const PendingEntry* e = &entries[i]; e != nullptr; e = e->jump != nullptr ? e->jump : e->below) steps++;
    EXPECT_LE(steps, 39U);  // thrice the logarithm
  }
  for (size_t n = 0; n < 200; n++) {
    const size_t top = random() % kDepth;
    const auto wanted = static_cast<CommandId>(random() % (command + 2));
    pending.top = &entries[top];
    const PendingEntry* expected = &entries[top];
    while (expected != nullptr && expected->command >= wanted) expected = expected->below;
    EXPECT_EQ(pending.visible_to(wanted), expected);
  }
}

}  // namespace
}  // namespace indigo::storage
