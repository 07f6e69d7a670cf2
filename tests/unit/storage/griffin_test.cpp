// Griffin's own schedules: what comes in the middle of a merge. What every structure does is in index_conformance_test.cpp.
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/index/griffin/griffin_index.h"
#include "storage/index/hash_index.h"
#include "tests/unit/storage/held_merge.h"
#include "tests/unit/storage/index_entries.h"

namespace indigo::storage {
namespace {

constexpr int kAsked = 2;  // it is known what the hash table says of the entry, and the tree has not had it

class Griffin : public ::testing::Test {
 protected:
  EpochManager epochs_;
  PauseHook pauses_;
  std::unique_ptr<Index> index_ = create_griffin_index(epochs_, pauses_);

  size_t lookup_size(Bytes key) {
    std::vector<std::string> found;
    return index_->lookup(key, found);
  }
};

TEST_F(Griffin, AnEntryThatIsErasedWhileItIsMergedLeavesNothing) {
  HeldMerge held(kAsked);
  EXPECT_EQ(index_->insert("a", "1"), StorageStatus::kOk);
  pauses_.set(&held);
  std::thread scanner([&] { EXPECT_LE(count_entries(*index_), 1u); });
  held.wait_until_held();
  EXPECT_TRUE(index_->erase("a", "1"));
  held.let_go();
  scanner.join();
  EXPECT_EQ(count_entries(*index_), 0u);
  EXPECT_EQ(index_->check(), "");
}

TEST_F(Griffin, AnEntryThatComesBackWhileItsErasureIsMergedIsThere) {
  EXPECT_EQ(index_->insert("a", "1"), StorageStatus::kOk);
  EXPECT_EQ(count_entries(*index_), 1u);
  EXPECT_TRUE(index_->erase("a", "1"));
  HeldMerge held(kAsked);
  pauses_.set(&held);
  std::thread scanner([&] { EXPECT_LE(count_entries(*index_), 1u); });
  held.wait_until_held();
  EXPECT_EQ(index_->insert("a", "1"), StorageStatus::kOk);
  held.let_go();
  scanner.join();
  EXPECT_EQ(count_entries(*index_), 1u);
  EXPECT_EQ(index_->check(), "");
}

TEST_F(Griffin, AScanMeetsAnUnmergedInsertAndAnUnmergedErasure) {
  EXPECT_EQ(index_->insert(number_key(1), "1"), StorageStatus::kOk);
  EXPECT_EQ(count_entries(*index_), 1u);
  EXPECT_EQ(index_->insert(number_key(11), "1"), StorageStatus::kOk);
  EXPECT_TRUE(index_->erase(number_key(1), "1"));
  EXPECT_EQ(index_->service_statistics()->backlog_entries, 2u);
  EXPECT_EQ(count_entries(*index_, keys_between(10, 20)), 1u);
  EXPECT_EQ(count_entries(*index_, keys_between(0, 9)), 0u);
  EXPECT_EQ(index_->service_statistics()->backlog_entries, 0u);
  EXPECT_EQ(index_->check(), "");
}

TEST_F(Griffin, AnEntryThatIsPostedWhileAScanChecksIsLeftToTheNextScan) {
  HeldMerge held(kAsked);
  EXPECT_EQ(index_->insert(number_key(1), "1"), StorageStatus::kOk);
  pauses_.set(&held);
  std::thread scanner([&] {
    const size_t found = count_entries(*index_);
    EXPECT_TRUE(found == 1 || found == 2) << found;
  });
  held.wait_until_held();
  // The same shard's, whose list is being merged.
  EXPECT_EQ(index_->insert(number_key(1), "2"), StorageStatus::kOk);
  EXPECT_EQ(lookup_size(number_key(1)), 2u);
  held.let_go();
  scanner.join();
  EXPECT_EQ(count_entries(*index_), 2u);
  EXPECT_EQ(index_->check(), "");
}

// A writer that found no room has merged some of what waits when a scan comes.
TEST_F(Griffin, AScanThatChecksWhileAWriterMergesMissesNothing) {
  constexpr uint64_t kEntries = 1024;  // of one shard: the last one's writer merges
  HeldMerge held(kAsked * 5);
  pauses_.set(&held);
  std::thread writer([&] {
    for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index_->insert("one", number_key(i)), StorageStatus::kOk);
  });
  held.wait_until_held();
  EXPECT_EQ(lookup_size("one"), kEntries);
  std::thread scanner([&] { EXPECT_EQ(count_entries(*index_), kEntries); });
  held.let_go();
  writer.join();
  scanner.join();
  EXPECT_GT(index_->service_statistics()->stalls, 0u);
  EXPECT_EQ(index_->check(), "");
}

// Both are of one leaf of the tree: a merge of the one changes it, and the scan that waits for the other is not misled.
TEST_F(Griffin, AnEntryIsFoundThoughAnotherShardsMergeChangesItsLeaf) {
  uint64_t other = 2;
  const auto shard = [](uint64_t n) { return HashIndex::hash_of(number_key(n)) >> 60 & 7; };
  while (shard(other) == shard(1)) other++;
  EXPECT_EQ(index_->insert(number_key(1), "1"), StorageStatus::kOk);
  EXPECT_EQ(index_->insert(number_key(other), "1"), StorageStatus::kOk);
  HeldMerge held(kAsked);
  pauses_.set(&held);
  std::thread scanner([&] { EXPECT_EQ(count_entries(*index_, keys_between(0, 1)), 1u); });
  held.wait_until_held();
  EXPECT_EQ(count_entries(*index_, keys_between(other, other + 1)), 1u);
  EXPECT_EQ(index_->service_statistics()->backlog_entries, 1u);
  held.let_go();
  scanner.join();
  EXPECT_EQ(count_entries(*index_), 2u);
  EXPECT_EQ(index_->check(), "");
}

TEST_F(Griffin, ACloneThatIsMadeInTheMiddleOfAMergeHasWhatWasMergedAndWhatWaits) {
  constexpr uint64_t kEntries = 50;
  for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index_->insert(number_key(i), "1"), StorageStatus::kOk);
  HeldMerge held(kAsked * 5);
  pauses_.set(&held);
  std::thread scanner([&] { EXPECT_EQ(count_entries(*index_), kEntries); });
  held.wait_until_held();
  epochs_.pause_writers();
  const auto clone = index_->clone(1, 2);
  epochs_.resume_writers();
  held.let_go();
  scanner.join();
  index_->erase(number_key(7), "1");
  EXPECT_EQ(count_entries(*index_), kEntries - 1);
  EXPECT_EQ(count_entries(*clone), kEntries);
  clone->erase(number_key(8), "1");
  EXPECT_EQ(clone->check(), "");
  EXPECT_EQ(index_->check(), "");
  EXPECT_EQ(index_->entry_count(), kEntries - 1);
}

TEST_F(Griffin, TheNextKeyBelowIsFoundWithoutMergingWhatLiesFurtherBelow) {
  for (uint64_t i = 100; i < 110; i++) EXPECT_EQ(index_->insert(number_key(i), "1"), StorageStatus::kOk);
  EXPECT_EQ(count_entries(*index_), 10u);
  const uint64_t repairs = index_->service_statistics()->repairs;
  for (uint64_t i = 0; i < 50; i++) EXPECT_EQ(index_->insert(number_key(i), "1"), StorageStatus::kOk);
  std::string found;
  ASSERT_TRUE(index_->greatest(number_key(105), false, found));
  EXPECT_EQ(found, number_key(104));
  EXPECT_EQ(index_->service_statistics()->repairs, repairs);
  EXPECT_EQ(index_->service_statistics()->backlog_entries, 50u);
  // What waits in between is found, and what the tree has no longer is not.
  for (uint64_t i = 100; i < 110; i++) EXPECT_TRUE(index_->erase(number_key(i), "1"));
  ASSERT_TRUE(index_->greatest(number_key(105), true, found));
  EXPECT_EQ(found, number_key(49));
}

TEST_F(Griffin, WhatWaitsIsBoundedAndCounted) {
  constexpr uint64_t kEntries = 40'000;
  for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index_->insert(number_key(i), number_key(i)), StorageStatus::kOk);
  IndexServiceStatistics s = *index_->service_statistics();
  EXPECT_GT(s.stalls, 0u);
  EXPECT_EQ(s.repairs, 0u);
  EXPECT_GT(s.backlog_entries, 0u);
  EXPECT_LE(s.backlog_entries, 8u * 1024);
  EXPECT_GT(s.backlog_bytes, s.backlog_entries * 16);
  EXPECT_EQ(s.merged_entries + s.backlog_entries, kEntries);
  // A scan merges what is in its range, and nothing else.
  KeyRange range;
  range.low = number_key(kEntries - 100);
  range.has_low = true;
  EXPECT_EQ(count_entries(*index_, range), 100u);
  EXPECT_LE(index_->service_statistics()->merged_entries, s.merged_entries + 100);
  EXPECT_EQ(count_entries(*index_), kEntries);
  s = *index_->service_statistics();
  EXPECT_EQ(s.backlog_entries, 0u);
  EXPECT_EQ(s.age_us, 0u);
  EXPECT_GT(s.repairs, 0u);
}

TEST(GriffinService, AnIndexThatIsBeingMergedMayGo) {
  MemoryAccount account;
  {
    EpochManager epochs;
    PauseHook pauses;
    IndexService service;
    for (int round = 0; round < 40; round++) {
      const auto index = create_griffin_index(epochs, pauses, account, service);
      for (uint64_t i = 0; i < 1500; i++) EXPECT_EQ(index->insert(number_key(i), "1"), StorageStatus::kOk);
      if (round % 2 == 0) service.run_round();
    }
  }
  EXPECT_EQ(account.total(), 0u);
}

TEST(GriffinService, WhatIsPostedIsMergedWithoutAnybodysHelp) {
  MemoryAccount account;
  EpochManager epochs;
  PauseHook pauses;
  IndexService service;
  const auto index = create_griffin_index(epochs, pauses, account, service);
  for (uint64_t i = 0; i < 3000; i++) EXPECT_EQ(index->insert(number_key(i), "1"), StorageStatus::kOk);
  while (index->service_statistics()->backlog_entries > 0) std::this_thread::yield();
  EXPECT_EQ(index->service_statistics()->merged_entries, 3000u);
  EXPECT_EQ(index->check(), "");
}

}  // namespace
}  // namespace indigo::storage
