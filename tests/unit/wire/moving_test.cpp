// Sessions that move between workers: when they want to, and that nothing is lost on the way.
#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "tests/unit/wire/server_fixture.h"
#include "tests/unit/wire/wake_storm.h"
#include "wire/net/nearness.h"
#include "wire/runtime/worker.h"

namespace indigo::wire {
namespace {

using std::chrono::microseconds;

class Workers {
 public:
  Workers() {
    for (auto& worker : workers_) {
      auto started = Worker::start(static_cast<int>(&worker - workers_.data()));
      EXPECT_TRUE(started.ok());
      worker = std::move(*started);
    }
  }
  Worker& operator[](size_t i) { return *workers_[i]; }
  static constexpr size_t size() { return 3; }
  void finish() {
    for (auto& worker : workers_) worker->stop();
    for (auto& worker : workers_) ASSERT_TRUE(worker->join(Clock::now() + std::chrono::seconds(30)));
    for (auto& worker : workers_) EXPECT_EQ(worker->load(), 0u);
  }

 private:
  std::array<std::unique_ptr<Worker>, 3> workers_;
};

// A compiler may take a thread's identity for a constant within one function: it is asked through a pointer.
std::thread::id (*volatile running_thread)() noexcept = &std::this_thread::get_id;

TEST(Moving, ATaskGoesOnOnTheOtherThread) {
  Workers workers;
  std::atomic<int> ended{0};
  for (int n = 0; n < 20; n++) {
    workers[0].spawn([&](Task& task) {
      for (size_t i = 1; i <= 30; i++) {
        Worker& target = workers[i % workers.size()];
        const auto before = running_thread();
        task.move_to(target);
        EXPECT_NE(running_thread(), before);
        EXPECT_EQ(&task.worker(), &target);
        // Timers and wake-ups find it there.
        EXPECT_EQ(task.sleep(Clock::now() + microseconds(10)), WaitResult::kTimeout);
        task.wake();
        EXPECT_EQ(task.sleep(kNoDeadline), WaitResult::kWoken);
      }
      ended++;
    });
  }
  EXPECT_TRUE([&] {
    auto until = Clock::now() + std::chrono::seconds(20);
    while (ended < 20 && Clock::now() < until) std::this_thread::yield();
    return ended == 20;
  }());
  workers.finish();
}

TEST(Moving, AnInterruptOfAllReachesTasksOnTheirWay) {
  Workers workers;
  std::atomic<int> interrupted{0};
  std::atomic<int> moved{0};
  for (size_t n = 0; n < 30; n++) {
    workers[n % workers.size()].spawn([&, n](Task& task) {
      for (size_t i = n; task.interrupted() == InterruptReason::kNone; i++) {
        task.move_to(workers[i % workers.size()]);
        moved++;
      }
      interrupted++;
    });
  }
  while (moved < 1000) std::this_thread::yield();
  // In turn, as a server does that stops: some workers end while others still send tasks.
  for (size_t i = 0; i < workers.size(); i++) {
    workers[i].interrupt_all(InterruptReason::kShutdown);
    workers[i].stop();
  }
  workers.finish();
  EXPECT_EQ(interrupted, 30);
}

TEST(Moving, ATaskStaysWhenTheTargetStops) {
  Workers workers;
  workers[1].stop();
  std::atomic<bool> stayed{false};
  workers[0].spawn([&](Task& task) {
    task.move_to(workers[1]);
    stayed = &task.worker() == &workers[0];
    EXPECT_EQ(task.sleep(Clock::now() + microseconds(10)), WaitResult::kTimeout);
  });
  workers.finish();
  EXPECT_TRUE(stayed);
}

// Wakes and interrupts from threads that are not workers, while the tasks move, sleep and yield at random.
TEST(Moving, StormOfWakeUpsAndMoves) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr size_t kTasks = 40;
  Workers workers;
  std::vector<std::atomic<Task*>> tasks(kTasks);
  std::atomic<size_t> started{0};
  std::atomic<bool> storm_over{false};
  for (size_t i = 0; i < kTasks; i++) {
    workers[i % workers.size()].spawn([&, i](Task& task) {
      tasks[i] = &task;
      started++;
      std::mt19937_64 random(seed + i);
      while (!storm_over) {
        switch (random() % 4) {
          case 0: task.yield_if_due(); break;
          case 1: task.move_to(workers[random() % workers.size()]); break;
          default: task.sleep(Clock::now() + microseconds(random() % 2 ? random() % 300 : 50'000)); break;
        }
        task.clear_interrupt();
      }
    });
  }
  wake_storm(tasks, started, seed);
  storm_over = true;
  workers.finish();
}

TEST(Nearness, ANearClientIsLookedAtOnceAndStays) {
  Nearness nearness;
  uint32_t looks = 0;
  for (uint32_t i = 0; i < 10'000; i++) {
    if (nearness.look_at_once()) {
      looks++;
      nearness.looked(true);
    }
    EXPECT_FALSE(nearness.wants_to_move());
  }
  // All but those that give the other sessions their turn, and the first few.
  EXPECT_GT(looks, 10'000 - 10'000 / Nearness::kInARow - 100);
}

TEST(Nearness, AFarClientCostsFewLooksAndMovesLessAndLess) {
  Nearness nearness;
  uint32_t looks = 0;
  std::vector<uint32_t> moves;
  constexpr uint32_t kWaits = 100'000;
  for (uint32_t i = 0; i < kWaits; i++) {
    if (nearness.look_at_once()) {
      looks++;
      nearness.looked(false);
    }
    if (nearness.wants_to_move()) moves.push_back(looks);
  }
  EXPECT_EQ(looks, kWaits / Nearness::kWaitsPerLook);
  ASSERT_GE(moves.size(), 5u);
  EXPECT_EQ(moves[0], Nearness::kLeastPatience);
  for (size_t i = 1; i < moves.size(); i++) EXPECT_EQ(moves[i] - moves[i - 1], Nearness::kLeastPatience << i);
  // It has come near: from then on no look in vain makes it move at once.
  for (int i = 0; i < 8; i++) nearness.looked(true);
  nearness.looked(false);
  EXPECT_FALSE(nearness.wants_to_move());
}

class MovingSessions : public ServerTest {};

// Clients that ask in turn are far from every worker: the answer is there before the next question comes. Their
// sessions look for a better worker now and then, unnoticed by clients.
TEST_F(MovingSessions, AnswerAsIfTheyHadStayed) {
  start();
  constexpr size_t kClients = 4;
  std::vector<std::unique_ptr<TestClient>> clients;
  for (size_t i = 0; i < kClients; i++) {
    clients.push_back(std::make_unique<TestClient>(path()));
    ASSERT_EQ(clients.back()->start(), kStarted);
  }
  for (int round = 0; instance_.thread_changes < 4 && round < 100'000; round++) {
    for (auto& client : clients) client->query("select " + std::to_string(round));
    for (auto& client : clients) ASSERT_EQ(client->dialogue(), "T D(" + std::to_string(round) + ") C(SELECT 1) Z(I)");
  }
  EXPECT_GE(instance_.thread_changes, 4);
  // Cancel requests, and the client's end, find a session that has moved.
  clients[0]->query("sleep");
  ASSERT_TRUE(eventually([&] { return instance_.sleeping == 1; }));
  instance_.cancel(clients[0]->pid, clients[0]->key);
  EXPECT_EQ(clients[0]->dialogue(), "E(57014 canceling statement due to user request) Z(I)");
  clients[1]->query("sleep");
  ASSERT_TRUE(eventually([&] { return instance_.sleeping == 1; }));
  clients[1]->close();
  EXPECT_TRUE(eventually([&] { return instance_.sessions_open == kClients - 1; }));
}

}  // namespace
}  // namespace indigo::wire
