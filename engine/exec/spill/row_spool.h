// Rows in the order in which they came, read from any of them on, again and again, also while more come: what is kept of WITH
// queries, materialized inputs, cursors and what functions return. Where there is a place for temporary files a spool keeps no more
// than work_mem in memory: the rows that came last. Those before are in a file, in blocks.
//
// Invariants: 1. a row's number never changes; 2. what a Reader has shown stays until its next call, also when its rows go to
// the file meanwhile.
// Thread safety: none; belongs to a statement or portal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/exec/row_store.h"
#include "engine/exec/spill/spill_space.h"
#include "types/value/row_codec.h"
#include "types/value/vector.h"

namespace indigo::engine::exec {

class TemporaryFile;

class RowSpool {
 public:
  RowSpool();
  ~RowSpool();
  RowSpool(RowSpool&&) noexcept;
  RowSpool& operator=(RowSpool&&) noexcept;

  // Forgets everything. `space`: null when there is no place for files.
  void init(std::vector<Phys> columns, SpillSpace* space);
  void clear();

  const std::vector<Phys>& phys() const { return tail_->phys(); }
  uint64_t rows() const { return tail_first_ + tail_->rows(); }
  // In memory, and in the file.
  uint64_t bytes() const { return tail_->bytes() + blocks_.capacity() * sizeof(Block); }
  uint64_t file_bytes() const;

  Status append(const Chunk& chunk);
  Status append(std::span<const Vector* const> columns, Selection selection);
  Status append(std::span<const Datum> row);

  // A reader is for one spool, and is reset when that is cleared.
  class Reader {
   public:
    // Rows first..first+count, or fewer: those that lie together. There is a row `first`.
    Status view(const RowSpool& spool, uint64_t first, uint32_t count, Chunk& out);
    // Row by row: datum() is of the row that seek() has found; strings live until the next call.
    Status seek(const RowSpool& spool, uint64_t row) { return view(spool, row, 1, row_); }
    Datum datum(size_t column) const { return row_.columns[column].datum(row_.selection[0]); }
    void reset();

   private:
    std::shared_ptr<const RowStore> tail_;  // that a view is of, when it may go to the file
    size_t block_ = SIZE_MAX;               // that was read from the file
    std::string page_;
    Chunk decoded_, row_;
  };

 private:
  // Rows in the file, from number first_row on; a block ends where the next begins.
  struct Block {
    uint64_t first_row, offset;
  };
  void forget_file();
  Status spill_if_large();
  Status spill();
  Status read(size_t block, std::string& page, Chunk& out) const;

  std::shared_ptr<SpillSpace> space_;
  types::RowLayout layout_;
  std::vector<uint16_t> all_columns_;
  uint64_t tail_bytes_max_ = 0;                                    // more goes to the file
  std::shared_ptr<RowStore> tail_ = std::make_shared<RowStore>();  // the rows from tail_first_ on
  uint64_t tail_first_ = 0;
  std::unique_ptr<TemporaryFile> file_;
  std::vector<Block> blocks_;
};

}  // namespace indigo::engine::exec
