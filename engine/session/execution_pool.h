// Executions that wait for the next run of their plan: operators and buffers are made once, not for each run. They do not outlive
// the state of the catalog that they have been compiled in, though their plan may.
// Thread safety: none; belongs to a session.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "engine/exec/execution.h"
#include "engine/statement/prepared.h"

namespace indigo::engine {

class ExecutionPool {
 public:
  // One that has run before, or a new one. The plan is of now (Preparation::is_current), in this version of the catalog.
  std::unique_ptr<Execution> take(const Prepared& prepared, uint64_t catalog_version);
  // Closes it, and keeps it if its plan may run again. `catalog_version`: with which it was taken.
  void give_back(const Prepared& prepared, std::unique_ptr<Execution> execution, uint64_t catalog_version);
  void clear();

 private:
  // The last one used is found without a look-up. One that has run only once makes room for the next: most statements of
  // some programs come once, and buffers of theirs would be the memory of all the others.
  struct Last {
    const sql::PlannedStatement* plan = nullptr;
    std::unique_ptr<Execution> execution;
    bool again = false;
  };
  Last last_;
  uint64_t catalog_version_ = 0;  // that all of them are of
  absl::flat_hash_map<const sql::PlannedStatement*, std::vector<std::unique_ptr<Execution>>> idle_;
};

}  // namespace indigo::engine
