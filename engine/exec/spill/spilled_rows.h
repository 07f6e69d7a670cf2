// Rows in a temporary file, in the order in which they came; read from the first to the last once they are all there.
// Thread safety: none; belongs to an operator.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/exec/spill/temporary_file.h"
#include "types/value/row_codec.h"
#include "types/value/vector.h"

namespace indigo::engine::exec {

class SpilledRows {
 public:
  static Result<std::unique_ptr<SpilledRows>> make(SpillSpace& space, const std::vector<Phys>& columns);

  Status add(std::span<const Vector* const> columns, uint32_t row);
  uint64_t bytes() const { return file_->size(); }

  // After the last add(). Null at the end; a chunk is valid until the next call.
  Result<Chunk*> next();

 private:
  SpilledRows(std::unique_ptr<TemporaryFile> file, const std::vector<Phys>& columns);

  const std::unique_ptr<TemporaryFile> file_;
  const types::RowLayout layout_;
  std::vector<uint16_t> all_columns_;
  std::string image_;
  uint64_t at_ = 0;  // of what has been read into the page
  std::string page_;
  size_t used_ = 0;  // of the page, by chunks that have been answered
  std::vector<Bytes> images_;
  Chunk out_;
};

}  // namespace indigo::engine::exec
