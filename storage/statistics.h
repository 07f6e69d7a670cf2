// What the engine of storage counts, for monitoring views, benchmarks and tests. Apart from store.h and table.h, so that
// a new figure concerns only those who show it.
//
// Thread safety: all functions. Figures are read one after the other while others work: they fit together roughly.
#pragma once

#include <array>
#include <cstdint>

#include "storage/memory/memory_account.h"

namespace indigo::storage {

class Store;
class Table;

struct StoreStatistics {
  std::array<int64_t, kMemoryKinds> memory_bytes{};
  uint64_t memory_limit_bytes = 0;  // 0: none
  uint64_t versions = 0;            // older versions kept for snapshots
  int64_t bytes_of(MemoryKind kind) const { return memory_bytes[static_cast<size_t>(kind)]; }
};
StoreStatistics statistics_of(const Store& store);

struct TableStatistics {
  uint64_t versions = 0;  // older versions kept for snapshots
};
TableStatistics statistics_of(const Table& table);

}  // namespace indigo::storage
