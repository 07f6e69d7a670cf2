#include "base/fiber/wait_point.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace indigo {
namespace {

TEST(WaitPoint, WakesEveryoneWhoseConditionBecameTrue) {
  WaitPoint point;
  std::atomic<bool> open{false};
  std::atomic<int> passed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) {
    threads.emplace_back([&] {
      EXPECT_EQ(point.wait([&] { return open.load(); }), WaitResult::kWoken);
      passed++;
    });
  }
  open = true;
  point.notify_all();
  for (auto& t : threads) t.join();
  EXPECT_EQ(passed, 4);
}

TEST(WaitPoint, HandsOverManyTimesWithoutLosingAWakeUp) {
  WaitPoint point;
  std::atomic<int> turn{0};
  auto play = [&](int me) {
    for (int i = 0; i < 2000; i++) {
      point.wait([&] { return turn.load() % 2 == me; });
      turn++;
      point.notify_all();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(turn, 4000);
}

TEST(WaitPoint, EndsAtTheDeadline) {
  WaitPoint point;
  EXPECT_EQ(point.wait([] { return false; }, Clock::now() + std::chrono::milliseconds(1)), WaitResult::kTimeout);
}

TEST(WaitPoint, EndsWhenInterrupted) {
  WaitPoint point;
  std::atomic<Waiter*> waiter{nullptr};
  std::thread sleeper([&] {
    waiter = &Waiter::current();
    EXPECT_EQ(point.wait([] { return false; }), WaitResult::kInterrupted);
    EXPECT_EQ(Waiter::current().interrupted(), InterruptReason::kCancel);
    Waiter::current().clear_interrupt();
    EXPECT_EQ(point.wait([] { return false; }, Clock::now()), WaitResult::kTimeout);
    waiter = nullptr;
  });
  while (waiter == nullptr) std::this_thread::yield();
  waiter.load()->interrupt(InterruptReason::kCancel);
  sleeper.join();
}

TEST(Waiter, AWakeBeforeSleepIsNotLost) {
  Waiter::current().wake();
  EXPECT_EQ(Waiter::current().sleep(kNoDeadline), WaitResult::kWoken);
}

TEST(Waiter, TheStrongestInterruptWins) {
  Waiter& waiter = Waiter::current();
  waiter.interrupt(InterruptReason::kTerminate);
  waiter.interrupt(InterruptReason::kCancel);
  EXPECT_EQ(waiter.interrupted(), InterruptReason::kTerminate);
  waiter.clear_interrupt();
}

}  // namespace
}  // namespace indigo
