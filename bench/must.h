// What a benchmark does must work: a failure ends it with a message.
// Thread safety: pure function.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "storage/status.h"

namespace indigo::bench {

inline void must(storage::StorageStatus status) {
  if (status == storage::StorageStatus::kOk) return;
  std::fprintf(stderr, "storage answered %d\n", static_cast<int>(status));
  std::exit(1);
}

}  // namespace indigo::bench
