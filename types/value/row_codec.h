// Rows as storage keeps them: fixed-width columns at fixed offsets, then variable ones.
//
//   bytes 0..1    column count (uint16)
//   then          null bitmap, 1 bit a column, 1 = null
//   then          fixed-width columns in column order, unaligned (nulls are zero)
//   then          one uint32 end offset for each variable column, relative to the variable area
//   then          the variable area
//
// A fixed column's offset depends only on the layout; an update patches a copy of the image.
// Thread safety: a RowLayout is immutable after construction.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "types/value/datum.h"

namespace indigo {
class Vector;
}

namespace indigo::types {

class RowLayout {
 public:
  RowLayout() = default;
  explicit RowLayout(std::vector<Phys> columns);
  // Of a table whose columns from starts[0], starts[1] ... on were added to rows that were there: see Added.
  RowLayout(std::vector<Phys> columns, std::span<const size_t> starts, std::vector<OwnedDatum> missing);

  size_t column_count() const { return columns_.size(); }
  Phys phys(size_t column) const { return columns_[column]; }

  // Both replace what `out` holds. One value per column. A layout reads every image of its table, older or newer than itself:
  // what the image lacks has its missing value, what the layout does not know stands behind what it knows.
  void encode(std::span<const Datum> values, std::string& out) const;
  // Row `r` of the vectors; columns[i] belongs to column i.
  void encode(std::span<const Vector* const> columns, uint32_t r, std::string& out) const;
  // Strings borrow from `row`.
  Datum column(Bytes row, size_t column) const;
  // The same of a fixed-width column of T's width, and of a string: zero and empty when it is null.
  template <class T>
  T fixed(Bytes row, size_t column) const {
    if (added_ != nullptr || phys_bytes(columns_[column]) != sizeof(T)) [[unlikely]]
      return fixed_slow<T>(row, column);
    return load_unaligned<T>(row.data() + position_[column]);
  }
  Str string(Bytes row, size_t column) const {
    if (added_ != nullptr || columns_[column] != Phys::kStr) [[unlikely]] {
      const Datum d = this->column(row, column);
      return d.null || d.phys != Phys::kStr ? Str() : d.str;
    }
    return variable(row.data(), position_[column]);
  }
  // Fills vectors[i] with column wanted[i] of the rows, at vector rows 0.. (each vector is initialised here and keeps a
  // larger capacity that it had); strings borrow from the images. Images come from our own storage: they are trusted.
  void decode(std::span<const Bytes> rows, std::span<const uint16_t> wanted, std::span<Vector> vectors) const;
  // Another value for a column, in the image; the value does not borrow from `row`.
  void patch(std::string& row, size_t column, const Datum& value) const;

 private:
  // Reads the values through three callables of a column's index.
  template <class NullAt, class FixedAt, class StrAt>
  void encode_with(const NullAt& null_at, const FixedAt& fixed_at, const StrAt& str_at, std::string& out) const;
  template <class T>
  T fixed_slow(Bytes row, size_t column) const {
    const Datum d = this->column(row, column);
    return d.null ? T{} : load_unaligned<T>(&d.block);
  }
  // The `ordinal`-th variable column's bytes.
  Str variable(const char* row, uint32_t ordinal) const {
    const char* ends = row + offsets_offset_;
    const uint32_t begin = ordinal == 0 ? 0 : load_unaligned<uint32_t>(ends + (ordinal - 1) * sizeof(uint32_t));
    const uint32_t end = load_unaligned<uint32_t>(ends + ordinal * sizeof(uint32_t));
    return {ends + variable_count_ * sizeof(uint32_t) + begin, end - begin};
  }

  // Columns that were added later: an image is one part for the first columns, then one for each addition, each with a head of
  // its own, and may end before any of these, whose columns then have their missing values.
  struct Added;

  std::shared_ptr<const Added> added_;
  std::vector<Phys> columns_;
  std::vector<uint32_t> position_;  // fixed: byte offset; variable: ordinal among the variable columns
  uint32_t bitmap_offset_ = 2;
  uint32_t fixed_offset_ = 0;
  uint32_t offsets_offset_ = 0;  // of the end-offset array
  uint32_t variable_count_ = 0;
};

}  // namespace indigo::types
