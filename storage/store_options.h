// How a Store is made.
#pragma once

#include <cstdint>

#include "storage/txn/clock_source.h"

namespace indigo::log {
class Log;
}

namespace indigo::storage {

struct StoreOptions {
  log::Log* log = nullptr;                    // not owned; nullptr means the `none` level
  uint64_t memory_limit_bytes = 0;            // 0: none
  ClockSource clock = ClockSource::kCounter;  // one that clock_source_usable()
  bool locking = false;                       // SERIALIZABLE by locks on what is read (storage/okvl), not by Index-SSN
  uint16_t lock_partitions = 253;             // of a key value's entries: storage/lock/mode_vector.h
};

}  // namespace indigo::storage
