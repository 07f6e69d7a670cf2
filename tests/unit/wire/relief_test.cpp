// Tasks that keep their worker waiting, and lose its loop to another thread: the others go on, and nothing of the task is lost.
#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/wire/wake_storm.h"
#include "wire/runtime/watchdog.h"
#include "wire/runtime/worker.h"

namespace indigo::wire {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

std::unique_ptr<Worker> start_worker() {
  auto worker = Worker::start(0);
  EXPECT_TRUE(worker.ok());
  return std::move(*worker);
}

void finish(Worker& worker) {
  worker.stop();
  ASSERT_TRUE(worker.join(Clock::now() + std::chrono::seconds(60)));
}

// A compiler may take a thread's identity for a constant within one function: it is asked through a pointer.
std::thread::id (*volatile running_thread)() noexcept = &std::this_thread::get_id;

// By a task: keeps its worker waiting until another thread has the loop.
void stay_until_relieved(Worker& worker) {
  const engine::WorkerState before = worker.state();
  while (worker.state().reliefs == before.reliefs) {
    worker.relieve(before.pieces);
    std::this_thread::yield();
  }
}

TEST(Relief, OthersGoOnBesideAPieceThatDoesNotEnd) {
  auto worker = start_worker();
  auto watchdog = Watchdog::start({.relieve_after = milliseconds(2)}, {worker.get()}, [](int32_t) { return ""; });
  ASSERT_TRUE(watchdog.ok());
  std::atomic<int> others{0};
  worker->spawn([&](Task& task) {
    for (int round = 1; round <= 3; round++) {
      worker->spawn([&](Task& other) {
        EXPECT_EQ(other.sleep(Clock::now() + milliseconds(1)), WaitResult::kTimeout);
        others++;
      });
      while (others < round) continue;
      task.hold_worker();
      EXPECT_EQ(task.sleep(Clock::now() + milliseconds(1)), WaitResult::kTimeout);
    }
  });
  finish(*worker);
  EXPECT_EQ(others, 3);
  EXPECT_EQ(worker->state().reliefs, 3u);
}

TEST(Relief, APieceThatWaitsForTheSystemIsRelievedToo) {
  auto worker = start_worker();
  auto watchdog = Watchdog::start({.relieve_after = milliseconds(2)}, {worker.get()}, [](int32_t) { return ""; });
  ASSERT_TRUE(watchdog.ok());
  std::atomic<bool> other_ran{false};
  worker->spawn([&](Task&) {
    worker->spawn([&](Task&) {
      other_ran = true;
      other_ran.notify_all();
    });
    other_ran.wait(false);
  });
  finish(*worker);
  EXPECT_EQ(worker->state().reliefs, 1u);
}

TEST(Relief, ATaskThatIsAloneStays) {
  auto worker = start_worker();
  auto watchdog = Watchdog::start({.relieve_after = milliseconds(1)}, {worker.get()}, [](int32_t) { return ""; });
  ASSERT_TRUE(watchdog.ok());
  worker->spawn([&](Task&) { std::this_thread::sleep_for(milliseconds(100)); });
  finish(*worker);
  EXPECT_EQ(worker->state().reliefs, 0u);
}

TEST(Relief, ATaskThatIsAwaySleepsWakesAndComesHome) {
  auto worker = start_worker();
  std::atomic<Task*> sleeper{nullptr};
  std::atomic<bool> ended{false};
  worker->spawn([&](Task& task) {
    const auto first = running_thread();
    stay_until_relieved(*worker);
    sleeper = &task;
    EXPECT_EQ(running_thread(), first);
    EXPECT_EQ(task.sleep(Clock::now() + milliseconds(2)), WaitResult::kTimeout);
    task.wake();
    EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kWoken);
    // Others of its worker run while it sleeps, and wake it.
    worker->spawn([&](Task&) { sleeper.load()->wake(); });
    EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kWoken);
    worker->spawn([&](Task&) { sleeper.load()->interrupt(InterruptReason::kCancel); });
    auto result = WaitResult::kWoken;
    while (result == WaitResult::kWoken) result = task.sleep(kNoDeadline);
    EXPECT_EQ(result, WaitResult::kInterrupted);
    task.clear_interrupt();
    // To yield is nothing to it.
    const Deadline until = Clock::now() + milliseconds(5);
    while (Clock::now() < until) task.yield_if_due();
    EXPECT_EQ(running_thread(), first);
    {
      const Task::Movable movable(task);
      // The interrupt's wake-up may come after it was seen.
      while (task.sleep(Clock::now() + milliseconds(1)) == WaitResult::kWoken) continue;
    }
    EXPECT_NE(running_thread(), first);
    const auto home = running_thread();
    std::atomic<bool> same{false}, asked{false};
    worker->spawn([&](Task&) {
      same = running_thread() == home;
      asked = true;
      task.wake();
    });
    while (!asked) EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kWoken);
    EXPECT_TRUE(same);
    ended = true;
  });
  finish(*worker);
  EXPECT_TRUE(ended);
}

TEST(Relief, AStatementDeadlineInterruptsOneThatIsAway) {
  auto worker = start_worker();
  worker->spawn([&](Task& task) {
    stay_until_relieved(*worker);
    task.set_statement_deadline(Clock::now() + milliseconds(3));
    EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kInterrupted);
    EXPECT_EQ(task.interrupted(), InterruptReason::kStatementTimeout);
  });
  finish(*worker);
}

TEST(Relief, AWorkerThatStopsWaitsForThoseThatAreAway) {
  auto worker = start_worker();
  std::atomic<int> interrupted{0};
  for (int i = 0; i < 10; i++) {
    worker->spawn([&](Task& task) {
      stay_until_relieved(*worker);
      EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kInterrupted);
      EXPECT_EQ(task.interrupted(), InterruptReason::kShutdown);
      interrupted++;
    });
  }
  while (worker->state().reliefs < 10) std::this_thread::yield();
  worker->interrupt_all(InterruptReason::kShutdown);
  finish(*worker);
  EXPECT_EQ(interrupted, 10);
}

TEST(Relief, AnOldPieceIsNotTakenForTheOneThatRuns) {
  auto worker = start_worker();
  worker->spawn([&](Task& task) {
    const uint64_t piece = worker->state().pieces;
    EXPECT_EQ(task.sleep(Clock::now() + milliseconds(1)), WaitResult::kTimeout);
    EXPECT_GT(worker->state().pieces, piece);
    worker->relieve(piece);
    std::this_thread::sleep_for(milliseconds(5));
    EXPECT_FALSE(task.away());
  });
  finish(*worker);
  EXPECT_EQ(worker->state().reliefs, 0u);
}

// Wakes and interrupts from threads that are not workers, and another that relieves whatever runs, while the tasks move, sleep,
// yield, compute and come home at random.
TEST(Relief, StormOfReliefs) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr size_t kTasks = 40;
  std::array<std::unique_ptr<Worker>, 2> workers{start_worker(), start_worker()};
  std::vector<std::atomic<Task*>> tasks(kTasks);
  std::atomic<size_t> started{0};
  std::atomic<bool> storm_over{false};
  std::atomic<int> left_alone{kTasks};
  for (size_t i = 0; i < kTasks; i++) {
    workers[i % workers.size()]->spawn([&, i](Task& task) {
      tasks[i] = &task;
      started++;
      // They wake each other: all are there from the first wake to the last.
      while (started < kTasks) task.sleep(Clock::now() + milliseconds(1));
      std::mt19937_64 random(seed + i);
      int* const ours = new int(0);  // the task's alone, wherever it goes on
      while (!storm_over) {
        switch (random() % 8) {
          case 0: task.yield_if_due(); break;
          case 1: task.move_to(*workers[random() % workers.size()]); break;
          case 2: {
            const Task::Movable movable(task);
            task.sleep(Clock::now() + microseconds(random() % 300));
            break;
          }
          case 3: {
            const uint64_t piece = task.worker().state().pieces;
            const Deadline until = Clock::now() + milliseconds(random() % 8 == 0 ? 10 : 0);
            while (Clock::now() < until && task.worker().state().pieces == piece) ++*ours;
            break;
          }
          case 4: tasks[random() % kTasks].load()->wake(); break;
          default: task.sleep(Clock::now() + microseconds(random() % 2 ? random() % 300 : 50'000)); break;
        }
        task.clear_interrupt();
      }
      delete ours;
      left_alone--;
      while (left_alone > 0) task.sleep(Clock::now() + milliseconds(1));
    });
  }
  while (started < kTasks) std::this_thread::yield();
  std::atomic<bool> relieved_enough{false};
  std::thread reliever([&] {
    while (!relieved_enough) {
      for (const auto& worker : workers) {
        const engine::WorkerState state = worker->state();
        if (state.in_piece) worker->relieve(state.pieces);
      }
      std::this_thread::sleep_for(microseconds(50));
    }
  });
  wake_storm(tasks, started, seed);
  const Deadline latest = Clock::now() + std::chrono::seconds(20);
  const auto reliefs = [&] { return workers[0]->state().reliefs + workers[1]->state().reliefs; };
  while (reliefs() < 100 && Clock::now() < latest) std::this_thread::yield();
  relieved_enough = true;
  reliever.join();
  storm_over = true;
  for (const auto& worker : workers) worker->stop();
  for (const auto& worker : workers) ASSERT_TRUE(worker->join(Clock::now() + std::chrono::seconds(60)));
  EXPECT_EQ(left_alone, 0);
  EXPECT_GE(reliefs(), 100u);
}

}  // namespace
}  // namespace indigo::wire
