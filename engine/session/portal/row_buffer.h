// Result rows kept in memory beyond their operators: scrollable and held cursors, RETURNING with a row limit.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/row_sink.h"
#include "types/value/row_codec.h"
#include "types/value/vector.h"

namespace indigo::engine {

class RowBuffer {
 public:
  explicit RowBuffer(std::vector<Phys> columns);

  // 53200 when more than `bytes_max` would be kept (0: no limit).
  Status append(const Chunk& chunk, uint64_t bytes_max);
  uint64_t row_count() const { return offsets_.size(); }
  // Rows [first, first + count) as a chunk, at most kChunkRows; valid until the next call.
  const Chunk& chunk(uint64_t first, uint32_t count);

  uint64_t position = 0;  // the cursor's: rows before it; see cursors

 private:
  types::RowLayout layout_;
  std::vector<uint16_t> all_columns_;
  std::string bytes_;
  std::vector<uint64_t> offsets_;  // end of each row in bytes_
  std::vector<Bytes> images_;
  std::string scratch_;
  Chunk chunk_;
};

}  // namespace indigo::engine
