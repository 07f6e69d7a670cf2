#include "wire/runtime/task.h"

#include "base/fiber/no_suspension.h"
#include "wire/runtime/worker.h"

namespace indigo::wire {

namespace {
constexpr auto kSlice = std::chrono::milliseconds(1);
}

WaitResult Task::block(Deadline deadline) {
  if (before_wait_) before_wait_();
  return wait(InterruptReason::kCancel, deadline);
}

WaitResult Task::sleep_through(InterruptReason lowest, Deadline deadline) { return wait(lowest, deadline); }

WaitResult Task::wait(InterruptReason lowest, Deadline deadline) {
  while (true) {
    if (interrupt_flag() >= lowest) return WaitResult::kInterrupted;
    // Only this thread resumes us, so nothing can run this fiber between here and the switch.
    State running = State::kRunning;
    // acq_rel: on failure (kNotified) we must see what the waker wrote.
    if (!state_.compare_exchange_strong(running, State::kSleeping, std::memory_order_acq_rel)) {
      state_.store(State::kRunning, std::memory_order_relaxed);
      return interrupt_flag() >= lowest ? WaitResult::kInterrupted : WaitResult::kWoken;
    }
    // An interrupt between the check and kSleeping has found kRunning and left kNotified: caught above.
    timed_out_ = false;
    if (deadline != kNoDeadline) worker_->add_timer(*this, deadline);
    worker_->suspend(*this);
    if (timer_ != kNoDeadline) worker_->remove_timer(*this);
    if (interrupt_flag() >= lowest) return WaitResult::kInterrupted;
    if (timed_out_) return WaitResult::kTimeout;
    return WaitResult::kWoken;
  }
}

void Task::sleep_until_woken() {
  constexpr auto kAboveAll = static_cast<InterruptReason>(UINT8_MAX);
  wait(kAboveAll, kNoDeadline);
}

void Task::move_to(Worker& target) {
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
  worker_->yield(*this);
}

}  // namespace indigo::wire
