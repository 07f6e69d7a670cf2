#include "base/wait_point.h"

#include <condition_variable>

namespace indigo {

namespace {

// The Waiter of a thread that runs no fiber: blocks the thread.
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

thread_local Waiter* t_current = nullptr;

}  // namespace

Waiter& Waiter::current() {
  if (t_current != nullptr) return *t_current;
  thread_local ThreadWaiter own;
  return own;
}

void Waiter::set_current(Waiter* waiter) { t_current = waiter; }

WaitPoint::Registration::Registration(WaitPoint& point, Waiter& waiter) : point_(point), waiter_(waiter) {
  std::lock_guard lock(point_.mutex_);
  next_ = point_.first_;
  link_ = &point_.first_;
  if (next_ != nullptr) next_->link_ = &next_;
  point_.first_ = this;
}

WaitPoint::Registration::~Registration() {
  std::lock_guard lock(point_.mutex_);
  *link_ = next_;
  if (next_ != nullptr) next_->link_ = link_;
}

void WaitPoint::notify_all() {
  // A registered Waiter is alive: its registration cannot be removed while the mutex is held.
  std::lock_guard lock(mutex_);
  for (Registration* r = first_; r != nullptr; r = r->next_) r->waiter_.wake();
}

}  // namespace indigo
