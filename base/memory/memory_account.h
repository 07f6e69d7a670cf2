// What a session's flow allocates while one of its messages is worked on, on whatever threads it runs: the blame when the process
// nears the machine's limit. The thread's allocator counts; while a flow runs on a thread the difference is the flow's.
//
// Pages of tables are not the allocator's, and do not count. Without jemalloc nothing counts.
// Thread safety: an account belongs to one flow, which runs on one thread at a time.
#pragma once

#include <cstdint>

namespace indigo {

class MemoryAccount {
 public:
  // Statements that have taken less are left alone.
  static constexpr int64_t kMuchBytes = int64_t{64} << 20;

  // The flow begins to run on this thread, and stops.
  void enter();
  void leave();

  // ---- of the flow that runs on this thread; nothing when there is none
  // A message begins.
  static void mark();
  // Allocated and not freed since mark().
  static int64_t growth_bytes();
  // The process is near what the machine has, and the flow's message has taken much: it should fail with 53200.
  static bool must_stop();

 private:
  int64_t bytes_ = 0;    // until the last leave()
  int64_t entered_ = 0;  // the thread's count at enter()
  int64_t marked_ = 0;   // bytes_ at mark()
};

// Whether the process is near what the machine has. Looked up every other millisecond.
bool process_memory_is_short();

}  // namespace indigo
