#include "base/fiber/no_suspension.h"

#ifndef NDEBUG

#include <cstdio>
#include <cstdlib>

namespace indigo {

namespace {
// Reached by calls only: a caller that was suspended may continue in another thread, where the address is another one.
thread_local int t_depth = 0;
}  // namespace

NoSuspension::NoSuspension() { t_depth++; }
NoSuspension::~NoSuspension() { t_depth--; }

void NoSuspension::check() {
  if (t_depth == 0) return;
  std::fputs("a flow that holds a latch or an epoch guard is about to give its thread away\n", stderr);
  std::abort();
}

}  // namespace indigo

#endif
