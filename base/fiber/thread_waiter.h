// A Waiter that blocks its thread: what runs no fiber waits so. Thread safety: Waiter's.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/fiber/no_suspension.h"
#include "base/fiber/wait_point.h"

namespace indigo {

class ThreadWaiter final : public Waiter {
 public:
  void wake() override {
    // Notified under the mutex: once it is released the sleeper may return and its thread may end.
    std::lock_guard lock(mutex_);
    woken_ = true;
    condition_.notify_one();
  }

 protected:
  WaitResult block(Deadline deadline) override {
    NoSuspension::check();
    std::unique_lock lock(mutex_);
    auto ready = [this] { return woken_ || interrupt_flag() != InterruptReason::kNone; };
    if (deadline == kNoDeadline) {
      condition_.wait(lock, ready);
    } else if (!condition_.wait_until(lock, deadline, ready)) {
      return WaitResult::kTimeout;
    }
    woken_ = false;
    return interrupt_flag() != InterruptReason::kNone ? WaitResult::kInterrupted : WaitResult::kWoken;
  }

 private:
  std::mutex mutex_;  // guards woken_
  std::condition_variable condition_;
  bool woken_ = false;
};

}  // namespace indigo
