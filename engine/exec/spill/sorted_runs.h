// Sorted runs of rows in temporary files, and their merge: what a sort keeps that outgrows its memory. A row is its key, bytes
// that compare as the rows do, and its image; of equal keys those that were added first come first.
//
// Runs lie in levels, each in a file of its own: those of level 0 are what one memory's worth gave, and kFanIn runs of one level
// become one of the next. So a row is written once for each level, and a merge never reads more than kFanIn runs of a level.
// Thread safety: none; belongs to an operator.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/exec/spill/temporary_file.h"
#include "types/value/row_codec.h"
#include "types/value/vector.h"

namespace indigo::engine::exec {

class SortedRuns {
 public:
  static constexpr size_t kFanIn = 64;

  // `check` is called now and then, and may end the work.
  SortedRuns(SpillSpace& space, std::vector<Phys> columns, std::function<Status()> check);
  ~SortedRuns();

  // Rows of one run, in order; end_run() after the last.
  Status add(Bytes key, std::span<const Vector* const> columns, uint32_t row);
  Status end_run();

  // Of all files.
  uint64_t bytes() const;

  // Back to the first row of all runs. Nothing is added after it.
  Status rewind();
  // The next rows, at most `rows_max` and kChunkRows; null: there are no more. Valid until the next call.
  Result<Chunk*> next(uint32_t rows_max);

 private:
  struct Run {
    uint64_t begin, end;
  };
  struct Level {
    std::unique_ptr<TemporaryFile> file;
    std::vector<Run> runs;
  };
  struct Head;
  class Reader;
  class Merge;

  Status add_record(size_t level, Bytes key, Bytes image);
  Status end_run(size_t level);
  Status merge_up(size_t level);

  SpillSpace& space_;
  const types::RowLayout layout_;
  std::vector<uint16_t> all_columns_;
  std::function<Status()> check_;
  std::vector<Level> levels_;
  std::vector<uint64_t> begun_;  // by level: where its unfinished run begins
  std::string image_;
  std::unique_ptr<Merge> merge_;
  std::string page_;  // images of the rows that were answered last
  std::vector<size_t> ends_;
  std::vector<Bytes> images_;
  Chunk out_;
};

}  // namespace indigo::engine::exec
