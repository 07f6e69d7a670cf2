// Rows of storage to a scan's output columns: table columns, the row key, and the system columns' surrogates.
//
// ctid is made of the key (the hidden row id, else 48 bits of the key's hash), xmin of the row image's hash: both stay the
// same while the row does, which is what tools use them for. xmax, cmin and cmax are zero.
// Thread safety: none.
#pragma once

#include <span>
#include <vector>

#include "base/memory/arena.h"
#include "catalog/descriptor/relation_info.h"
#include "storage/table.h"
#include "types/value/vector.h"

namespace indigo::engine::exec {

class EntryDecoder;

class RowDecoder {
 public:
  RowDecoder() = default;
  // Output column i is table column columns[i] (see ScanPlan::scan_columns).
  RowDecoder(const catalog::RelationInfo& relation, std::vector<int> columns);

  size_t column_count() const { return columns_.size(); }
  // `out` has the columns; strings borrow from the rows, system columns' from `arena`.
  void decode(std::span<const storage::RowRef> rows, Chunk& out, Arena& arena);
  // What it is given from now on are entries of an index (null: rows).
  void use_entries(EntryDecoder* decoder) { entries_ = decoder; }
  // Only output columns with wanted[i] == `value`; the others stay as they are.
  void decode_some(std::span<const storage::RowRef> rows, const std::vector<bool>& wanted, bool value, Chunk& out,
                   Arena& arena);
  // Only the selected rows, at their own numbers (out of rows.size()).
  void decode_selected(std::span<const storage::RowRef> rows, Selection selection, const std::vector<bool>& wanted,
                       bool value, Chunk& out, Arena& arena);

 private:
  void system_column(std::span<const storage::RowRef> rows, Selection selection, int column, Vector& out,
                     Arena& arena) const;

  const catalog::RelationInfo* relation_ = nullptr;
  EntryDecoder* entries_ = nullptr;
  std::vector<int> columns_;
  std::vector<Bytes> images_;
  std::vector<uint16_t> wanted_;
  std::vector<size_t> wanted_at_;
  std::vector<Vector> vectors_;
};

// The value of a system column for one row.
Datum system_value(const catalog::RelationInfo& relation, const storage::RowRef& row, int column, Arena& arena);
Phys system_phys(int column);

}  // namespace indigo::engine::exec
