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
  // While memory is short, statements that have taken less are left alone, unless their session holds as much from before;
  static constexpr int64_t kMuchBytes = int64_t{64} << 20;
  // those that have taken less than this always.
  static constexpr int64_t kSomeBytes = int64_t{1} << 20;

  // The flow begins to run on this thread, and stops.
  void enter();
  void leave();

  // ---- of the flow that runs on this thread; nothing when there is none
  // A message begins; what its flow may hold (session_memory_limit; 0: no limit).
  static void mark(uint64_t limit_bytes = 0);
  // Allocated and not freed since mark(), and since the flow began.
  static int64_t growth_bytes();
  static int64_t held_bytes();
  // The process is near what the machine has, and the flow's message has taken much, or some for a session that holds much; or it
  // is very near, and the message has taken some. Or the flow holds more than it may, and the message has taken some.
  // It should fail with 53200.
  static bool must_stop();
  // Holds more than it may: nothing more should be kept for it.
  static bool over_limit();

 private:
  int64_t bytes_ = 0;    // until the last leave()
  int64_t entered_ = 0;  // the thread's count at enter()
  int64_t marked_ = 0;   // bytes_ at mark()
  int64_t limit_ = 0;    // on held bytes; 0: none
};

}  // namespace indigo
