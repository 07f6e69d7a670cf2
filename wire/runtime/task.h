// A fiber of a worker, and the Waiter of what runs on it.
//
//             worker           sleep             wake, timer
//   kQueued ---------> kRunning ------> kSleeping -----------> kQueued
//                       |    ^
//                  wake v    | sleep (returns at once)
//                      kNotified
//
// A task that yields stays kRunning or kNotified: a wake-up meanwhile is for its next sleep.
//
// A task that keeps its worker waiting for too long loses the loop to another thread (worker.h) and is away: it goes on alone, on
// the thread that it is on, where nothing is to be yielded to and a sleep (kSleepingAway) blocks the thread. It comes home, to a
// turn in the worker's loop, where its stack holds nothing of the thread: where it says so (Movable), and at its end.
//
// Invariants: 1. the one that moves kSleeping to kQueued, and no other, puts the task into its worker's queue; 2. a task
// suspends and ends on its worker's thread only, with the loop held, so that no other thread takes the loop from under that; 3.
// move_to() changes the worker while the task runs or has suspended for that, when no other thread would queue it; 4. no wake-up
// is lost: one that comes before sleep() is kept as kNotified.
// Thread safety: wake() and interrupt() from any thread, away() on the worker's thread, the rest where the task runs.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "base/fiber/fiber.h"
#include "base/fiber/wait_point.h"
#include "base/memory/memory_account.h"

namespace indigo::wire {

class Worker;

class Task final : public Waiter {
 public:
  using Body = std::function<void(Task&)>;
  using Refused = std::function<void()>;
  Task(Worker& worker, Body body, Refused refused)
      : worker_(&worker), body_(std::move(body)), refused_(std::move(refused)) {}

  Worker& worker() { return *worker_; }
  // Goes on as a task of `target`, on its thread. Called by the task itself; nothing on its stack may hold on to the
  // thread (thread-local variables, locks).
  void move_to(Worker& target);
  // Comes home if it is away, and keeps the loop until the task suspends next or ends. The same holds for its stack.
  void hold_worker();

  // While one lives, the task's stack holds nothing of the thread: a task that is away comes home before it sleeps.
  class Movable {
   public:
    explicit Movable(Task& task) : task_(task) { task_.movable_ = true; }
    ~Movable() { task_.movable_ = false; }
    Movable(const Movable&) = delete;
    Movable& operator=(const Movable&) = delete;

   private:
    Task& task_;
  };

  // Whether the task runs elsewhere, beside the loop.
  bool away() const { return away_; }

  void wake() override;
  void yield_if_due() override;

  // As sleep(), but interrupts below `lowest` do not end it (they stay pending).
  WaitResult sleep_through(InterruptReason lowest, Deadline deadline);
  // Whose work this is from now on, for those who look at the worker. Called by the task itself.
  void set_session(int32_t pid) { session_ = pid; }

  // Until wake(), or a spurious wake-up: no interrupt ends it.
  void sleep_until_woken();

  // Called on the worker's thread when the task has slept for a while: gives memory back.
  void set_on_idle(std::function<void()> hook) { on_idle_ = std::move(hook); }
  // Called before the task yields inside the engine: sends what the client should see meanwhile.
  void set_before_wait(std::function<void()> hook) { before_wait_ = std::move(hook); }

 private:
  friend class Worker;
  friend class RunQueue;
  friend class RemoteQueue;
  enum class State : uint32_t { kQueued, kRunning, kNotified, kSleeping, kSleepingAway };

  WaitResult block(Deadline deadline) override;
  WaitResult wait(InterruptReason lowest, Deadline deadline);
  WaitResult wait_away(InterruptReason lowest, Deadline deadline);
  void sleep_away(Deadline deadline);
  bool hold();  // false: the task is away
  void let();
  void come_home();
  bool make_queued();  // kSleeping -> kQueued; false when it was not sleeping

  // Written while kRunning or kNotified; read by wakers after they have found kSleeping. The state's release and acquire
  // order the two.
  Worker* worker_;
  Worker* moving_to_ = nullptr;  // from move_to() until the task runs again
  Body body_;
  Refused refused_;
  std::optional<Fiber> fiber_;  // made at the first run
  MemoryAccount memory_;
  std::function<void()> before_wait_;
  std::function<void()> on_idle_;
  // release on entry to kQueued pairs with acquire when the worker takes the task: it sees what the waker wrote.
  std::atomic<State> state_{State::kQueued};
  // Where the task runs.
  uint64_t piece_ = 0;  // of its worker, that runs or has suspended last
  bool held_ = false;   // the loop
  bool movable_ = false;
  bool going_home_ = false;  // it has suspended for that
  // With the loop.
  bool away_ = false;
  Deadline timer_ = kNoDeadline;  // != kNoDeadline: the worker's timer queue holds (timer_, this)
  bool timed_out_ = false;
  int32_t session_ = 0;                  // 0: none yet
  uint8_t idle_sweeps_ = 0;              // sweeps since it ran last, up to 2
  std::optional<Deadline> slice_began_;  // first yield_if_due() since the task was resumed
  Task* next_ready_ = nullptr;
  Task* next_ = nullptr;  // the worker's list of all its tasks
  Task* previous_ = nullptr;
};

}  // namespace indigo::wire
