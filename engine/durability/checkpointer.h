// Writes checkpoints: a consistent snapshot of everything that is kept, while transactions continue; then the log below the
// checkpoint before it is used again, so that a start can begin with either. On time (checkpoint_timeout), on log volume
// (max_wal_size), on request, when the disk is full, and soon after a start that had to read the log.
//
// Thread safety: all functions. One checkpoint at a time, on the checkpointer's own thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "base/fiber/wait_point.h"
#include "engine/durability/snapshot_file.h"
#include "log/device.h"
#include "log/recovery.h"
#include "log/write_ahead_log.h"

namespace indigo::engine {

struct CheckpointLimits {
  std::chrono::seconds interval{300};
  uint64_t log_bytes = uint64_t{1} << 30;
  bool at_once = false;  // the first one need not wait
};

class Checkpointer {
 public:
  // `last`: the checkpoint that there is. `number`: no greater one is taken.
  Checkpointer(log::Directory& directory, const SnapshotSource& source, log::CheckpointPlace last, uint64_t number,
               const CheckpointLimits& limits);
  ~Checkpointer();  // stop()

  // Asks for one, and waits until one that began after the call has ended. 57014 and the like when the wait is ended.
  Status checkpoint();
  // Ends the thread; with `last_one` after a last checkpoint, if anything was logged since the one before.
  Status stop(bool last_one);

  struct Statistics {
    uint64_t checkpoints = 0, bytes = 0, microseconds = 0;  // of the last one, but for the count
  };
  Statistics statistics() const;

 private:
  void run();
  bool due(Clock::time_point last) const;
  Status write();

  log::Directory& directory_;
  log::WriteAheadLog& log_;
  const SnapshotSource source_;
  const CheckpointLimits limits_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  WaitPoint done_;
  log::CheckpointPlace last_;  // the newest that is whole
  uint64_t number_, requested_ = 0, begun_ = 0, ended_ = 0;
  uint64_t bytes_at_last_ = 0;
  std::unique_ptr<Error> error_;  // of the last one
  Statistics statistics_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace indigo::engine
