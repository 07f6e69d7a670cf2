// Where anything that must wait waits. Nothing in engine or below blocks a thread: a fiber suspends and its worker
// goes on with other sessions; a caller of the embedded library blocks on a futex.
//
// The pieces:
//   Waiter     one per session (or per thread): can sleep and be woken. Its implementation is a fiber's or a thread's.
//   WaitPoint  a condition's queue of Waiters. Protocol (lost wake-ups are impossible if kept):
//                1. WaitPoint::Registration r(point, waiter);   register first
//                2. check the condition again                    then check
//                3. waiter.sleep(deadline)                       then sleep
//              notify_all() wakes everyone registered at that moment.
//   Interrupt  a flag that ends waits early: cancel request, statement timeout, disconnect, shutdown.
//
// Rule: no latch, epoch guard or thread-local pointer may be held across sleep().
// Thread safety: WaitPoint and Waiter::wake are safe from any thread; Waiter::sleep only from its owner.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace indigo {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
inline constexpr Deadline kNoDeadline = Deadline::max();

enum class WaitResult : uint8_t { kWoken, kTimeout, kInterrupted };

// Why a session must stop what it does. Higher values win.
enum class InterruptReason : uint8_t {
  kNone,
  kCancel,
  kStatementTimeout,
  kIdleTimeout,
  kTerminate,
  kShutdown,
  kDisconnect
};

class Waiter {
 public:
  virtual ~Waiter() = default;

  // Sleeps until wake(), the deadline, or an interrupt. A wake() that came before sleep() makes it return at once.
  // Wake-ups may be spurious: the caller checks its condition in a loop. A statement deadline that passes meanwhile is
  // an interrupt.
  WaitResult sleep(Deadline deadline) {
    WaitResult result = block(deadline < statement_deadline_ ? deadline : statement_deadline_);
    if (result != WaitResult::kTimeout || deadline < statement_deadline_) return result;
    interrupt(InterruptReason::kStatementTimeout);
    return WaitResult::kInterrupted;
  }
  // Safe from any thread; the Waiter must outlive the call.
  virtual void wake() = 0;
  // Lets others of the same worker run if this one has run for about a millisecond. Called at chunk boundaries.
  virtual void yield_if_due() {}

  void interrupt(InterruptReason reason) {
    auto now = interrupt_.load(std::memory_order_relaxed);
    while (now < reason && !interrupt_.compare_exchange_weak(now, reason, std::memory_order_release)) {
    }
    wake();
  }
  // Why the owner must stop, kNone if it need not; also looks at the statement deadline.
  InterruptReason interrupted() {
    if (statement_deadline_ != kNoDeadline && Clock::now() >= statement_deadline_) {
      interrupt(InterruptReason::kStatementTimeout);
    }
    return interrupt_.load(std::memory_order_acquire);
  }
  // Forgets a request that concerned only the statement that has ended; what ends the session stays.
  void clear_cancel() {
    auto now = interrupt_.load(std::memory_order_relaxed);
    while (now != InterruptReason::kNone && now <= InterruptReason::kStatementTimeout &&
           !interrupt_.compare_exchange_weak(now, InterruptReason::kNone, std::memory_order_acq_rel)) {
    }
  }
  void clear_interrupt() { interrupt_.store(InterruptReason::kNone, std::memory_order_release); }

  // statement_timeout: set by the owner before a statement, kNoDeadline after it.
  void set_statement_deadline(Deadline deadline) { statement_deadline_ = deadline; }

  // The Waiter of what runs now on this thread: the current fiber's, else this thread's own futex waiter.
  // Do not keep the reference across sleep() on behalf of another fiber.
  [[gnu::noinline]] static Waiter& current();
  // Set by the fiber scheduler at each switch; nullptr restores the thread's own.
  [[gnu::noinline]] static void set_current(Waiter* waiter);

 protected:
  // sleep()'s implementation.
  virtual WaitResult block(Deadline deadline) = 0;
  // Without the look at the clock: for block(), which may hold a mutex that wake() takes.
  InterruptReason interrupt_flag() const { return interrupt_.load(std::memory_order_acquire); }

 private:
  std::atomic<InterruptReason> interrupt_{InterruptReason::kNone};
  Deadline statement_deadline_ = kNoDeadline;  // the owner's alone
};

class WaitPoint {
 public:
  WaitPoint() = default;
  WaitPoint(const WaitPoint&) = delete;
  WaitPoint& operator=(const WaitPoint&) = delete;

  class Registration {
   public:
    Registration(WaitPoint& point, Waiter& waiter);
    ~Registration();
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

   private:
    friend class WaitPoint;
    WaitPoint& point_;
    Waiter& waiter_;
    Registration* next_ = nullptr;
    Registration* previous_ = nullptr;
  };

  // Costs a fence while there are no waiters.
  void notify_all();

  // Waits until `done()` is true. The common loop of the protocol above.
  template <class Done>
  WaitResult wait(Done done, Deadline deadline = kNoDeadline) {
    Waiter& waiter = Waiter::current();
    Registration registration(*this, waiter);
    while (!done()) {
      WaitResult r = waiter.sleep(deadline);
      if (r != WaitResult::kWoken) return done() ? WaitResult::kWoken : r;
    }
    return WaitResult::kWoken;
  }

 private:
  // Changed under mutex_, which also guards the links of every registration; never held across sleep.
  std::atomic<Registration*> first_{nullptr};
  std::mutex mutex_;
};

}  // namespace indigo
