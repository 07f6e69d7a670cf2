// What one table takes of its store's memory. What clones share counts in each of them.
//
// Not here: what open transactions hold but for their large rows (the store's account has it), and the spare room of chunks.
// Thread safety: plain values.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace indigo::storage {

struct IndexMemory {
  IndexId id;
  uint64_t bytes = 0;
};

struct TableMemory {
  uint64_t leaf_bytes = 0;
  uint64_t inner_node_bytes = 0;
  uint64_t version_bytes = 0;    // older versions kept for snapshots, without their large rows
  uint64_t large_row_bytes = 0;  // pending ones and those of older versions included
  uint64_t constant_bytes = 0;   // rows outside the store that the table is laid over (catalog/tables/overlay_table.h)
  std::vector<IndexMemory> indexes;  // secondary ones

  uint64_t index_bytes() const {
    uint64_t sum = 0;
    for (const IndexMemory& index : indexes) sum += index.bytes;
    return sum;
  }
};

}  // namespace indigo::storage
