#include "wire/session/anteroom.h"

#include <vector>

#include <gtest/gtest.h>

#include "wire/runtime/worker.h"

namespace indigo::wire {
namespace {

TEST(Anteroom, TheOldestGoesWhenOneMoreComes) {
  auto worker = Worker::start(0);
  ASSERT_TRUE(worker.ok());
  Anteroom room;
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<std::unique_ptr<Anteroom::Stay>> stays;
  const auto come = [&] {
    tasks.push_back(std::make_unique<Task>(
        **worker, [](Task&) {}, Task::Refused()));
    stays.push_back(std::make_unique<Anteroom::Stay>(room, *tasks.back()));
  };
  for (size_t i = 0; i < Anteroom::kMostGuests; i++) come();
  for (const auto& task : tasks) EXPECT_EQ(task->interrupted(), InterruptReason::kNone);
  stays[0]->leave();
  come();  // there was a place
  EXPECT_EQ(tasks[1]->interrupted(), InterruptReason::kNone);
  come();
  EXPECT_EQ(tasks[1]->interrupted(), InterruptReason::kTerminate);
  EXPECT_EQ(tasks[2]->interrupted(), InterruptReason::kNone);
  come();  // the first one is about to go: the next has to, too
  EXPECT_EQ(tasks[2]->interrupted(), InterruptReason::kTerminate);
  stays.clear();
}

TEST(Anteroom, FailuresWaitLongerEachTime) {
  Anteroom room;
  for (int i = 0; i < 5; i++) EXPECT_EQ(room.failed("192.0.2.1"), Clock::duration::zero());
  EXPECT_EQ(room.failed("192.0.2.1"), std::chrono::milliseconds(100));
  EXPECT_EQ(room.failed("192.0.2.1"), std::chrono::milliseconds(200));
  EXPECT_EQ(room.failed("192.0.2.2"), Clock::duration::zero());
  for (int i = 0; i < 20; i++) room.failed("192.0.2.1");
  EXPECT_EQ(room.failed("192.0.2.1"), std::chrono::milliseconds(3200));
  for (int i = 0; i < 10000; i++) room.failed(std::to_string(i));  // of which it keeps some
}

}  // namespace
}  // namespace indigo::wire
