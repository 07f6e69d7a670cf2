// Executions that wait for the next run of their plan: operators and buffers are made once, not for each run. They do not outlive
// the state of the catalog that they have been compiled in, though their plan may.
//
// Buffers are most of what a prepared statement that has run takes, so all pools of the process have room for kOfProcessMax
// executions and about kBytesOfProcess: one session for a thousand statements, each of a thousand sessions for those that it has
// run last.
// Thread safety: none; belongs to a session. The count of pools is the process's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "engine/exec/execution.h"
#include "engine/statement/prepared.h"

namespace indigo::engine {

class AutoExplain;

class ExecutionPool {
 public:
  static constexpr size_t kOfProcessMax = 4096, kOfSessionMin = 4;
  static constexpr int64_t kBytesOfProcess = int64_t{128} << 20, kBytesOfSessionMin = int64_t{256} << 10;

  explicit ExecutionPool(AutoExplain& maker) : maker_(maker) { pools.fetch_add(1, std::memory_order_relaxed); }
  ~ExecutionPool() { pools.fetch_sub(1, std::memory_order_relaxed); }
  ExecutionPool(const ExecutionPool&) = delete;
  ExecutionPool& operator=(const ExecutionPool&) = delete;

  // One that has run before, or a new one. The plan is of now (Preparation::is_current), in this version of the catalog.
  std::unique_ptr<Execution> take(const Prepared& prepared, uint64_t catalog_version);
  // Closes it, and keeps it if its plan may run again. `catalog_version`: with which it was taken.
  void give_back(const Prepared& prepared, std::unique_ptr<Execution> execution, uint64_t catalog_version);
  void clear();
  size_t idle_count() const { return idle_count_; }
  int64_t idle_bytes() const { return idle_bytes_; }

 private:
  // The last one used is found without a look-up. One that has run only once makes room for the next: most statements of
  // some programs come once, and buffers of theirs would be the memory of all the others.
  struct Last {
    const sql::PlannedStatement* plan = nullptr;
    std::unique_ptr<Execution> execution;
    bool again = false;
  };
  struct Idle {
    std::unique_ptr<Execution> execution;
    uint64_t since = 0;  // of changes_
  };
  // For one more of so many bytes: those that have waited longest go, a quarter more than there is no room for.
  void make_room(int64_t bytes);
  // This session's part of what the process may keep.
  static size_t share_of(size_t all, size_t least, size_t most);
  static int64_t bytes_most();

  static inline std::atomic<size_t> pools{0};
  AutoExplain& maker_;
  Last last_;
  uint64_t catalog_version_ = 0;  // that all of them are of
  absl::flat_hash_map<const sql::PlannedStatement*, std::vector<Idle>> idle_;
  size_t idle_count_ = 0;   // in idle_
  int64_t idle_bytes_ = 0;  // theirs
  uint64_t changes_ = 0;    // times that one has been put there
};

}  // namespace indigo::engine
