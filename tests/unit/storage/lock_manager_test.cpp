// What the lock manager promises, one property per test. Threads that wait are recognised in snapshot().
#include "storage/lock/lock_manager.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/lock/lock_compatibility.h"
#include "tests/random_seed.h"

namespace indigo::storage {
namespace {

constexpr std::chrono::milliseconds kNoTimeout{0};
constexpr uint64_t kTable = 7;

class LockManagerTest : public ::testing::Test {
 protected:
  std::unique_ptr<LockOwner> owner(uint64_t txn) { return locks_->create_owner(TxnId{txn}, 100 + txn); }
  StorageStatus table(LockOwner& owner, TableLockMode mode, bool wait = false, uint64_t object = kTable) {
    return locks_->lock_table(owner, object, mode, wait, kNoTimeout);
  }
  StorageStatus row(LockOwner& owner, Bytes key, RowLockMode mode, bool wait = false) {
    return locks_->lock_row(owner, TableId{kTable}, key, mode, wait, kNoTimeout);
  }
  StorageStatus value(LockOwner& owner, Bytes key, const KeyValueMode& mode, bool wait = false) {
    return locks_->lock_key_value_components(owner, IndexId(kTable), key, mode, wait, kNoTimeout);
  }
  StorageStatus advisory(LockOwner& owner, bool shared, bool wait = false) {
    return locks_->lock_advisory(owner, 1, "12345678", shared, wait, kNoTimeout);
  }
  // Runs a request in a thread; it releases everything of its owner at the end unless `keep`.
  template <class Request>
  std::future<StorageStatus> in_background(Request request) {
    return std::async(std::launch::async, request);
  }
  size_t waiting() const {
    auto all = locks_->snapshot();
    return static_cast<size_t>(std::count_if(all.begin(), all.end(), [](const LockInfo& l) { return !l.granted; }));
  }
  // Who queues is in the graph a little later: only then does the next one's search find it.
  size_t known_to_wait() const {
    auto all = locks_->snapshot();
    return static_cast<size_t>(std::count_if(all.begin(), all.end(), [&](const LockInfo& l) {
      return !l.granted && !locks_->blocking_sessions(l.session).empty();
    }));
  }
  void until_waiting(size_t count) const {
    while (waiting() != count || known_to_wait() != count) std::this_thread::yield();
  }
  std::unique_ptr<LockManager> locks_ = LockManager::create();
};

TEST_F(LockManagerTest, AModeHeldIsGrantedAgainAndHeldOnce) {
  auto a = owner(1);
  EXPECT_EQ(row(*a, "k", RowLockMode::kUpdate), StorageStatus::kOk);
  EXPECT_EQ(row(*a, "k", RowLockMode::kUpdate), StorageStatus::kOk);
  EXPECT_EQ(table(*a, TableLockMode::kAccessShare), StorageStatus::kOk);
  EXPECT_EQ(table(*a, TableLockMode::kAccessShare), StorageStatus::kOk);
  EXPECT_EQ(locks_->snapshot().size(), 2);
  locks_->release_all(*a);
  EXPECT_TRUE(locks_->snapshot().empty());
}

TEST_F(LockManagerTest, LongKeysAreToldApart) {
  auto a = owner(1), b = owner(2);
  std::string long_key(500, 'x');
  EXPECT_EQ(row(*a, long_key + "1", RowLockMode::kUpdate), StorageStatus::kOk);
  EXPECT_EQ(row(*b, long_key + "2", RowLockMode::kUpdate), StorageStatus::kOk);
  EXPECT_EQ(row(*b, long_key + "1", RowLockMode::kUpdate), StorageStatus::kWouldBlock);
  locks_->release_all(*a);
  locks_->release_all(*b);
}

TEST_F(LockManagerTest, AWaiterGetsTheLockWhenItIsReleased) {
  auto a = owner(1), b = owner(2);
  ASSERT_EQ(row(*a, "k", RowLockMode::kUpdate), StorageStatus::kOk);
  auto waiter = in_background([&] { return row(*b, "k", RowLockMode::kUpdate, true); });
  until_waiting(1);
  EXPECT_EQ(locks_->blocking_sessions(102), std::vector<uint64_t>{101});
  locks_->release_all(*a);
  EXPECT_EQ(waiter.get(), StorageStatus::kOk);
  EXPECT_EQ(row(*a, "k", RowLockMode::kKeyShare), StorageStatus::kWouldBlock);
  locks_->release_all(*b);
}

TEST_F(LockManagerTest, GrantsAreFirstComeFirstServed) {
  // A reader that comes after a waiting writer waits too, although the holder is a reader.
  auto a = owner(1), b = owner(2), c = owner(3);
  ASSERT_EQ(table(*a, TableLockMode::kAccessShare), StorageStatus::kOk);
  auto writer = in_background([&] { return table(*b, TableLockMode::kAccessExclusive, true); });
  until_waiting(1);
  EXPECT_EQ(table(*c, TableLockMode::kAccessShare), StorageStatus::kWouldBlock);
  auto reader = in_background([&] { return table(*c, TableLockMode::kAccessShare, true); });
  until_waiting(2);
  EXPECT_EQ(locks_->blocking_sessions(103), std::vector<uint64_t>{102});
  locks_->release_all(*a);
  EXPECT_EQ(writer.get(), StorageStatus::kOk);
  EXPECT_EQ(waiting(), 1);
  locks_->release_all(*b);
  EXPECT_EQ(reader.get(), StorageStatus::kOk);
  locks_->release_all(*c);
}

TEST_F(LockManagerTest, AConversionPassesThoseWhoWaitForItsOwner) {
  auto a = owner(1), b = owner(2), c = owner(3);
  ASSERT_EQ(row(*a, "k", RowLockMode::kShare), StorageStatus::kOk);
  ASSERT_EQ(row(*c, "k", RowLockMode::kShare), StorageStatus::kOk);
  auto stranger = in_background([&] { return row(*b, "k", RowLockMode::kUpdate, true); });
  until_waiting(1);
  auto upgrade = in_background([&] { return row(*a, "k", RowLockMode::kUpdate, true); });
  until_waiting(2);
  locks_->release_all(*c);
  EXPECT_EQ(upgrade.get(), StorageStatus::kOk);
  EXPECT_EQ(waiting(), 1);
  locks_->release_all(*a);
  EXPECT_EQ(stranger.get(), StorageStatus::kOk);
  locks_->release_all(*b);
}

TEST_F(LockManagerTest, AnUpgradeWithoutRivalsIsGrantedAtOnceThoughOthersWait) {
  auto a = owner(1), b = owner(2);
  ASSERT_EQ(row(*a, "k", RowLockMode::kShare), StorageStatus::kOk);
  auto stranger = in_background([&] { return row(*b, "k", RowLockMode::kUpdate, true); });
  until_waiting(1);
  EXPECT_EQ(row(*a, "k", RowLockMode::kUpdate), StorageStatus::kOk);
  locks_->release_all(*a);
  EXPECT_EQ(stranger.get(), StorageStatus::kOk);
  locks_->release_all(*b);
}

TEST_F(LockManagerTest, TwoUpgradesAreADeadlockAndOneGoesOn) {
  auto a = owner(1), b = owner(2);
  ASSERT_EQ(row(*a, "k", RowLockMode::kShare), StorageStatus::kOk);
  ASSERT_EQ(row(*b, "k", RowLockMode::kShare), StorageStatus::kOk);
  auto first = in_background([&] { return row(*a, "k", RowLockMode::kUpdate, true); });
  until_waiting(1);
  EXPECT_EQ(row(*b, "k", RowLockMode::kUpdate, true), StorageStatus::kDeadlock);
  EXPECT_EQ(locks_->deadlock_count(), 1);
  locks_->release_all(*b);
  EXPECT_EQ(first.get(), StorageStatus::kOk);
  locks_->release_all(*a);
}

TEST_F(LockManagerTest, ACycleOfThreeHasOneVictim) {
  auto a = owner(1), b = owner(2), c = owner(3);
  ASSERT_EQ(row(*a, "1", RowLockMode::kUpdate), StorageStatus::kOk);
  ASSERT_EQ(row(*b, "2", RowLockMode::kUpdate), StorageStatus::kOk);
  ASSERT_EQ(table(*c, TableLockMode::kExclusive), StorageStatus::kOk);
  auto first = in_background([&] { return row(*a, "2", RowLockMode::kUpdate, true); });
  until_waiting(1);
  auto second = in_background([&] { return table(*b, TableLockMode::kRowExclusive, true); });
  until_waiting(2);
  auto third = in_background([&] { return row(*c, "1", RowLockMode::kUpdate, true); });
  // Each waits for the next. The victim is who closes the circle in the graph: mostly c, but one that queues is seen waiting
  // a little before that.
  LockOwner* const owners[] = {a.get(), b.get(), c.get()};
  std::future<StorageStatus>* const requests[] = {&first, &second, &third};
  size_t victim = 0;
  while (requests[victim]->wait_for(std::chrono::seconds(0)) != std::future_status::ready) victim = (victim + 1) % 3;
  EXPECT_EQ(requests[victim]->get(), StorageStatus::kDeadlock);
  locks_->release_all(*owners[victim]);
  for (size_t i : {(victim + 2) % 3, (victim + 1) % 3}) {
    EXPECT_EQ(requests[i]->get(), StorageStatus::kOk);
    locks_->release_all(*owners[i]);
  }
}

TEST_F(LockManagerTest, RecordWritersAndLocksAreOneGraph) {
  auto a = owner(1), b = owner(2);
  ASSERT_EQ(locks_->lock_key_value(*a, IndexId{9}, "v", false, kNoTimeout), StorageStatus::kOk);
  // b writes a record that a wants: a waits for b's transaction.
  ASSERT_EQ(locks_->begin_wait(TxnId{1}, TxnId{2}), StorageStatus::kOk);
  EXPECT_EQ(locks_->blocking_sessions(101), std::vector<uint64_t>{102});
  EXPECT_EQ(waiting(), 1);
  EXPECT_EQ(locks_->lock_key_value(*b, IndexId{9}, "v", true, kNoTimeout), StorageStatus::kDeadlock);
  locks_->end_wait(TxnId{1});
  locks_->release_all(*a);
  EXPECT_EQ(locks_->lock_key_value(*b, IndexId{9}, "v", true, kNoTimeout), StorageStatus::kOk);
  // Record writers alone.
  EXPECT_EQ(locks_->begin_wait(TxnId{1}, TxnId{2}), StorageStatus::kOk);
  EXPECT_EQ(locks_->begin_wait(TxnId{2}, TxnId{1}), StorageStatus::kDeadlock);
  locks_->end_wait(TxnId{2});  // harmless: not registered
  locks_->end_wait(TxnId{1});
  locks_->release_all(*b);
}

TEST_F(LockManagerTest, AQueueIsReorderedWhenOnlyItsOrderMakesADeadlock) {
  // a reads the table; b waits to lock it exclusively; c, whom a waits for, wants to read it: c passes b.
  auto a = owner(1), b = owner(2), c = owner(3);
  ASSERT_EQ(row(*c, "r", RowLockMode::kUpdate), StorageStatus::kOk);
  ASSERT_EQ(table(*a, TableLockMode::kAccessShare), StorageStatus::kOk);
  auto exclusive = in_background([&] { return table(*b, TableLockMode::kAccessExclusive, true); });
  until_waiting(1);
  auto row_waiter = in_background([&] { return row(*a, "r", RowLockMode::kUpdate, true); });
  until_waiting(2);
  EXPECT_EQ(table(*c, TableLockMode::kAccessShare, true), StorageStatus::kOk);
  EXPECT_EQ(locks_->deadlock_count(), 0);
  locks_->release_all(*c);
  EXPECT_EQ(row_waiter.get(), StorageStatus::kOk);
  locks_->release_all(*a);
  EXPECT_EQ(exclusive.get(), StorageStatus::kOk);
  locks_->release_all(*b);
}

// Moving a before b, whom alone it must not wait for, would move it before c, too, for whom it waits in another way as well:
// b moves instead.
TEST_F(LockManagerTest, AReorderedQueueMakesNoOtherDeadlock) {
  constexpr KeyValueMode kEntry{.whole = BasicMode::kIX, .partition = BasicMode::kX, .partition_index = 5};
  constexpr KeyValueMode kEntryAndGap{
      .whole = BasicMode::kIX, .partition = BasicMode::kX, .gap = BasicMode::kX, .partition_index = 5};
  constexpr KeyValueMode kWhole{.whole = BasicMode::kX};
  auto a = owner(1), b = owner(2), c = owner(3), g = owner(4), h = owner(5), k = owner(6), s = owner(7);
  ASSERT_EQ(value(*g, "l", {.whole = BasicMode::kIX}), StorageStatus::kOk);
  ASSERT_EQ(value(*k, "l", kEntry), StorageStatus::kOk);
  ASSERT_EQ(value(*h, "l", {.gap = BasicMode::kS}), StorageStatus::kOk);
  ASSERT_EQ(value(*c, "n", kWhole), StorageStatus::kOk);
  ASSERT_EQ(value(*a, "p", kWhole), StorageStatus::kOk);
  ASSERT_EQ(value(*s, "q", kWhole), StorageStatus::kOk);
  std::vector<std::future<StorageStatus>> waits;
  const auto wait = [&](LockOwner& owner, Bytes key, const KeyValueMode& mode) {
    waits.push_back(in_background([this, &owner, key, mode] {
      return locks_->lock_key_value_components(owner, IndexId(kTable), key, mode, true, std::chrono::minutes{1});
    }));
    until_waiting(waits.size());
  };
  wait(*b, "l", {.whole = BasicMode::kS});
  wait(*c, "l", kEntry);
  wait(*a, "l", kEntryAndGap);
  wait(*h, "n", kWhole);
  wait(*g, "q", kWhole);
  wait(*s, "p", kWhole);  // s, a, b, g: a circle, but for the order of a and b
  LockOwner* ends[] = {c.get(), h.get(), a.get(), s.get(), g.get(), b.get()};
  constexpr size_t kWaitOf[] = {1, 3, 2, 5, 4, 0};
  locks_->release_all(*k);
  for (size_t i = 0; i < std::size(ends); i++) {
    EXPECT_EQ(waits[kWaitOf[i]].get(), StorageStatus::kOk) << i;
    locks_->release_all(*ends[i]);
  }
  EXPECT_EQ(locks_->deadlock_count(), 0);
}

// Two that have read a value want to write it. A third one's request stands behind both conversions.
TEST_F(LockManagerTest, TwoConversionsOfAKeyValueAreADeadlock) {
  constexpr KeyValueMode kRead{.whole = BasicMode::kS}, kWrite{.whole = BasicMode::kX};
  auto a = owner(1), b = owner(2), c = owner(3);
  ASSERT_EQ(value(*a, "v", kRead), StorageStatus::kOk);
  ASSERT_EQ(value(*b, "v", kRead), StorageStatus::kOk);
  auto third = in_background([&] { return value(*c, "v", kWrite, true); });
  until_waiting(1);
  auto first = in_background([&] { return value(*a, "v", kWrite, true); });
  until_waiting(2);
  EXPECT_EQ(value(*b, "v", kWrite, true), StorageStatus::kDeadlock);
  EXPECT_EQ(locks_->deadlock_count(), 1);
  EXPECT_NE(third.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  locks_->release_all(*b);
  EXPECT_EQ(first.get(), StorageStatus::kOk);
  EXPECT_NE(third.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  locks_->release_all(*a);
  EXPECT_EQ(third.get(), StorageStatus::kOk);
  locks_->release_all(*c);
}

// An entry's writer does not meet who writes another entry, but who reads the value and then wants to write it does.
TEST_F(LockManagerTest, AnEntrysWriterAndAReaderThatConvertAreADeadlock) {
  constexpr KeyValueMode kRead{.whole = BasicMode::kS}, kGap{.gap = BasicMode::kX};
  constexpr KeyValueMode kEntry{.whole = BasicMode::kIX, .partition = BasicMode::kX, .partition_index = 3};
  auto a = owner(1), b = owner(2);
  ASSERT_EQ(value(*a, "v", kRead), StorageStatus::kOk);
  ASSERT_EQ(value(*b, "v", {.gap = BasicMode::kS}), StorageStatus::kOk);
  auto entry = in_background([&] { return value(*b, "v", kEntry, true); });
  until_waiting(1);
  EXPECT_EQ(value(*a, "v", kGap, true), StorageStatus::kDeadlock);
  locks_->release_all(*a);
  EXPECT_EQ(entry.get(), StorageStatus::kOk);
  locks_->release_all(*b);
}

// Whatever is asked for in whatever order: every circle is found, and nobody waits until the timeout.
TEST_F(LockManagerTest, NoDeadlockIsOverlooked) {
  constexpr KeyValueMode kModes[] = {{.whole = BasicMode::kS},
                                     {.whole = BasicMode::kU},
                                     {.whole = BasicMode::kX},
                                     {.whole = BasicMode::kX},
                                     {.whole = BasicMode::kS, .gap = BasicMode::kS},
                                     {.gap = BasicMode::kX},
                                     {.whole = BasicMode::kIX, .partition = BasicMode::kX, .partition_index = 1},
                                     {.whole = BasicMode::kIX, .partition = BasicMode::kX, .partition_index = 2}};
  constexpr Bytes kKeys[] = {"a", "b", "c", "d"};
  constexpr uint64_t kThreads = 6, kTransactions = 4000;
  constexpr std::chrono::minutes kForever{1};
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::atomic<bool> stuck{false};
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < kThreads; thread++) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(seed + static_cast<uint32_t>(thread));
      for (uint64_t i = 0; i < kTransactions && !stuck; i++) {
        auto mine = owner(1 + thread + i * kThreads);
        StorageStatus status = StorageStatus::kOk;
        for (size_t left = 1 + random() % 5; left > 0 && status == StorageStatus::kOk; left--) {
          const Bytes key = kKeys[random() % std::size(kKeys)];
          const KeyValueMode& mode = kModes[random() % std::size(kModes)];
          status = locks_->lock_key_value_components(*mine, IndexId(kTable), key, mode, true, kForever);
          if (random() % 3 == 0) std::this_thread::yield();
        }
        if (status == StorageStatus::kLockTimeout) stuck = true;
        locks_->release_all(*mine);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(stuck);
  EXPECT_TRUE(locks_->snapshot().empty());
}

TEST_F(LockManagerTest, AHolderTakesAnotherModeThoughAStrongerRequestWaitsForIt) {
  auto a = owner(1), b = owner(2);
  ASSERT_EQ(table(*a, TableLockMode::kAccessShare), StorageStatus::kOk);
  auto exclusive = in_background([&] { return table(*b, TableLockMode::kAccessExclusive, true); });
  until_waiting(1);
  EXPECT_EQ(table(*a, TableLockMode::kRowExclusive, true), StorageStatus::kOk);
  EXPECT_EQ(locks_->deadlock_count(), 0);
  locks_->release_all(*a);
  EXPECT_EQ(exclusive.get(), StorageStatus::kOk);
  locks_->release_all(*b);
}

TEST_F(LockManagerTest, ManyWaitersOfOneRowAllGetIt) {
  auto a = owner(1);
  ASSERT_EQ(row(*a, "k", RowLockMode::kUpdate), StorageStatus::kOk);
  std::vector<std::future<StorageStatus>> waiters;
  int inside = 0;  // guarded by the row lock
  for (uint64_t i = 0; i < 40; i++) {
    waiters.push_back(in_background([&, i] {
      auto mine = owner(10 + i);
      StorageStatus status = row(*mine, "k", i % 4 == 0 ? RowLockMode::kShare : RowLockMode::kUpdate, true);
      if (i % 4 != 0) inside++;
      locks_->release_all(*mine);
      return status;
    }));
  }
  until_waiting(40);
  EXPECT_EQ(locks_->blocking_sessions(101).size(), 0);
  locks_->release_all(*a);
  for (auto& waiter : waiters) EXPECT_EQ(waiter.get(), StorageStatus::kOk);
  EXPECT_EQ(inside, 30);
  EXPECT_TRUE(locks_->snapshot().empty());
}

TEST_F(LockManagerTest, ATimeoutEndsAWaitAndLetsThoseBehindGoOn) {
  auto a = owner(1), b = owner(2), c = owner(3);
  ASSERT_EQ(row(*a, "k", RowLockMode::kKeyShare), StorageStatus::kOk);
  auto writer = in_background([&] {
    return locks_->lock_row(*b, TableId{kTable}, "k", RowLockMode::kUpdate, true, std::chrono::milliseconds(50));
  });
  until_waiting(1);
  auto reader = in_background([&] { return row(*c, "k", RowLockMode::kKeyShare, true); });
  EXPECT_EQ(writer.get(), StorageStatus::kLockTimeout);
  EXPECT_EQ(reader.get(), StorageStatus::kOk);
  locks_->release_all(*a);
  locks_->release_all(*c);
  EXPECT_TRUE(locks_->snapshot().empty());
}

TEST_F(LockManagerTest, AnInterruptEndsAWait) {
  auto a = owner(1), b = owner(2);
  ASSERT_EQ(table(*a, TableLockMode::kExclusive), StorageStatus::kOk);
  std::promise<Waiter*> who;
  auto waiter = in_background([&] {
    who.set_value(&Waiter::current());
    return table(*b, TableLockMode::kExclusive, true);
  });
  Waiter* sleeper = who.get_future().get();
  until_waiting(1);
  sleeper->interrupt(InterruptReason::kCancel);
  EXPECT_EQ(waiter.get(), StorageStatus::kInterrupted);
  EXPECT_EQ(locks_->snapshot().size(), 1);
  locks_->release_all(*a);
  // The failed strong request left no trace on the fast path.
  EXPECT_EQ(table(*b, TableLockMode::kAccessShare), StorageStatus::kOk);
  locks_->release_all(*b);
}

TEST_F(LockManagerTest, RollingBackToASavepointReleasesWhatCameSince) {
  auto a = owner(1), b = owner(2);
  ASSERT_EQ(row(*a, "1", RowLockMode::kShare), StorageStatus::kOk);
  ASSERT_EQ(table(*a, TableLockMode::kAccessShare), StorageStatus::kOk);
  uint32_t mark = locks_->mark(*a);
  ASSERT_EQ(row(*a, "1", RowLockMode::kUpdate), StorageStatus::kOk);
  ASSERT_EQ(row(*a, "2", RowLockMode::kUpdate), StorageStatus::kOk);
  ASSERT_EQ(table(*a, TableLockMode::kRowExclusive), StorageStatus::kOk);
  ASSERT_EQ(table(*a, TableLockMode::kAccessExclusive, false, 8), StorageStatus::kOk);
  EXPECT_EQ(locks_->snapshot().size(), 6);
  locks_->release_since(*a, mark);
  EXPECT_EQ(locks_->snapshot().size(), 2);
  EXPECT_EQ(row(*b, "1", RowLockMode::kShare), StorageStatus::kOk);
  EXPECT_EQ(row(*b, "2", RowLockMode::kUpdate), StorageStatus::kOk);
  EXPECT_EQ(table(*b, TableLockMode::kExclusive), StorageStatus::kOk);
  EXPECT_EQ(table(*b, TableLockMode::kAccessShare, false, 8), StorageStatus::kOk);
  locks_->release_all(*a);
  locks_->release_all(*b);
  EXPECT_TRUE(locks_->snapshot().empty());
}

TEST_F(LockManagerTest, OneRowLockIsGivenBackBeforeItsTime) {
  auto a = locks_->create_owner(TxnId{1}, 1), b = locks_->create_owner(TxnId{2}, 2);
  ASSERT_EQ(row(*b, "k", RowLockMode::kKeyShare), StorageStatus::kOk);
  ASSERT_EQ(row(*a, "k", RowLockMode::kKeyShare), StorageStatus::kOk);
  ASSERT_EQ(row(*a, "k", RowLockMode::kNoKeyUpdate), StorageStatus::kOk);
  ASSERT_EQ(row(*a, "other", RowLockMode::kUpdate), StorageStatus::kOk);
  EXPECT_EQ(row(*b, "k", RowLockMode::kNoKeyUpdate), StorageStatus::kWouldBlock);
  locks_->unlock_row(*a, TableId{kTable}, "k", RowLockMode::kNoKeyUpdate);
  EXPECT_EQ(row(*b, "k", RowLockMode::kNoKeyUpdate), StorageStatus::kOk);
  EXPECT_EQ(row(*b, "k", RowLockMode::kUpdate), StorageStatus::kWouldBlock);  // the first lock is still there
  EXPECT_EQ(row(*b, "other", RowLockMode::kShare), StorageStatus::kWouldBlock);
  locks_->unlock_row(*a, TableId{kTable}, "k", RowLockMode::kUpdate);  // never taken
  EXPECT_EQ(row(*b, "k", RowLockMode::kUpdate), StorageStatus::kWouldBlock);
  locks_->release_all(*a);
  EXPECT_EQ(row(*b, "k", RowLockMode::kUpdate), StorageStatus::kOk);
  locks_->release_all(*b);
  EXPECT_TRUE(locks_->snapshot().empty());
}

TEST_F(LockManagerTest, AdvisoryLocksCount) {
  auto a = locks_->create_owner(TxnId{}, 1), b = locks_->create_owner(TxnId{}, 2);
  ASSERT_EQ(advisory(*a, false), StorageStatus::kOk);
  ASSERT_EQ(advisory(*a, false), StorageStatus::kOk);
  EXPECT_FALSE(locks_->unlock_advisory(*a, 1, "12345678", true));  // not held in that mode
  EXPECT_TRUE(locks_->unlock_advisory(*a, 1, "12345678", false));
  EXPECT_EQ(advisory(*b, true), StorageStatus::kWouldBlock);
  EXPECT_TRUE(locks_->unlock_advisory(*a, 1, "12345678", false));
  EXPECT_FALSE(locks_->unlock_advisory(*a, 1, "12345678", false));
  EXPECT_EQ(advisory(*b, true), StorageStatus::kOk);
  EXPECT_EQ(advisory(*a, true), StorageStatus::kOk);
  EXPECT_EQ(advisory(*a, false), StorageStatus::kWouldBlock);
  locks_->release_all(*a);
  locks_->release_all(*b);
  EXPECT_TRUE(locks_->snapshot().empty());
}

TEST_F(LockManagerTest, ASessionDoesNotBlockItself) {
  auto session = locks_->create_owner(TxnId{}, 1), transaction = locks_->create_owner(TxnId{5}, 1);
  auto other = locks_->create_owner(TxnId{6}, 2);
  ASSERT_EQ(advisory(*session, false), StorageStatus::kOk);
  EXPECT_EQ(advisory(*transaction, false), StorageStatus::kOk);
  locks_->release_all(*session);
  EXPECT_EQ(advisory(*other, true), StorageStatus::kWouldBlock);
  locks_->release_all(*transaction);
  EXPECT_EQ(advisory(*other, true), StorageStatus::kOk);
  locks_->release_all(*other);
}

TEST_F(LockManagerTest, ADeadlockThroughSessionLocksIsFound) {
  auto session = locks_->create_owner(TxnId{}, 1), transaction = locks_->create_owner(TxnId{5}, 1);
  auto other = locks_->create_owner(TxnId{6}, 2);
  ASSERT_EQ(advisory(*session, false), StorageStatus::kOk);
  ASSERT_EQ(row(*other, "k", RowLockMode::kUpdate), StorageStatus::kOk);
  auto waiter = in_background([&] { return advisory(*other, false, true); });
  until_waiting(1);
  EXPECT_EQ(row(*transaction, "k", RowLockMode::kUpdate, true), StorageStatus::kDeadlock);
  locks_->release_all(*session);
  EXPECT_EQ(waiter.get(), StorageStatus::kOk);
  // The other way round: the session's own owner waits, and its transaction is waited for.
  ASSERT_EQ(row(*transaction, "j", RowLockMode::kUpdate), StorageStatus::kOk);
  auto session_waiter = in_background([&] { return advisory(*session, false, true); });
  until_waiting(1);
  EXPECT_EQ(row(*other, "j", RowLockMode::kUpdate, true), StorageStatus::kDeadlock);
  locks_->release_all(*other);
  EXPECT_EQ(session_waiter.get(), StorageStatus::kOk);
  locks_->release_all(*session);
  locks_->release_all(*transaction);
}

TEST_F(LockManagerTest, AResetOwnerServesAnotherTransaction) {
  auto a = owner(1);
  ASSERT_EQ(row(*a, "k", RowLockMode::kUpdate), StorageStatus::kOk);
  locks_->release_all(*a);
  locks_->reset_owner(*a, TxnId{77}, 3);
  ASSERT_EQ(row(*a, "k", RowLockMode::kUpdate), StorageStatus::kOk);
  EXPECT_EQ(locks_->snapshot().at(0).holder, TxnId{77});
  EXPECT_EQ(locks_->snapshot().at(0).session, 3);
  locks_->release_all(*a);
}

}  // namespace
}  // namespace indigo::storage
