// A stretch of code in which the running flow must not give its thread away, because it holds what others spin for: a
// latch, an epoch guard. Fibers look when they suspend, and tasks whenever they offer to, also when it is not their time yet:
// so a test of one session finds what would hang two. Threads look when they sleep.
//
// Builds with assertions count the stretches of each thread, and end the process when one is broken; in others this is
// nothing. Thread safety: an object stays on its thread, which it does by what it says.
#pragma once

namespace indigo {

class NoSuspension {
 public:
#ifdef NDEBUG
  static void check() {}
#else
  NoSuspension();
  ~NoSuspension();
  NoSuspension(const NoSuspension&) = delete;
  NoSuspension& operator=(const NoSuspension&) = delete;
  static void check();
#endif
};

}  // namespace indigo
