// Result rows kept beyond their operators: scrollable and held cursors, RETURNING with a row limit. The first of them are in
// memory, as their images; what is more than work_mem is spooled where there is a place for temporary files.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/exec/spill/row_spool.h"
#include "engine/row_sink.h"
#include "types/value/row_codec.h"
#include "types/value/vector.h"

namespace indigo::engine {

class RowBuffer {
 public:
  // `space`: null when there is no place for files.
  RowBuffer(std::vector<Phys> columns, exec::SpillSpace* space);

  Status append(const Chunk& chunk);
  uint64_t row_count() const { return offsets_.size() + rest_.rows(); }
  // Rows from `first` on as a chunk, at most `count` and kChunkRows, and none behind the last; valid until the next call.
  Result<const Chunk*> chunk(uint64_t first, uint32_t count);

  uint64_t position = 0;  // the cursor's: rows before it; see cursors

 private:
  types::RowLayout layout_;
  std::vector<uint16_t> all_columns_;
  const uint64_t bytes_max_;  // of these
  std::string bytes_;
  std::vector<uint64_t> offsets_;  // end of each row in bytes_
  std::vector<Bytes> images_;
  std::string scratch_;
  exec::RowSpool rest_;
  exec::RowSpool::Reader reader_;
  Chunk chunk_, rest_chunk_;
};

}  // namespace indigo::engine
