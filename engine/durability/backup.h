// Copies of a running instance, each made by a thread of its own: neither checkpoints nor shutdown wait for a slow target. A
// backup is a checkpoint in a directory of its own, with an empty log behind it: a data directory like any other.
//
// While it is made the directory holds a file that says so; a start on it is refused. What is not finished is removed, the
// directory too if it was not there before.
// Thread safety: all functions. Source: PostgreSQL's pg_basebackup, as far as one directory goes.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/fiber/wait_point.h"
#include "engine/durability/snapshot_file.h"
#include "log/data_format.h"

namespace indigo::engine {

class Backups {
 public:
  using OpenDirectory = std::function<Result<std::unique_ptr<log::Directory>>(const std::string& path)>;

  // `open`: other directories than the file system's, for tests.
  Backups(const SnapshotSource& source, log::DataFormat format, OpenDirectory open = {});
  ~Backups() { stop(); }

  struct Written {
    uint64_t bytes = 0, microseconds = 0;
  };
  // Copies everything that had been committed at some moment after the call into a new or empty directory. 55000 when it is
  // not empty, 55006 when it is in use; 57014 and the like when the wait is ended, which ends the backup soon after.
  Result<Written> make(const std::string& path);
  // Ends those under way, and refuses more.
  void stop();
  // How many are under way.
  size_t running() const;

 private:
  struct Task {
    std::string path;
    std::atomic<bool> cancelled{false};
    Written written;
    std::unique_ptr<Error> error;
    bool done = false;  // guarded by mutex_, as the two before are until then
    std::thread thread;
  };

  Result<Written> write(const Task& task) const;
  Result<uint64_t> copy(log::Directory& directory, const Task& task) const;
  Error interrupted(const std::shared_ptr<Task>& task);
  void reap();

  const SnapshotSource source_;
  const log::DataFormat format_;
  const OpenDirectory open_;
  mutable std::mutex mutex_;  // guards what follows
  WaitPoint done_;
  std::list<std::shared_ptr<Task>> tasks_;
  bool stop_ = false;
};

}  // namespace indigo::engine
