// The one place where execution moves from one stack to another (Boost.Context), with what must move along: the stack's
// bounds and the address and thread sanitizers' notion of the running stack.
// Thread safety: a context is entered and left on one thread at a time.
#pragma once

#include "base/fiber/stack.h"

namespace indigo {

// A suspended flow of execution, or a place to suspend the running one.
class ExecutionContext {
 public:
  ExecutionContext() = default;
  ExecutionContext(const ExecutionContext&) = delete;
  ExecutionContext& operator=(const ExecutionContext&) = delete;
  ~ExecutionContext();

  // Makes the context begin with entry(argument) on `stack` at the first switch to it. `entry` must not return: it ends
  // with switch_context(..., last = true).
  void prepare(StackBounds stack, void (*entry)(void*), void* argument);
  // Where the suspended flow's stack ends: below it nothing is in use. 0 before it has run.
  uintptr_t suspended_at() const { return reinterpret_cast<uintptr_t>(resume_point_); }

 private:
  friend void switch_context(ExecutionContext& from, ExecutionContext& to, bool last);
  struct Arrival;
  static void begin(ExecutionContext& self, void* left_at);

  void* resume_point_ = nullptr;
  StackBounds stack_;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  ExecutionContext* came_from_ = nullptr;  // who switched here last
  void* fake_stack_ = nullptr;             // AddressSanitizer's
  void* sanitizer_fiber_ = nullptr;        // ThreadSanitizer's
  bool owns_sanitizer_fiber_ = false;
  [[maybe_unused]] int flows_ = 0;  // that began on it
};

// Suspends the running flow in `from` and continues `to`. Returns when something switches back to `from`; never, when
// `last` (the running flow has ended).
void switch_context(ExecutionContext& from, ExecutionContext& to, bool last = false);

}  // namespace indigo
