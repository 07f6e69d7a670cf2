// What EXPLAIN ANALYZE counts for one operator. Sums over all loops.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace indigo::sql {

struct PlanCounters {
  uint64_t loops = 0, rows = 0, filtered = 0;
  std::chrono::nanoseconds startup{0}, total{0};
  uint64_t memory_bytes = 0;  // of the largest loop; operators that keep rows
  uint64_t disk_bytes = 0;    // the same of temporary files; sorts have it in memory_bytes
  uint64_t batches = 1;       // parts of the rows that were in memory one after the other, of the loop that had most
  uint64_t buckets = 0;       // hash joins
  uint64_t hits = 0, misses = 0;  // Memoize
  uint64_t switched_after = 0;    // left rows after which a nested loop became a hash join; 0: it did not
  const char* method = nullptr;   // sorts: "quicksort", "top-N heapsort"

  void note_memory(uint64_t bytes) { memory_bytes = std::max(memory_bytes, bytes); }
  void note_disk(uint64_t parts, uint64_t bytes) {
    batches = std::max(batches, parts);
    disk_bytes = std::max(disk_bytes, bytes);
  }
};

}  // namespace indigo::sql
