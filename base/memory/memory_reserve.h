// Memory for what must not fail. An allocation that fails throws std::bad_alloc, which ends a statement at its edge
// (base/exception_error.h); but where a latch is held, where a transaction commits or is undone, nothing may be left half done.
// Such code stands in a MustNotFail scope: there a failed allocation is given the process' reserve and tried again.
//
// Thread safety: all functions. A scope marks what runs on this thread; a fiber that is suspended in one takes its mark along.
//
// Invariants:
// 1. Before an allocation fails, the allocator has given back what it kept of freed memory.
// 2. While the reserve is given out, what may fail does (memory_reserve_out()): what comes free is for those who must not.
#pragma once

#include <cstddef>

#include "base/fiber/own_variable.h"

namespace indigo {

inline constexpr size_t kMemoryReserveBytes = size_t{16} << 20;

class MustNotFail {
 public:
  MustNotFail() { own_nesting()++; }
  ~MustNotFail() { own_nesting()--; }
  MustNotFail(const MustNotFail&) = delete;
  MustNotFail& operator=(const MustNotFail&) = delete;

  static bool active() { return own_nesting() > 0; }
  // A fiber leaves its thread, and comes back to one. Not inline: the thread may be another.
  static int suspend();
  static void resume(int depth);

 private:
  INDIGO_OWN_VARIABLE static int& own_nesting() {
    address_is_found_anew();
    return nesting;
  }
  inline static thread_local int nesting = 0;
};

// Sets the reserve aside, once for the process, and installs the handler that gives it out.
void install_memory_reserve();
// After memory was short: sets it aside again if there is memory now. Cheap when nothing is missing.
void refill_memory_reserve();
// Whether it is given out, and cannot be set aside again now. Cheap when nothing is missing.
bool memory_reserve_out();

// Called when an allocator has found no memory: returns if it should try again, or throws std::bad_alloc.
// In a MustNotFail scope it waits for others when the reserve is used up; the process ends when no memory comes back.
void no_memory();
// Has the allocator return what it keeps of freed memory to the system; false when that was done a moment ago.
bool return_free_memory();

}  // namespace indigo
