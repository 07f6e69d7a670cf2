// Rows kept in columns: what blocking operators (sort, hash join, materialize, CTEs) remember of their input.
// Blocks of kChunkRows rows, of which the first begins small and grows with its rows: a plan of a thousand operators over one row
// takes little memory. Strings are copied into the store's own arena. Views stay valid while rows are appended: the buffers that a
// block has outgrown are kept until clear().
// Thread safety: none.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/memory/arena.h"
#include "types/value/vector.h"

namespace indigo::engine::exec {

class RowStore {
 public:
  RowStore() : strings_(1024) {}

  // Forgets everything; blocks are kept for the next use when the shape is the same.
  void init(std::vector<Phys> columns);
  void clear();
  // The same, and gives the blocks back.
  void release();

  size_t column_count() const { return columns_.size(); }
  const std::vector<Phys>& phys() const { return columns_; }
  uint32_t rows() const { return rows_; }
  uint64_t bytes() const;

  // Appends the selected rows; vectors[i] goes to column i. Answers the first new row's number.
  uint32_t append(std::span<const Vector* const> vectors, Selection selection);
  uint32_t append(const Chunk& chunk);
  uint32_t append(std::span<const Datum> row);

  uint32_t block_count() const { return (rows_ + kChunkRows - 1) / kChunkRows; }
  uint32_t block_rows(uint32_t block) const {
    return block + 1 < block_count() ? kChunkRows : rows_ - block * kChunkRows;
  }
  const Vector& column(uint32_t block, size_t column) const { return blocks_[block]->columns[column]; }
  Datum datum(uint32_t row, size_t column) const {
    return blocks_[row / kChunkRows]->columns[column].datum(row % kChunkRows);
  }
  bool is_null(uint32_t row, size_t column) const {
    return blocks_[row / kChunkRows]->columns[column].is_null(row % kChunkRows);
  }
  template <class T>
  const T& get(uint32_t row, size_t column) const {
    return blocks_[row / kChunkRows]->columns[column].template get<T>(row % kChunkRows);
  }

  // A view of rows first..first+count of one block (no copy); count is cut at the block's end.
  void view(uint32_t first, uint32_t count, Chunk& out) const;
  // Copies column `column` of the given rows into out[0..]; kNoRow gives a null. Strings stay in the store.
  void gather(size_t column, std::span<const uint32_t> rows, Vector& out) const;
  void gather(std::span<const uint32_t> rows, Chunk& out) const;

  static constexpr uint32_t kNoRow = UINT32_MAX;

 private:
  struct Block {
    std::vector<Vector> columns;
    uint32_t capacity = 0;         // rows
    std::vector<Vector> outgrown;  // the columns before they grew: views may read them
  };
  // The block of the next row, with room for `count` rows that are all its own.
  Block& block_for_next(uint32_t count);
  void widen(Block& block, uint32_t used, uint32_t capacity);

  std::vector<Phys> columns_;
  std::vector<std::unique_ptr<Block>> blocks_;
  Arena strings_;
  uint32_t rows_ = 0;
  uint64_t row_bytes_ = 0;  // without strings
};

// Copies the selected rows of `from` to rows to_first.. of `to`, strings into `strings` (null: borrowed).
void copy_rows(Vector& to, uint32_t to_first, const Vector& from, Selection selection, Arena* strings);

}  // namespace indigo::engine::exec
