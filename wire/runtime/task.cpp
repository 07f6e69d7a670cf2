#include "wire/runtime/task.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/fiber/no_suspension.h"
#include "wire/runtime/worker.h"

namespace indigo::wire {

namespace {
constexpr auto kSlice = std::chrono::milliseconds(1);

timespec remaining(Deadline deadline) {
  const auto left = std::max(Clock::duration::zero(), deadline - Clock::now());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  return {.tv_sec = seconds.count(), .tv_nsec = std::chrono::nanoseconds(left - seconds).count()};
}
}  // namespace

WaitResult Task::block(Deadline deadline) {
  if (before_wait_) before_wait_();
  return wait(InterruptReason::kCancel, deadline);
}

WaitResult Task::sleep_through(InterruptReason lowest, Deadline deadline) { return wait(lowest, deadline); }

WaitResult Task::wait(InterruptReason lowest, Deadline deadline) {
  while (true) {
    if (interrupt_flag() >= lowest) return WaitResult::kInterrupted;
    if (!hold()) {
      if (!movable_) return wait_away(lowest, deadline);
      come_home();
      continue;
    }
    // Only this thread resumes us while it has the loop, so nothing can run this fiber between here and the switch.
    State running = State::kRunning;
    // acq_rel: on failure (kNotified) we must see what the waker wrote.
    if (!state_.compare_exchange_strong(running, State::kSleeping, std::memory_order_acq_rel)) {
      state_.store(State::kRunning, std::memory_order_relaxed);
      let();
      return interrupt_flag() >= lowest ? WaitResult::kInterrupted : WaitResult::kWoken;
    }
    // An interrupt between the check and kSleeping has found kRunning and left kNotified: caught above.
    timed_out_ = false;
    if (deadline != kNoDeadline) worker_->add_timer(*this, deadline);
    worker_->suspend(*this);
    if (interrupt_flag() >= lowest) return WaitResult::kInterrupted;
    if (timed_out_) return WaitResult::kTimeout;
    return WaitResult::kWoken;
  }
}

void Task::sleep_until_woken() {
  constexpr auto kAboveAll = static_cast<InterruptReason>(UINT8_MAX);
  wait(kAboveAll, kNoDeadline);
}

WaitResult Task::wait_away(InterruptReason lowest, Deadline deadline) {
  State running = State::kRunning;
  if (state_.compare_exchange_strong(running, State::kSleepingAway, std::memory_order_acq_rel)) {
    // An interrupt since the caller's look has found kRunning, and the exchange has failed.
    while (state_.load(std::memory_order_acquire) == State::kSleepingAway) {
      sleep_away(deadline);
      State sleeping = State::kSleepingAway;
      if (deadline != kNoDeadline && Clock::now() >= deadline &&
          state_.compare_exchange_strong(sleeping, State::kRunning, std::memory_order_acq_rel)) {
        return interrupt_flag() >= lowest ? WaitResult::kInterrupted : WaitResult::kTimeout;
      }
    }
  } else {
    state_.store(State::kRunning, std::memory_order_relaxed);
  }
  return interrupt_flag() >= lowest ? WaitResult::kInterrupted : WaitResult::kWoken;
}

// A waker touches the task no more once the state has changed: the system call that follows takes the address alone, at which
// there may be something else by then (which wakes up for nothing).
void Task::sleep_away(Deadline deadline) {
  NoSuspension::check();
  const timespec left = deadline == kNoDeadline ? timespec{} : remaining(deadline);
  syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, static_cast<uint32_t>(State::kSleepingAway),
          deadline == kNoDeadline ? nullptr : &left, nullptr, 0);
}

bool Task::hold() {
  if (!held_) held_ = worker_->hold_loop(piece_);
  return held_;
}

void Task::let() {
  held_ = false;
  worker_->let_loop(piece_);
}

void Task::come_home() {
  going_home_ = true;
  worker_->suspend(*this);
}

void Task::hold_worker() {
  while (!hold()) come_home();
}

void Task::move_to(Worker& target) {
  hold_worker();
  moving_to_ = &target;
  worker_->suspend(*this);
}

bool Task::make_queued() {
  State sleeping = State::kSleeping;
  return state_.compare_exchange_strong(sleeping, State::kQueued, std::memory_order_acq_rel);
}

void Task::wake() {
  State now = state_.load(std::memory_order_acquire);
  while (true) {
    switch (now) {
      case State::kQueued:
      case State::kNotified:
        // A read-modify-write, so that the task's next acquire sees what we wrote before this wake.
        if (state_.compare_exchange_weak(now, now, std::memory_order_acq_rel)) return;
        break;
      case State::kRunning:
        if (state_.compare_exchange_weak(now, State::kNotified, std::memory_order_acq_rel)) return;
        break;
      case State::kSleeping:
        if (state_.compare_exchange_weak(now, State::kQueued, std::memory_order_acq_rel)) {
          worker_->enqueue(*this);
          return;
        }
        break;
      case State::kSleepingAway:
        if (state_.compare_exchange_weak(now, State::kRunning, std::memory_order_acq_rel)) {
          syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
          return;
        }
        break;
    }
  }
}

void Task::yield_if_due() {
  NoSuspension::check();
  Deadline now = Clock::now();
  if (!slice_began_) {
    slice_began_ = now;
    return;
  }
  if (now - *slice_began_ < kSlice) return;
  if (before_wait_) before_wait_();
  if (hold()) {
    worker_->yield(*this);
  } else {
    slice_began_ = now;  // nobody waits for this thread
  }
}

}  // namespace indigo::wire
