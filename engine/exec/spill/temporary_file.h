// A file that has no name and is gone when nothing holds it, whatever becomes of the server. It is written from front to back,
// and read anywhere.
// Thread safety: none; belongs to an operator.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/error.h"
#include "engine/exec/spill/spill_space.h"

namespace indigo::engine::exec {

class TemporaryFile {
 public:
  // 53100 when the disk is full, 58030 for other failures of the system.
  static Result<std::unique_ptr<TemporaryFile>> make(SpillSpace& space);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Behind what is there; some of it waits in memory until flush(). Also 53400: temp_file_limit.
  Status append(Bytes bytes);
  Status flush();
  // With what waits in memory.
  uint64_t size() const { return written_ + waiting_.size(); }
  // Exactly `count` bytes, which have been flushed.
  Status read(uint64_t offset, char* to, size_t count) const;
  // Forgets everything, and gives the disk back.
  Status clear();

 private:
  TemporaryFile(SpillSpace& space, int descriptor);

  const std::shared_ptr<SpillSpace> space_;
  const int descriptor_;
  uint64_t written_ = 0, most_ = 0;  // what is there, and was at most
  std::string waiting_;
};

}  // namespace indigo::engine::exec
