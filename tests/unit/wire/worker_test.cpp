#include "wire/runtime/worker.h"

#include <atomic>
#include <future>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/wire/wake_storm.h"

namespace indigo::wire {
namespace {

using std::chrono::milliseconds;

std::unique_ptr<Worker> start_worker() {
  auto worker = Worker::start(0);
  EXPECT_TRUE(worker.ok());
  return std::move(*worker);
}

// Waits until every task has ended.
void finish(Worker& worker) {
  worker.stop();
  ASSERT_TRUE(worker.join(Clock::now() + std::chrono::seconds(30)));
}

TEST(Worker, RunsTasksFromOtherThreads) {
  auto worker = start_worker();
  std::atomic<int> ran{0};
  for (int i = 0; i < 1000; i++) worker->spawn([&](Task&) { ran++; });
  finish(*worker);
  EXPECT_EQ(ran, 1000);
  EXPECT_EQ(worker->load(), 0u);
}

TEST(Worker, SleepEndsAtItsDeadlineInOrder) {
  auto worker = start_worker();
  std::vector<int> order;
  auto begin = Clock::now();
  for (int i : {3, 1, 2}) {
    worker->spawn([&, i](Task& task) {
      EXPECT_EQ(task.sleep(begin + milliseconds(10 * i)), WaitResult::kTimeout);
      EXPECT_GE(Clock::now(), begin + milliseconds(10 * i));
      order.push_back(i);
    });
  }
  finish(*worker);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(Worker, AWakeBeforeSleepIsKept) {
  auto worker = start_worker();
  worker->spawn([&](Task& task) {
    task.wake();
    EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kWoken);
    EXPECT_EQ(task.sleep(Clock::now() + milliseconds(2)), WaitResult::kTimeout);
  });
  finish(*worker);
}

TEST(Worker, AWakeDuringAYieldIsKept) {
  auto worker = start_worker();
  worker->spawn([&](Task& task) {
    auto until = Clock::now() + milliseconds(5);
    while (Clock::now() < until) {
      task.wake();
      task.yield_if_due();
    }
    EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kWoken);
  });
  finish(*worker);
}

TEST(Worker, InterruptEndsSleepAndStays) {
  auto worker = start_worker();
  std::promise<Task*> started;
  std::promise<void> ended;
  worker->spawn([&](Task& task) {
    started.set_value(&task);
    EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kInterrupted);
    EXPECT_EQ(task.interrupted(), InterruptReason::kCancel);
    EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kInterrupted);
    // A cancel request does not disturb a wait that only the session's end may disturb.
    auto result = WaitResult::kWoken;
    while (result == WaitResult::kWoken) {
      result = task.sleep_through(InterruptReason::kIdleTimeout, Clock::now() + milliseconds(2));
    }
    EXPECT_EQ(result, WaitResult::kTimeout);
    ended.set_value();
  });
  started.get_future().get()->interrupt(InterruptReason::kCancel);
  ended.get_future().get();
  finish(*worker);
}

TEST(Worker, InterruptAllReachesSleepersAndLatecomers) {
  auto worker = start_worker();
  std::atomic<int> interrupted{0};
  auto body = [&](Task& task) {
    EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kInterrupted);
    EXPECT_EQ(task.interrupted(), InterruptReason::kShutdown);
    interrupted++;
  };
  for (int i = 0; i < 10; i++) worker->spawn(body);
  worker->interrupt_all(InterruptReason::kShutdown);
  for (int i = 0; i < 10; i++) worker->spawn(body);
  finish(*worker);
  EXPECT_EQ(interrupted, 20);
}

TEST(Worker, StatementDeadlineInterrupts) {
  auto worker = start_worker();
  worker->spawn([&](Task& task) {
    task.set_statement_deadline(Clock::now() + milliseconds(3));
    EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kInterrupted);
    EXPECT_EQ(task.interrupted(), InterruptReason::kStatementTimeout);
  });
  finish(*worker);
}

TEST(Worker, LongWorkLetsOthersRun) {
  auto worker = start_worker();
  std::atomic<bool> other_ran{false};
  worker->spawn([&](Task& task) {
    worker->spawn([&](Task&) { other_ran = true; });
    auto until = Clock::now() + std::chrono::seconds(10);
    while (!other_ran && Clock::now() < until) task.yield_if_due();
    EXPECT_TRUE(other_ran);
  });
  finish(*worker);
}

// Pairs of tasks on two workers pass a token to and fro: a lost wake-up would hang.
TEST(Worker, NoWakeUpIsLostBetweenWorkers) {
  constexpr int kPairs = 20;
  constexpr int kRounds = 2000;
  auto left = start_worker(), right = start_worker();
  struct Pair {
    std::atomic<int> turn{0};
    WaitPoint point;
  };
  std::vector<Pair> pairs(kPairs);
  std::atomic<int> finished{0};
  auto player = [&](Pair& pair, int me) {
    return [&, me](Task&) {
      for (int round = 0; round < kRounds; round++) {
        auto result =
            pair.point.wait([&] { return pair.turn.load() % 2 == me; }, Clock::now() + std::chrono::seconds(20));
        ASSERT_EQ(result, WaitResult::kWoken);
        pair.turn++;
        pair.point.notify_all();
      }
      finished++;
    };
  };
  for (auto& pair : pairs) {
    left->spawn(player(pair, 0));
    right->spawn(player(pair, 1));
  }
  for (auto* worker : {left.get(), right.get()}) worker->stop();
  for (auto* worker : {left.get(), right.get()}) ASSERT_TRUE(worker->join(Clock::now() + std::chrono::seconds(30)));
  EXPECT_EQ(finished, 2 * kPairs);
}

// Wakes, timers, interrupts and yields at random from threads that are not workers.
TEST(Worker, StormOfWakeUpsFromThreads) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr int kTasks = 50;
  auto worker = start_worker();
  std::vector<std::atomic<Task*>> tasks(kTasks);
  std::atomic<size_t> started{0};
  std::atomic<bool> storm_over{false};
  std::atomic<int> left_alone{kTasks};
  for (int i = 0; i < kTasks; i++) {
    worker->spawn([&, i](Task& task) {
      tasks[static_cast<size_t>(i)] = &task;
      started++;
      std::mt19937_64 random(seed + static_cast<uint64_t>(i));
      while (!storm_over) {
        if (random() % 4 == 0) {
          task.yield_if_due();
        } else {
          // Some sleep long enough that only a wake can have been meant to end them.
          task.sleep(Clock::now() + std::chrono::microseconds(random() % 2 ? random() % 300 : 50'000));
        }
        task.clear_interrupt();
      }
      left_alone--;
    });
  }
  wake_storm(tasks, started, seed);
  storm_over = true;
  finish(*worker);
  EXPECT_EQ(left_alone, 0);
}

}  // namespace
}  // namespace indigo::wire
