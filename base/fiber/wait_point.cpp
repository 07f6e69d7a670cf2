#include "base/fiber/wait_point.h"

#include "base/fiber/thread_owned.h"
#include "base/fiber/thread_waiter.h"

namespace indigo {

namespace {

thread_local Waiter* t_current = nullptr;

}  // namespace

Waiter& Waiter::current() {
  if (t_current != nullptr) return *t_current;
  constinit thread_local ThreadOwned<ThreadWaiter> own;
  return own.get();
}

void Waiter::set_current(Waiter* waiter) { t_current = waiter; }

WaitPoint::Registration::Registration(WaitPoint& point, Waiter& waiter) : point_(point), waiter_(waiter) {
  {
    std::lock_guard lock(point_.mutex_);
    next_ = point_.first_.load(std::memory_order_relaxed);
    if (next_ != nullptr) next_->previous_ = this;
    point_.first_.store(this, std::memory_order_relaxed);
  }
  // Registered before the condition is looked at (pairs with notify_all).
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

WaitPoint::Registration::~Registration() {
  std::lock_guard lock(point_.mutex_);
  if (next_ != nullptr) next_->previous_ = previous_;
  if (previous_ != nullptr) {
    previous_->next_ = next_;
  } else {
    point_.first_.store(next_, std::memory_order_relaxed);
  }
}

void WaitPoint::notify_all() {
  // The condition has changed before the queue is looked at: a waiter that is missed here sees the change.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (first_.load(std::memory_order_relaxed) == nullptr) return;
  // A registered Waiter is alive: its registration cannot be removed while the mutex is held.
  std::lock_guard lock(mutex_);
  for (Registration* r = first_.load(std::memory_order_relaxed); r != nullptr; r = r->next_) r->waiter_.wake();
}

}  // namespace indigo
