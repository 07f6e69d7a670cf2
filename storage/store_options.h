// How a Store is made.
#pragma once

#include <cstdint>

#include "storage/index/index_factory.h"
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
  uint32_t lock_escalation = 10'000;          // locks of one table that a transaction has before it locks all of it
  uint16_t lock_partitions = 253;             // of a key value's entries: storage/lock/mode_vector.h
  uint32_t hydralist_replicas = 0;            // of a hydralist's search layer; 0: one for each NUMA node
  IndexFactory ordered_index = nullptr;       // what is made for a tree (create_btree_index), if not that
};

}  // namespace indigo::storage
