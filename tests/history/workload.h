// Random transactions by several clients at once, recorded. The same options and seed make the same requests; how they
// interleave is the threads' affair.
#pragma once

#include "tests/history/client.h"
#include "tests/history/history.h"

namespace indigo::history {

struct WorkloadOptions {
  uint64_t seed = 1;
  uint32_t clients = 6;
  uint32_t transactions = 10000;  // of all clients together
  int64_t keys = 16;
  int64_t groups = 4;
  std::vector<Level> levels = {Level::kSerializable};  // each transaction takes one of them
};

History run_workload(Backend& backend, const WorkloadOptions& options);

}  // namespace indigo::history
