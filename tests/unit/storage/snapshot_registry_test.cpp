#include "storage/txn/snapshot_registry.h"

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/txn/commit_clock.h"

namespace indigo::storage {
namespace {

class ClockTest : public ::testing::TestWithParam<ClockSource> {
 protected:
  void SetUp() override {
    if (!clock_source_usable(GetParam())) GTEST_SKIP() << "not on this machine";
    clock = std::make_unique<CommitClock>(GetParam());
  }
  std::unique_ptr<CommitClock> clock;
};
INSTANTIATE_TEST_SUITE_P(Sources, ClockTest, ::testing::Values(ClockSource::kCounter, ClockSource::kTsc),
                         [](const auto& i) { return i.param == ClockSource::kCounter ? "Counter" : "Tsc"; });

TEST_P(ClockTest, StableCoversOnlyWhatIsDecided) {
  const CommitStamp before = clock->stable();
  const CommitStamp a = clock->take(), b = clock->take(a), c = clock->take(b);
  EXPECT_LT(before, a);
  EXPECT_LT(a, b);
  EXPECT_LT(b, c);
  clock->decide(b);
  EXPECT_LT(clock->stable(), a);
  clock->decide(a);
  clock->wait_stable(b);
  EXPECT_LT(clock->stable(), c);
  clock->decide(c);
  clock->wait_stable(c);
  clock->wait_stable(clock->taken());
  EXPECT_GE(clock->stable(), c);
}

TEST_P(ClockTest, GoesOnAboveWhatWasBefore) {
  const CommitStamp last(clock->taken().value + (uint64_t{1} << 40));
  clock->start_at(last);
  EXPECT_GE(clock->stable(), last);
  const CommitStamp c = clock->take();
  EXPECT_GT(c, last);
  clock->decide(c);
  clock->wait_stable(c);
}

// Of one slot, twice within a tick: a few in a million would be, if the slot did not know its last one.
TEST_P(ClockTest, StampsThatFollowEachOtherAtOnceAreDifferent) {
  CommitStamp before;
  int equal = 0;
  for (int n = 0; n < 1'000'000; n++) {
    const CommitStamp c = clock->take();
    clock->decide(c);
    equal += c == before ? 1 : 0;
    before = c;
  }
  EXPECT_EQ(equal, 0);
}

// What one thread has waited for, the next thread's stable stamp covers; stamps are unique and lie above what was stable
// before they were taken.
TEST_P(ClockTest, StableNeverGoesBackBetweenThreads) {
  constexpr int kThreads = 4, kStamps = 20000;
  std::atomic<uint64_t> acknowledged{0}, failures{0};
  std::vector<std::vector<uint64_t>> taken(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < kStamps; n++) {
        const uint64_t floor = acknowledged.load();
        const CommitStamp stable = clock->stable();
        if (stable.value < floor) failures++;
        const CommitStamp c = clock->take();
        if (c <= stable) failures++;
        if (n % 500 == i) std::this_thread::yield();  // others find it undecided
        if (clock->stable() >= c) failures++;
        clock->decide(c);
        clock->wait_stable(c);
        taken[i].push_back(c.value);
        uint64_t most = acknowledged.load();
        while (most < c.value && !acknowledged.compare_exchange_weak(most, c.value)) {
        }
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(failures, 0u);
  std::set<uint64_t> all;
  for (const auto& t : taken) all.insert(t.begin(), t.end());
  EXPECT_EQ(all.size(), size_t{kThreads} * kStamps);
}

TEST(CounterClock, HasNoGapsOnceAllIsDecided) {
  CommitClock clock;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([&] {
      for (int n = 0; n < 20000; n++) {
        CommitStamp c = clock.take();
        clock.decide(c);
        if (n % 100 == 0) clock.wait_stable(c);
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(clock.stable().value, CommitClock::kFirst + 60000);
}

class SnapshotRegistryTest : public ::testing::Test {
 protected:
  void advance_to(uint64_t stamp) {
    while (clock.stable().value < stamp) clock.decide(clock.take());
  }
  ActiveSnapshots collect() {
    ActiveSnapshots a;
    registry.collect(a);
    return a;
  }
  CommitClock clock;
  PauseHook pauses;
  SnapshotRegistry registry{clock, pauses};
};

TEST_F(SnapshotRegistryTest, AVersionIsNeededIfASnapshotLiesInItsLife) {
  advance_to(10);
  auto* slot = registry.allocate_slot(0);
  CommitStamp s = registry.take(*slot, CommitStamp{});
  EXPECT_EQ(s.value, 10u);
  advance_to(20);
  EXPECT_TRUE(collect().needs(5, 11));
  EXPECT_TRUE(collect().needs(10, 15));
  EXPECT_FALSE(collect().needs(5, 10));
  EXPECT_FALSE(collect().needs(11, 20));  // newer than the only snapshot
  EXPECT_EQ(collect().oldest(), 10u);
  SnapshotRegistry::release(*slot);
  EXPECT_FALSE(collect().needs(10, 15));
  EXPECT_EQ(collect().oldest(), 20u);
}

// R1: while stamps below c are undecided, a snapshot below c may still be taken.
TEST_F(SnapshotRegistryTest, WhatEndsAboveTheStableStampIsNeeded) {
  advance_to(10);
  CommitStamp undecided = clock.take();
  CommitStamp c = clock.take();
  clock.decide(c);
  EXPECT_TRUE(collect().needs(10, c.value));
  clock.decide(undecided);
  EXPECT_FALSE(collect().needs(10, c.value));
}

// R4: between announcing and loading the stable stamp, the snapshot may become any that is not below its bound.
TEST_F(SnapshotRegistryTest, ATentativeSlotNeedsEverythingAboveItsBound) {
  advance_to(10);
  auto* slot = registry.allocate_slot(0);
  registry.announce(*slot, CommitStamp(10));
  advance_to(20);
  EXPECT_TRUE(collect().needs(12, 15));
  EXPECT_FALSE(collect().needs(5, 10));
}

TEST_F(SnapshotRegistryTest, APinnedSnapshotIsNeverMissedWhileItMoves) {
  advance_to(10);
  std::atomic<bool> stop{false};
  auto* mine = registry.allocate_slot(0);
  registry.take(*mine, CommitStamp{});
  std::thread mover([&] {
    // The snapshot 10 moves between two slots, one of which always holds it.
    auto* first = registry.allocate_slot(1);
    auto* second = registry.allocate_slot(2);
    registry.copy(*first, CommitStamp(10));
    SnapshotRegistry::release(*mine);
    while (!stop) {
      registry.copy(*second, CommitStamp(10));
      SnapshotRegistry::release(*first);
      registry.copy(*first, CommitStamp(10));
      SnapshotRegistry::release(*second);
    }
  });
  for (int i = 0; i < 20000; i++) {
    advance_to(clock.stable().value + 1);
    ASSERT_TRUE(collect().needs(10, 11));
  }
  stop = true;
  mover.join();
}

}  // namespace
}  // namespace indigo::storage
