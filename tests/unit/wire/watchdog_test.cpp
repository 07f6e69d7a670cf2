#include "wire/runtime/watchdog.h"

#include <atomic>

#include <gtest/gtest.h>

namespace indigo::wire {
namespace {

using std::chrono::milliseconds;

TEST(Watchdog, TellsOfAPieceOnceAndOfTheNextAgain) {
  auto worker = Worker::start(7);
  ASSERT_TRUE(worker.ok());
  std::atomic<int> described{0}, last{0};
  auto watchdog = Watchdog::start({.log_after = milliseconds(40)}, {worker->get()}, [&](int32_t pid) {
    last = pid;
    described++;
    return std::string("select 1");
  });
  ASSERT_TRUE(watchdog.ok());
  (*worker)->spawn([&](Task& task) {
    task.set_session(4711);
    EXPECT_EQ(task.sleep(Clock::now() + milliseconds(1)), WaitResult::kTimeout);
    // Holds its worker until it is found, and for some more looks.
    while ((*worker)->state().stalls == 0) std::this_thread::yield();
    const Deadline some_more = Clock::now() + milliseconds(50);
    while (Clock::now() < some_more) std::this_thread::yield();
    EXPECT_EQ((*worker)->state().stalls, 1u);
    EXPECT_EQ(task.sleep(Clock::now() + milliseconds(1)), WaitResult::kTimeout);
    while ((*worker)->state().stalls == 1) std::this_thread::yield();
  });
  (*worker)->stop();
  ASSERT_TRUE((*worker)->join(Clock::now() + std::chrono::seconds(60)));
  EXPECT_EQ(last, 4711);
  const engine::WorkerState state = (*worker)->state();
  EXPECT_EQ(state.stalls, 2u);
  EXPECT_EQ(state.number, 7);
  EXPECT_FALSE(state.in_piece);
  EXPECT_GE(state.pieces, 3u);
  watchdog->reset();
  EXPECT_EQ(described, 2);
}

TEST(Watchdog, IsSilentAboutAWorkerThatSleeps) {
  auto worker = Worker::start(0);
  ASSERT_TRUE(worker.ok());
  auto watchdog =
      Watchdog::start({.log_after = milliseconds(20)}, {worker->get()}, [](int32_t) { return std::string(); });
  ASSERT_TRUE(watchdog.ok());
  (*worker)->spawn([](Task& task) { EXPECT_EQ(task.sleep(Clock::now() + milliseconds(100)), WaitResult::kTimeout); });
  (*worker)->stop();
  ASSERT_TRUE((*worker)->join(Clock::now() + std::chrono::seconds(60)));
  EXPECT_EQ((*worker)->state().stalls, 0u);
}

}  // namespace
}  // namespace indigo::wire
