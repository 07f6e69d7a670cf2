// How many temporary files have been, and how many bytes were in them: pg_stat_database's temp_files and temp_bytes.
// Thread safety: all functions, from any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "base/ids.h"

namespace indigo::engine::exec {

class SpillStatistics {
 public:
  struct Counts {
    int64_t files = 0, bytes = 0;
  };
  // A file of a session in this database is gone.
  void ended(Oid database, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    Counts& counts = counts_[database];
    counts.files++;
    counts.bytes += static_cast<int64_t>(bytes);
  }
  Counts of(Oid database) const {
    const std::lock_guard lock(mutex_);
    const auto at = counts_.find(database);
    return at == counts_.end() ? Counts() : at->second;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::unordered_map<Oid, Counts> counts_;
};

}  // namespace indigo::engine::exec
