// Griffin's own schedules: what comes in the middle of a merge. What every structure does is in index_conformance_test.cpp.
#include <condition_variable>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "storage/index/griffin/griffin_index.h"

namespace indigo::storage {
namespace {

// Holds the first merge that comes by the point for the `nth` time, until it is let go.
class HeldMerge final : public PausePoints {
 public:
  explicit HeldMerge(int nth) : left_(nth) {}
  void wait_until_held() {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [this] { return held_; });
  }
  void let_go() {
    std::lock_guard lock(mutex_);
    go_ = true;
    condition_.notify_all();
  }

 private:
  void reached(PausePoint point) override {
    if (point != PausePoint::kMergeEntry) return;
    std::unique_lock lock(mutex_);
    if (--left_ != 0) return;
    held_ = true;
    condition_.notify_all();
    condition_.wait(lock, [this] { return go_; });
  }

  std::mutex mutex_;  // guards what follows
  std::condition_variable condition_;
  int left_;
  bool held_ = false, go_ = false;
};
constexpr int kAsked = 2;  // it is known what the hash table says of the entry, and the tree has not had it

std::string number(uint64_t n) {
  const uint64_t bytes = big_endian(n);
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}

size_t count(Index& index, const KeyRange& range) {
  const auto scan = index.scan(range, Direction::kForward);
  size_t count = 0;
  for (auto entries = scan->next(100); !entries.empty(); entries = scan->next(100)) count += entries.size();
  return count;
}
size_t count_all(Index& index) { return count(index, KeyRange::all()); }

class Griffin : public ::testing::Test {
 protected:
  EpochManager epochs_;
  PauseHook pauses_;
  std::unique_ptr<Index> index_ = create_griffin_index(epochs_, pauses_);
};

TEST_F(Griffin, AnEntryThatIsErasedWhileItIsMergedLeavesNothing) {
  HeldMerge held(kAsked);
  EXPECT_EQ(index_->insert("a", "1"), StorageStatus::kOk);
  pauses_.set(&held);
  std::thread scanner([&] { EXPECT_LE(count_all(*index_), 1u); });
  held.wait_until_held();
  EXPECT_TRUE(index_->erase("a", "1"));
  held.let_go();
  scanner.join();
  EXPECT_EQ(count_all(*index_), 0u);
  EXPECT_EQ(index_->check(), "");
}

TEST_F(Griffin, AnEntryThatComesBackWhileItsErasureIsMergedIsThere) {
  EXPECT_EQ(index_->insert("a", "1"), StorageStatus::kOk);
  EXPECT_EQ(count_all(*index_), 1u);
  EXPECT_TRUE(index_->erase("a", "1"));
  HeldMerge held(kAsked);
  pauses_.set(&held);
  std::thread scanner([&] { EXPECT_LE(count_all(*index_), 1u); });
  held.wait_until_held();
  EXPECT_EQ(index_->insert("a", "1"), StorageStatus::kOk);
  held.let_go();
  scanner.join();
  EXPECT_EQ(count_all(*index_), 1u);
  EXPECT_EQ(index_->check(), "");
}

TEST_F(Griffin, ACloneThatIsMadeInTheMiddleOfAMergeHasWhatWasMergedAndWhatWaits) {
  constexpr uint64_t kEntries = 50;
  for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index_->insert(number(i), "1"), StorageStatus::kOk);
  HeldMerge held(kAsked * 5);
  pauses_.set(&held);
  std::thread scanner([&] { EXPECT_EQ(count_all(*index_), kEntries); });
  held.wait_until_held();
  epochs_.pause_writers();
  const auto clone = index_->clone(1, 2);
  epochs_.resume_writers();
  held.let_go();
  scanner.join();
  index_->erase(number(7), "1");
  EXPECT_EQ(count_all(*index_), kEntries - 1);
  EXPECT_EQ(count_all(*clone), kEntries);
  clone->erase(number(8), "1");
  EXPECT_EQ(clone->check(), "");
  EXPECT_EQ(index_->check(), "");
  EXPECT_EQ(index_->entry_count(), kEntries - 1);
}

TEST_F(Griffin, WhatWaitsIsBoundedAndCounted) {
  constexpr uint64_t kEntries = 40'000;
  for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index_->insert(number(i), number(i)), StorageStatus::kOk);
  IndexServiceStatistics s = *index_->service_statistics();
  EXPECT_GT(s.stalls, 0u);
  EXPECT_EQ(s.repairs, 0u);
  EXPECT_GT(s.backlog_entries, 0u);
  EXPECT_LE(s.backlog_entries, 8u * 1024);
  EXPECT_GT(s.backlog_bytes, s.backlog_entries * 16);
  EXPECT_EQ(s.merged_entries + s.backlog_entries, kEntries);
  // A scan merges what is in its range, and nothing else.
  KeyRange range;
  range.low = number(kEntries - 100);
  range.has_low = true;
  EXPECT_EQ(count(*index_, range), 100u);
  EXPECT_LE(index_->service_statistics()->merged_entries, s.merged_entries + 100);
  EXPECT_EQ(count_all(*index_), kEntries);
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
      for (uint64_t i = 0; i < 1500; i++) EXPECT_EQ(index->insert(number(i), "1"), StorageStatus::kOk);
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
  for (uint64_t i = 0; i < 3000; i++) EXPECT_EQ(index->insert(number(i), "1"), StorageStatus::kOk);
  while (index->service_statistics()->backlog_entries > 0) std::this_thread::yield();
  EXPECT_EQ(index->service_statistics()->merged_entries, 3000u);
  EXPECT_EQ(index->check(), "");
}

}  // namespace
}  // namespace indigo::storage
