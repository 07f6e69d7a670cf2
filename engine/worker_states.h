// What the engine asks of the threads that run sessions, which lie above it: the rows of indigo_stat_workers.
// Thread safety: WorkerStates' functions, from any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace indigo::engine {

struct WorkerState {
  int number = 0;
  // A piece of work is what a worker does for one session before it comes back to its loop.
  bool in_piece = false;
  int32_t pid = 0;                 // the piece's session; 0: none yet, a client that is being let in
  int64_t piece_microseconds = 0;  // since it began, to some milliseconds
  uint32_t sessions = 0;           // that belong to it, with clients that are being let in
  uint64_t pieces = 0;             // since the start
  uint64_t stalls = 0;             // pieces that the server's log tells of
  uint64_t reliefs = 0;            // pieces that went on beside the others, on a thread of their own
};

class WorkerStates {
 public:
  virtual ~WorkerStates() = default;
  virtual std::vector<WorkerState> worker_states() = 0;
};

}  // namespace indigo::engine
