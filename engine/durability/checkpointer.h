// Writes checkpoints: a consistent snapshot of everything that is kept, while transactions go on; then the log below it is
// used again. On time (checkpoint_timeout), on log volume (max_wal_size), on request, when the disk is full, and soon after a
// start that had to read the log. A backup is such a snapshot in a directory of its own, with an empty log behind it.
//
// Thread safety: all functions. One checkpoint at a time, on the checkpointer's own thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "base/wait_point.h"
#include "catalog/catalog.h"
#include "log/checkpoint.h"
#include "log/device.h"
#include "log/write_ahead_log.h"
#include "storage/store.h"

namespace indigo::engine {

struct CheckpointLimits {
  std::chrono::seconds interval{300};
  uint64_t log_bytes = uint64_t{1} << 30;
  bool at_once = false;  // the first one need not wait
};

class Checkpointer {
 public:
  // `last`: the number of the newest checkpoint.
  Checkpointer(log::Directory& directory, log::WriteAheadLog& log, storage::Store& store, catalog::Catalog& catalog,
               uint64_t last, const CheckpointLimits& limits);
  ~Checkpointer();  // stop()

  // Asks for one, and waits until one that began after the call has ended. 57014 and its like when the wait is ended.
  Status checkpoint();
  struct Backup {
    uint64_t bytes = 0, microseconds = 0;
  };
  // Copies everything that had been committed at some moment after the call into a new or empty directory, which a server can
  // be started on. 55000 when the directory is not empty; when it fails nothing is left there.
  Result<Backup> backup(const std::string& path);
  // Ends the thread; with `last_one` after a last checkpoint, if anything was logged since the one before.
  Status stop(bool last_one);

  struct Statistics {
    uint64_t checkpoints = 0, bytes = 0, microseconds = 0;  // of the last one, but for the count
  };
  Statistics statistics() const;

 private:
  struct BackupRequest {
    std::string path;
    Backup written;
    std::unique_ptr<Error> error;
    bool done = false;
  };

  void run();
  void run_backup(std::unique_lock<std::mutex>& lock);
  bool due(Clock::time_point last) const;
  Status write();
  Result<Backup> write_backup(const std::string& path);
  // A checkpoint of now, under header's number; the bytes written. header.horizon was read before.
  Result<uint64_t> write_snapshot(log::Directory& directory, log::CheckpointHeader header);

  log::Directory& directory_;
  log::WriteAheadLog& log_;
  storage::Store& store_;
  catalog::Catalog& catalog_;
  const CheckpointLimits limits_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  WaitPoint done_;
  uint64_t number_, requested_ = 0, begun_ = 0, ended_ = 0;
  std::deque<std::shared_ptr<BackupRequest>> backups_;
  uint64_t bytes_at_last_ = 0;
  std::unique_ptr<Error> error_;  // of the last one
  Statistics statistics_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace indigo::engine
