// Entries without rows: a cursor over keys alone answers what one over rows does, and looks at no row while the table stands still.
#include "storage/index_entries.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/random_seed.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

// Counts the rows whose keys are computed: each row that a scan looks at.
class CountingExtractor final : public KeyExtractor {
 public:
  Outcome extract(Bytes primary_key, Bytes row, std::string& key, bool& has_null) const override {
    calls.fetch_add(1, std::memory_order_relaxed);
    return plain_.extract(primary_key, row, key, has_null);
  }
  mutable std::atomic<uint64_t> calls{0};

 private:
  ColonExtractor plain_;
};

class IndexEntries : public StoreFixture {
 protected:
  static constexpr IndexId kIndex{77};

  void SetUp() override {
    extractor = std::make_shared<CountingExtractor>();
    auto t = begin();
    ASSERT_EQ(table->create_index(*t, kIndex, {}, extractor, nullptr), StorageStatus::kOk);
    commit(*t);
  }
  using Entries = std::vector<std::pair<std::string, std::string>>;  // secondary key, primary key
  Entries entries(Transaction& t, Direction direction = Direction::kForward) {
    Entries out;
    auto cursor = scan_index_entries(*table, t, t.view(), kIndex, KeyRange::all(), direction);
    for (auto& [key, row] : drain(*cursor)) out.emplace_back(row, key);
    return out;
  }
  Entries of_rows(Transaction& t) {
    Entries out;
    for (auto& [key, row] : drain(*table->scan_index(t, t.view(), kIndex, KeyRange::all()))) {
      out.emplace_back(row.substr(0, row.find(':')), key);
    }
    return out;
  }
  // The same as by rows; and how many rows were looked at.
  uint64_t looked_at(Transaction& t) {
    const Entries expected = of_rows(t);
    const uint64_t before = extractor->calls;
    EXPECT_EQ(entries(t), expected);
    return extractor->calls - before;
  }

  std::shared_ptr<CountingExtractor> extractor;
};

TEST_F(IndexEntries, NoRowIsLookedAtWhereNothingHappens) {
  for (int i = 0; i < 500; i++) put(key_of(i), "k" + std::to_string(i % 7) + ":" + std::to_string(i));
  auto t = begin();
  EXPECT_EQ(entries(*t).size(), 500u);
  EXPECT_EQ(looked_at(*t), 0u);
  Entries backward = entries(*t, Direction::kBackward);
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(backward, entries(*t));
}

TEST_F(IndexEntries, RowsAreLookedAtBesideAnOpenWriterAndBehindOne) {
  for (int i = 0; i < 50; i++) put(key_of(i), "a:" + std::to_string(i));
  auto old = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(looked_at(*old), 0u);
  auto writer = begin();
  ASSERT_EQ(update(*writer, key_of(3), "b:3"), StorageStatus::kOk);
  ASSERT_EQ(insert(*writer, key_of(60), "a:60"), StorageStatus::kOk);
  ASSERT_EQ(erase(*writer, key_of(4)), StorageStatus::kOk);
  auto beside = begin();
  EXPECT_GE(looked_at(*beside), 50u);
  EXPECT_GE(looked_at(next(*writer)), 50u) << "its own changes count, too";
  commit(*writer);
  EXPECT_GE(looked_at(*old), 50u) << "the newest versions are not what it sees";
  auto behind = begin();
  EXPECT_GE(looked_at(*behind), 50u) << "entries of older versions are there for the old snapshot";
  commit(*old);
  commit(*beside);
  commit(*behind);
  for (int i = 0; i < 8; i++) store->reclaim();
  auto later = begin();
  EXPECT_EQ(looked_at(*later), 0u);
}

TEST_F(IndexEntries, AnOldSnapshotMeetsNoNewerRow) {
  for (int i = 0; i < 50; i++) put(key_of(i), "a:" + std::to_string(i));
  auto old = begin(Isolation::kRepeatableRead);
  EXPECT_EQ(looked_at(*old), 0u);
  put(key_of(60), "a:60");
  EXPECT_EQ(entries(*old).size(), 50u) << "as many entries as rows, but one is newer";
  EXPECT_GE(looked_at(*old), 50u);
}

TEST(Stillness, WhatHasBegunIsSeenAlthoughItHasEnded) {
  Stillness stillness;
  ASSERT_TRUE(stillness.moment(0));
  const uint64_t moment = *stillness.moment(0);
  EXPECT_TRUE(stillness.holds(moment));
  stillness.begin();
  EXPECT_FALSE(stillness.holds(moment));
  EXPECT_FALSE(stillness.moment(7));
  stillness.end(5);
  EXPECT_FALSE(stillness.holds(moment));
  EXPECT_FALSE(stillness.moment(4)) << "a view from before it";
  EXPECT_TRUE(stillness.moment(5));
  stillness.begin();
  stillness.end(0);
  EXPECT_FALSE(stillness.moment(4));
  EXPECT_TRUE(stillness.moment(5));
}

TEST_F(IndexEntries, RolledBackIsAsIfNothingHadHappened) {
  for (int i = 0; i < 50; i++) put(key_of(i), "a:" + std::to_string(i));
  auto writer = begin();
  const uint32_t mark = writer->savepoint();
  ASSERT_EQ(update(*writer, key_of(3), "b:3"), StorageStatus::kOk);
  ASSERT_EQ(insert(*writer, key_of(60), "a:60"), StorageStatus::kOk);
  writer->rollback_to(mark);
  auto beside = begin();
  EXPECT_GE(looked_at(*beside), 50u) << "it may change records again";
  store->rollback(*writer);
  auto t = begin();
  EXPECT_EQ(looked_at(*t), 0u);
}

// An entry that stays although no row has it is counted, so rows are looked at for good.
TEST_F(IndexEntries, AnEntryThatWasLeftIsNotARow) {
  put("1", "a:1");
  auto t = begin();
  auto& index = *static_cast<TableImpl&>(*table).indexes()->front()->index;
  ASSERT_EQ(index.insert("x", "1"), StorageStatus::kOk);
  EXPECT_EQ(entries(*t), (Entries{{"a", "1"}}));
  index.erase("x", "1");
  EXPECT_EQ(looked_at(*t), 0u);
}

TEST_F(IndexEntries, SerializableReadsAreNoted) {
  put("1", "a:1");
  put("2", "b:2");
  auto one = serializable();
  auto two = serializable();
  EXPECT_EQ(entries(*one).size(), 2u);
  EXPECT_EQ(entries(*two).size(), 2u);
  ASSERT_EQ(update(*one, "1", "c:1"), StorageStatus::kOk);
  ASSERT_EQ(update(*two, "2", "c:2"), StorageStatus::kOk);
  commit(*one);
  expect_failure(*two);
}

// Writers move rows between two keys in pairs and swap rows for others: every snapshot has as many entries of each kind as ever.
TEST_F(IndexEntries, EverySnapshotIsWhole) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  constexpr int kRows = 64, kRounds = 400;
  for (int i = 0; i < kRows; i++) put(key_of(i), (i % 2 == 0 ? "a:" : "b:") + std::to_string(i));
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; r++) {
    readers.emplace_back([&] {
      while (!stop) {
        auto t = begin();
        const Entries found = entries(*t);
        size_t of_a = 0;
        std::set<std::string> rows;
        for (const auto& [key, primary] : found) {
          of_a += key == "a";
          rows.insert(primary);
        }
        if (of_a != kRows / 2 || found.size() != kRows || rows.size() != kRows) wrong++;
        commit(*t);
      }
    });
  }
  std::mt19937 random(seed);
  int next_key = kRows;
  std::vector<int> of[2];  // keys of rows under "a" and "b"
  for (int i = 0; i < kRows; i++) of[i % 2].push_back(i);
  for (int round = 0; round < kRounds; round++) {
    auto t = begin();
    const size_t x = random() % of[0].size(), y = random() % of[1].size();
    const bool keep = random() % 4 != 0;
    if (random() % 2 == 0) {
      ASSERT_EQ(update(*t, key_of(of[0][x]), "b:"), StorageStatus::kOk);
      ASSERT_EQ(update(*t, key_of(of[1][y]), "a:"), StorageStatus::kOk);
      if (keep) std::swap(of[0][x], of[1][y]);
    } else {
      ASSERT_EQ(erase(*t, key_of(of[0][x])), StorageStatus::kOk);
      ASSERT_EQ(insert(*t, key_of(next_key), "a:"), StorageStatus::kOk);
      if (keep) of[0][x] = next_key++;
    }
    if (keep) {
      commit(*t);
    } else {
      store->rollback(*t);
    }
    if (round % 8 == 0) std::this_thread::yield();
  }
  stop = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace indigo::storage
