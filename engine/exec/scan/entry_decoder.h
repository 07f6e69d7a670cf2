// Entries of a secondary index to a scan's output columns: RowRef::key is the primary key, RowRef::row the index's.
// Thread safety: none.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/memory/arena.h"
#include "sql/plan.h"
#include "storage/table.h"
#include "types/value/key_decoder.h"
#include "types/value/vector.h"

namespace indigo::engine::exec {

class EntryDecoder {
 public:
  // Null: the scan needs rows.
  static std::unique_ptr<EntryDecoder> make(const sql::IndexScanPlan& scan);

  // Output columns with wanted[i] == `value` (all, when `wanted` is empty).
  void decode(std::span<const storage::RowRef> rows, const std::vector<bool>& wanted, bool value, Chunk& out,
              Arena& arena);

 private:
  // One of the two keys.
  struct Side {
    types::KeyDecoder decoder;
    std::vector<size_t> outputs;  // by wanted column
    std::vector<Phys> kinds;
    std::vector<Vector*> vectors;
  };
  static Side side_of(const types::KeyLayout& layout, std::vector<std::pair<size_t, size_t>> columns);

  Side index_, primary_;
};

}  // namespace indigo::engine::exec
