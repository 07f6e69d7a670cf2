// Indexlets' own schedules: what comes before, in the middle of and after a merge. What every structure does is in
// index_conformance_test.cpp.
#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/mutation.h"
#include "storage/index/indexlet/indexlet_index.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/held_merge.h"
#include "tests/unit/storage/index_entries.h"

namespace indigo::storage {
namespace {

constexpr uint64_t kFirst = 1'000'000;  // keys of those that make the index worth an indexlet
constexpr uint64_t kEntriesBefore = 100;

class IndexletTest : public ::testing::Test {
 protected:
  EpochManager epochs_;
  PauseHook pauses_;
  std::unique_ptr<Index> index_ = create_indexlet_index(epochs_, pauses_);
  std::vector<std::string> found_;

  void SetUp() override {
    for (uint64_t i = 0; i < kEntriesBefore; i++) {
      EXPECT_EQ(index_->insert(number_key(kFirst + i * 10), "1"), StorageStatus::kOk);
    }
    EXPECT_EQ(count_entries(*index_), kEntriesBefore);
  }
  uint64_t backlog() const { return index_->service_statistics()->backlog_entries; }
  uint64_t merged() const { return index_->service_statistics()->merged_entries; }
};

TEST_F(IndexletTest, AScanMeetsAnUnmergedInsertAndAnUnmergedErasure) {
  EXPECT_EQ(index_->insert(number_key(5), "1"), StorageStatus::kOk);
  EXPECT_TRUE(index_->erase(number_key(kFirst), "1"));
  EXPECT_EQ(backlog(), 2u);
  EXPECT_EQ(count_entries(*index_, keys_between(1, 10)), 1u);
  EXPECT_EQ(count_entries(*index_, keys_between(kFirst, kFirst)), 0u);
  EXPECT_EQ(backlog(), 0u);
  EXPECT_EQ(index_->check(), "");
}

TEST_F(IndexletTest, ALookUpMeetsAnUnmergedInsertAndAnUnmergedErasure) {
  EXPECT_EQ(index_->insert(number_key(kFirst), "0"), StorageStatus::kOk);
  EXPECT_EQ(index_->insert(number_key(kFirst), "2"), StorageStatus::kOk);
  EXPECT_EQ(index_->lookup(number_key(kFirst), found_), 3u);
  EXPECT_EQ(std::vector<std::string>(found_.begin(), found_.begin() + 3), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_TRUE(index_->erase(number_key(kFirst), "1"));
  EXPECT_FALSE(index_->erase(number_key(kFirst), "1"));
  ASSERT_EQ(index_->lookup(number_key(kFirst), found_), 2u);
  EXPECT_EQ(found_[1], "2");
  const std::vector<std::string> keys{number_key(7), number_key(kFirst), number_key(kFirst + 10)};
  IndexMatches matches;
  index_->lookup_many(std::vector<Bytes>(keys.begin(), keys.end()), matches);
  EXPECT_EQ(matches.ends, (std::vector<uint32_t>{0, 2, 3}));
  EXPECT_EQ(index_->entry_count(), kEntriesBefore + 1);
  EXPECT_EQ(backlog(), 3u);
}

TEST_F(IndexletTest, AScanOfOtherPartsOfTheKeySpaceMergesNothing) {
  EXPECT_EQ(index_->insert(number_key(5), "1"), StorageStatus::kOk);
  EXPECT_EQ(count_entries(*index_, keys_between(kFirst + 500, kFirst + 600)), 11u);
  EXPECT_EQ(backlog(), 1u);
}

TEST_F(IndexletTest, WhatComesAndGoesIsMergedOnce) {
  const uint64_t before = merged();
  for (int i = 0; i < 50; i++) {
    EXPECT_EQ(index_->insert(number_key(5), "1"), StorageStatus::kOk);
    EXPECT_TRUE(index_->erase(number_key(5), "1"));
  }
  EXPECT_EQ(backlog(), 1u);
  EXPECT_EQ(count_entries(*index_), kEntriesBefore);
  EXPECT_EQ(merged(), before + 1);
}

TEST_F(IndexletTest, AnEntryComesBackWhileItsErasureIsMerged) {
  EXPECT_TRUE(index_->erase(number_key(kFirst), "1"));
  HeldMerge held(1);
  pauses_.set(&held);
  std::thread scanner([&] { EXPECT_LE(count_entries(*index_), kEntriesBefore); });
  held.wait_until_held();
  EXPECT_EQ(index_->insert(number_key(kFirst), "1"), StorageStatus::kOk);
  held.let_go();
  scanner.join();
  EXPECT_EQ(count_entries(*index_), kEntriesBefore);
  EXPECT_EQ(index_->check(), "");
}

// Between the two structures an entry is in one of them at least. With "merge" switched off it is in neither for a while.
TEST_F(IndexletTest, AnEntryThatIsBeingMergedIsFound) {
  EXPECT_EQ(index_->insert(number_key(5), "1"), StorageStatus::kOk);
  HeldMerge held(2);
  pauses_.set(&held);
  std::atomic<bool> done{false};
  std::thread scanner([&] {
    EXPECT_EQ(count_entries(*index_), kEntriesBefore + 1);
    done = true;
  });
  if (kMutations) {
    while (!done && index_->lookup(number_key(5), found_) == 1) std::this_thread::yield();
  }
  EXPECT_EQ(index_->lookup(number_key(5), found_), 1u);
  held.let_go();
  scanner.join();
}

TEST_F(IndexletTest, ACloneThatIsMadeInTheMiddleOfAMergeHasWhatWasMergedAndWhatWaits) {
  constexpr uint64_t kEntries = 10;
  for (uint64_t i = 0; i < kEntries; i++) {
    EXPECT_EQ(index_->insert(number_key(i), std::string(i * 10, 'p')), StorageStatus::kOk);  // some of them long
  }
  HeldMerge held(5);
  pauses_.set(&held);
  std::thread scanner([&] { EXPECT_EQ(count_entries(*index_), kEntriesBefore + kEntries); });
  held.wait_until_held();
  epochs_.pause_writers();
  const auto clone = index_->clone(1, 2);
  epochs_.resume_writers();
  held.let_go();
  scanner.join();
  EXPECT_TRUE(index_->erase(number_key(7), std::string(70, 'p')));
  EXPECT_EQ(count_entries(*index_), kEntriesBefore + kEntries - 1);
  EXPECT_EQ(clone->lookup(number_key(7), found_), 1u);
  EXPECT_EQ(count_entries(*clone), kEntriesBefore + kEntries);
  EXPECT_TRUE(clone->erase(number_key(8), std::string(80, 'p')));
  EXPECT_EQ(clone->check(), "");
  EXPECT_EQ(index_->check(), "");
}

TEST_F(IndexletTest, AnIndexletThatHasNoRoomIsPassedBy) {
  constexpr uint64_t kEntries = 500;  // of one key, which has room for fewer
  for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index_->insert("one", number_key(i)), StorageStatus::kOk);
  EXPECT_EQ(index_->lookup("one", found_), kEntries);
  for (uint64_t i = 0; i < kEntries; i += 2) EXPECT_TRUE(index_->erase("one", number_key(i)));
  EXPECT_EQ(index_->lookup("one", found_), kEntries / 2);
  EXPECT_EQ(index_->check(), "");
}

TEST_F(IndexletTest, WhatWaitsIsBoundedAndCounted) {
  constexpr uint64_t kEntries = 20'000;
  for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index_->insert(number_key(i), number_key(i)), StorageStatus::kOk);
  const IndexServiceStatistics s = *index_->service_statistics();
  EXPECT_GT(s.stalls, 0u);
  EXPECT_LE(s.backlog_entries, 8u * 256);
  EXPECT_EQ(index_->entry_count(), kEntriesBefore + kEntries);
  EXPECT_EQ(count_entries(*index_), kEntriesBefore + kEntries);
  EXPECT_EQ(backlog(), 0u);
}

TEST_F(IndexletTest, NothingWaitsWhereScansAlwaysNeedIt) {
  uint64_t waited = 0;
  for (uint64_t i = 0; i < 1000; i++) {
    EXPECT_EQ(index_->insert(number_key(i), "1"), StorageStatus::kOk);
    waited = backlog();
    EXPECT_EQ(count_entries(*index_, keys_between(i, i)), 1u);
  }
  EXPECT_EQ(waited, 0u);
  // And it waits again when they have gone.
  for (uint64_t i = 0; i < 10'000; i++) {
    EXPECT_EQ(index_->insert(number_key(kFirst * 2 + i), "1"), StorageStatus::kOk);
    if (backlog() > 100) return;
  }
  ADD_FAILURE() << "batches have not grown again";
}

TEST(IndexletService, AnIndexThatIsBeingMergedMayGo) {
  MemoryAccount account;
  {
    EpochManager epochs;
    PauseHook pauses;
    IndexService service;
    for (int round = 0; round < 40; round++) {
      const auto index = create_indexlet_index(epochs, pauses, account, service);
      for (uint64_t i = 0; i < 1500; i++) EXPECT_EQ(index->insert(number_key(i), "1"), StorageStatus::kOk);
      if (round % 2 == 0) service.run_round();
    }
  }
  EXPECT_EQ(account.total(), 0u);
}

TEST(IndexletService, WhatIsPostedIsMergedWithoutAnybodysHelpAndThenTheIndexletGoes) {
  MemoryAccount account;
  EpochManager epochs;
  PauseHook pauses;
  IndexService service;
  const auto index = create_indexlet_index(epochs, pauses, account, service);
  const auto tree = create_btree_index(epochs, pauses);
  for (uint64_t i = 0; i < 3000; i++) {
    EXPECT_EQ(index->insert(number_key(i), "1"), StorageStatus::kOk);
    EXPECT_EQ(tree->insert(number_key(i), "1"), StorageStatus::kOk);
  }
  while (index->service_statistics()->backlog_entries > 0) std::this_thread::yield();
  EXPECT_GT(index->service_statistics()->merged_entries, 0u);
  while (index->memory_bytes() > tree->memory_bytes() * 2) std::this_thread::yield();
  EXPECT_EQ(index->check(), "");
}

// One writer is in nobody's way; several at one end of the tree are, sooner or later. Then what they write waits, for as long as
// it is tried, and again and again while they go on.
TEST(AdaptiveIndex, OnlyWhatIsContendedIsBuffered) {
  MemoryAccount account;
  EpochManager epochs;
  PauseHook pauses;
  IndexService service;
  IndexletIndex index(epochs, &account, pauses, &service, Buffering{1, 1, 1000});
  std::atomic<uint64_t> next{0};
  const auto append = [&](uint64_t entries) {
    for (uint64_t i = 0; i < entries; i++) {
      EXPECT_EQ(index.insert(number_key(next.fetch_add(1)), "1"), StorageStatus::kOk);
    }
  };
  append(10'000);
  EXPECT_FALSE(index.service_statistics().has_value());
  std::atomic<bool> enough{false};
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; i++) {
    writers.emplace_back([&] {
      while (!enough.load()) append(100);
    });
  }
  while (!index.service_statistics().has_value() || index.service_statistics()->merged_entries < 1000) {
    std::this_thread::yield();
  }
  enough.store(true);
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(index.entry_count(), next.load());
  EXPECT_EQ(count_entries(index), next.load());
  // It goes, and who writes alone gets no other.
  while (index.service_statistics()->backlog_entries > 0) std::this_thread::yield();
  EXPECT_EQ(index.check(), "");
  const uint64_t merged = index.service_statistics()->merged_entries;
  append(1000);
  EXPECT_EQ(index.service_statistics()->merged_entries, merged);
  EXPECT_EQ(count_entries(index), next.load());
}

// The service merges while entries are counted: each is counted once, wherever it is.
TEST(IndexletService, EntriesThatAreBeingMergedAreCountedOnce) {
  MemoryAccount account;
  EpochManager epochs;
  PauseHook pauses;
  IndexService service;
  const auto index = create_indexlet_index(epochs, pauses, account, service);
  uint64_t miscounted = 0;
  for (uint64_t i = 1; i <= 5'000; i++) {
    EXPECT_EQ(index->insert(number_key(i), "1"), StorageStatus::kOk);
    const IndexServiceStatistics before = *index->service_statistics();
    if (before.backlog_entries >= 64) {  // about to be merged, or in the middle
      while (index->service_statistics()->backlog_entries > 0) {
        if (index->entry_count() != i) miscounted++;
      }
    }
  }
  EXPECT_EQ(miscounted, 0u);
  service.stop();
}

// Writes an entry and makes a clone whenever an entry is about to be merged: also while the indexlet is being closed.
class ClonesAtMerges final : public PausePoints {
 public:
  ClonesAtMerges(EpochManager& epochs, Index& index) : epochs_(epochs), index_(index) {}
  void arm(uint64_t entries) {
    entries_ = entries;
    armed_.store(true);
  }
  size_t clones() const { return clones_.size(); }  // when nothing is merged any more

 private:
  static constexpr size_t kMost = 100;
  void reached(PausePoint point) override {
    if (point != PausePoint::kMergeEntry || !armed_.exchange(false)) return;
    EXPECT_EQ(index_.insert(number_key(entries_++), "1"), StorageStatus::kOk);
    epochs_.pause_writers();
    clones_.push_back(index_.clone(2 * clones_.size() + 1, 2 * clones_.size() + 2));
    epochs_.resume_writers();
    EXPECT_EQ(count_entries(*clones_.back()), entries_);  // merges what waits in the clone
    armed_.store(clones_.size() < kMost);
  }

  EpochManager& epochs_;
  Index& index_;
  std::atomic<bool> armed_{false};
  uint64_t entries_ = 0;  // written so far
  std::vector<std::unique_ptr<Index>> clones_;
};

TEST(IndexletService, ClonesOfAnIndexWhoseIndexletGoesHaveAllEntries) {
  MemoryAccount account;
  EpochManager epochs;
  PauseHook pauses;
  IndexService service;
  const auto index = create_indexlet_index(epochs, pauses, account, service);
  ClonesAtMerges points(epochs, *index);
  pauses.set(&points);
  constexpr uint64_t kEntries = 200;
  for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index->insert(number_key(i), "1"), StorageStatus::kOk);
  EXPECT_EQ(count_entries(*index), kEntries);  // nothing waits
  points.arm(kEntries + 1);
  EXPECT_EQ(index->insert(number_key(kEntries), "1"), StorageStatus::kOk);
  // Each merge leaves an entry for the next one, until the indexlet goes with the last of them.
  while (index->service_statistics()->backlog_entries > 0) std::this_thread::yield();
  service.stop();
  EXPECT_GT(points.clones(), 1u);
}

// What a merge looks for ahead is a hint: whatever becomes of the leaves meanwhile, changes go where they belong.
TEST(BtreeAheadTest, ChangesFindTheirLeavesWhateverBecameOfThem) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  EpochManager epochs;
  PauseHook pauses;
  BtreeIndex tree(epochs, nullptr, pauses);
  std::set<std::pair<std::string, std::string>> model;
  std::vector<std::pair<std::unique_ptr<Index>, size_t>> clones;
  uint64_t generation = 1;
  // Few keys with many entries each, so that a key's entries are in several leaves.
  const auto entry = [&] { return std::make_pair(number_key(random() % 40), number_key(random() % 500)); };
  for (int round = 0; round < 3000; round++) {
    const bool grow = (round / 500) % 2 == 0;
    std::vector<std::pair<std::string, std::string>> changes(1 + random() % BtreeIndex::kLookupBatch);
    for (auto& change : changes) change = entry();
    std::vector<Bytes> keys;
    for (const auto& change : changes) keys.emplace_back(change.first);
    BtreeIndex::Ahead ahead;
    tree.look_ahead(keys, ahead);
    const uint32_t meanwhile = random() % 4;
    for (uint32_t i = 0; meanwhile == 1 && i < 200; i++) {
      const auto other = entry();
      if (grow) {
        EXPECT_EQ(tree.insert(other.first, other.second), StorageStatus::kOk);
        model.insert(other);
      } else {
        EXPECT_EQ(tree.erase(other.first, other.second, {}), model.erase(other) == 1);
      }
    }
    if (meanwhile == 2 && round % 50 == 0) {
      epochs.pause_writers();
      clones.emplace_back(tree.clone(generation + 1, generation + 2), model.size());
      epochs.resume_writers();
      generation += 2;
    }
    if (meanwhile == 3) epochs.collect();
    for (size_t i = 0; i < changes.size(); i++) {
      const EntryKey change{changes[i].first, changes[i].second};
      EpochManager::WriteGuard guard(epochs);
      if (grow) {
        tree.insert_guarded(change, ahead, i);
        model.insert(changes[i]);
      } else {
        EXPECT_EQ(tree.erase_guarded(change, ahead, i), model.erase(changes[i]) == 1);
      }
    }
    if (round % 100 == 99) {
      ASSERT_EQ(tree.check(), "");
      ASSERT_EQ(tree.entry_count(), model.size());
    }
  }
  EXPECT_EQ(tree.check(), "");
  auto expected = model.begin();
  const auto scan = tree.scan(KeyRange::all(), Direction::kForward);
  for (auto entries = scan->next(100); !entries.empty(); entries = scan->next(100)) {
    for (const IndexEntry& e : entries) {
      ASSERT_EQ(std::make_pair(std::string(e.key), std::string(e.primary_key)), *expected);
      ++expected;
    }
  }
  EXPECT_EQ(expected, model.end());
  for (const auto& [clone, count] : clones) EXPECT_EQ(count_entries(*clone), count);
}

TEST(PhantomletTest, PartsAscendWithKeys) {
  const Phantomlet phantoms("abc100", "abc200");
  uint16_t last = 0;
  for (const char* key : {"", "a", "abb", "abc", "abc1", "abc100", "abc150", "abc199", "abc200", "abc3", "abd", "z"}) {
    EXPECT_GE(phantoms.partition(key), last) << key;
    last = phantoms.partition(key);
  }
  EXPECT_LT(phantoms.partition("abc100"), phantoms.partition("abc150"));
}

TEST(PhantomletTest, CountsWhatIsInARange) {
  Phantomlet phantoms(number_key(0), number_key(1000));
  KeyRange range = keys_between(500, 510);
  EXPECT_TRUE(phantoms.none_in(range));
  phantoms.add(phantoms.partition(number_key(505)));
  EXPECT_FALSE(phantoms.none_in(range));
  EXPECT_TRUE(phantoms.none_in(keys_between(600, 610)));
  phantoms.remove(phantoms.partition(number_key(505)));
  EXPECT_TRUE(phantoms.none_in(range));
}

}  // namespace
}  // namespace indigo::storage
