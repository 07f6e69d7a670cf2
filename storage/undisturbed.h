// Lets work be finished although its statement is to stop: entries of indexes must go when a change is taken back, and
// computing their keys looks for cancel requests.
//
// While it lives, Waiter::current() is this: it yields like the session's own waiter, and knows of no request that
// concerns only the statement, and of no deadline. What ends the session is told after the next time it yielded. All
// requests stay with the session's waiter.
//
// Thread safety: the session's, which may continue in another thread when it has given way.
#pragma once

#include "base/fiber/wait_point.h"

namespace indigo::storage {

class Undisturbed final : public Waiter {
 public:
  Undisturbed() : session_(Waiter::current()) {
    hear();
    Waiter::set_current(this);
  }
  ~Undisturbed() override { Waiter::set_current(&session_); }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

  void wake() override { session_.wake(); }
  void yield_if_due() override {
    session_.yield_if_due();
    Waiter::set_current(this);  // the code that resumed the session has set the session's own
    hear();
  }

 private:
  WaitResult block(Deadline deadline) override {
    const WaitResult result = session_.sleep(deadline);
    Waiter::set_current(this);
    return result;
  }
  void hear() {
    const InterruptReason reason = session_.interrupted();
    if (reason >= InterruptReason::kTerminate) interrupt(reason);
  }

  Waiter& session_;
};

}  // namespace indigo::storage
