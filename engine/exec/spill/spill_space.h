// Where a session's operators put rows that they cannot hold: files without a name in the server's temp_directory,
// temp_file_limit in all. A session without a directory does not spill: its operators fail with 53200 at their limit (execution.h).
// Thread safety: none; belongs to a session. Files keep it alive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/ids.h"
#include "engine/exec/spill/spill_statistics.h"

namespace indigo::engine::exec {

struct SpillSpace : std::enable_shared_from_this<SpillSpace> {
  std::string directory;              // empty: none
  uint64_t memory_bytes = 0;          // work_mem: what one operator keeps in memory before it spills
  uint64_t limit_bytes = UINT64_MAX;  // temp_file_limit
  uint64_t used_bytes = 0;            // of all files
  int64_t logged_bytes = -1;          // log_temp_files: files of so much are written to the server's log; -1: none

  std::shared_ptr<SpillStatistics> statistics;  // of the server; may be null
  Oid database = kInvalidOid;

  bool may_spill() const { return !directory.empty(); }
};

}  // namespace indigo::engine::exec
