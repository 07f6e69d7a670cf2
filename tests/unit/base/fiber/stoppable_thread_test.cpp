#include "base/fiber/stoppable_thread.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/fiber/long_work.h"
#include "base/fiber/wait_point.h"

namespace indigo {
namespace {

std::atomic<uint64_t> rounds;

// An atomic, so that no compiler takes the loop for one that ends.
[[gnu::no_sanitize_address]] void count_for_ever(void* /*argument*/) {
  for (;;) rounds.fetch_add(1, std::memory_order_relaxed);
}
void loop_for_ever() { StoppableThread::anywhere(count_for_ever, nullptr); }

// Interrupts the calling thread while `f` runs, which must throw.
template <class F>
void expect_interrupted(F f) {
  Waiter& waiter = Waiter::current();
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    waiter.interrupt(InterruptReason::kCancel);
  });
  EXPECT_THROW(f(), InterruptedWork);
  canceller.join();
  waiter.clear_interrupt();
}

TEST(StoppableThread, EndsByItself) {
  int made = 0;
  StoppableThread thread(
      "test", 0, [&] { made = 7; }, [] { ADD_FAILURE() << "nobody stops it"; });
  thread.wait();
  thread.wait();
  EXPECT_EQ(made, 7);
}

TEST(StoppableThread, IsStoppedInALoop) {
  for (int i = 0; i < 20; i++) {
    bool told = false;
    expect_interrupted([&] {
      StoppableThread thread("test", size_t{1} << 20, loop_for_ever, [&] { told = true; });
      thread.wait();
    });
    EXPECT_TRUE(told);
    const uint64_t before = rounds;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(rounds, before);  // it has ended, not only been told to
  }
}

TEST(StoppableThread, WhatWaitsIsUnwound) {
  struct Left {
    std::atomic<int>& count;
    ~Left() { count++; }
  };
  std::atomic<int> left = 0;
  expect_interrupted([&] {
    StoppableThread thread("test", 0, [&] {
      const Left local{left};
      for (;;) pause();
    });
    thread.wait();
  });
  EXPECT_EQ(left, 1);
}

TEST(StoppableThread, ManyAtOnce) {
  std::atomic<int> ended = 0;
  std::vector<std::thread> owners;
  for (int i = 0; i < 8; i++) {
    owners.emplace_back([&, i] {
      for (int n = 0; n < 20; n++) {
        StoppableThread thread("test", 0, [&, i, n] {
          if ((i + n) % 3 == 0) loop_for_ever();
          ended++;
        });
        if ((i + n) % 3 != 0) thread.wait();
      }
    });
  }
  for (std::thread& owner : owners) owner.join();
  int expected = 0;
  for (int i = 0; i < 8; i++) {
    for (int n = 0; n < 20; n++) expected += (i + n) % 3 != 0 ? 1 : 0;
  }
  EXPECT_EQ(ended, expected);
}

}  // namespace
}  // namespace indigo
