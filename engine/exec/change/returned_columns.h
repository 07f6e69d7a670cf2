// The system columns of rows as a change writes them, for RETURNING: columns of the new rows' chunk behind the table's own.
// Thread safety: none.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/exec/query_state.h"
#include "engine/exec/scan/row_decoder.h"

namespace indigo::engine::exec {

class ReturnedColumns {
 public:
  ReturnedColumns() = default;
  // ChangePlan::returned_system_columns.
  ReturnedColumns(const catalog::RelationInfo& relation, std::vector<int> columns)
      : relation_(&relation), columns_(std::move(columns)) {}

  // Makes room for rows 0..extent-1 behind the table's columns of `rows`.
  void begin(Chunk& rows, uint32_t extent) const {
    if (columns_.empty()) return;
    const size_t first = relation_->columns.size();
    rows.columns.resize(first + columns_.size());
    for (size_t i = 0; i < columns_.size(); i++) rows.columns[first + i].init(system_phys(columns_[i]), extent);
  }
  void set(QueryState& state, Chunk& rows, uint32_t row, const storage::RowRef& written) const {
    for (size_t i = 0; i < columns_.size(); i++) {
      rows.columns[relation_->columns.size() + i].set_datum(
          row, system_value(*relation_, written, columns_[i], state.functions().arena()));
    }
  }
  bool has_place() const { return std::find(columns_.begin(), columns_.end(), sql::kCtidColumn) != columns_.end(); }
  // A row that another server has: its ctid there, and nothing in the others.
  void set_foreign(QueryState& state, Chunk& rows, uint32_t row, Bytes place) const {
    for (size_t i = 0; i < columns_.size(); i++) {
      Datum d = Datum::make_null(system_phys(columns_[i]));
      if (columns_[i] == sql::kTableOidColumn) {
        d = Datum::of_oid(relation_->oid);
      } else if (columns_[i] != sql::kCtidColumn) {
        d = Datum::of_oid(kInvalidOid);
      } else if (!place.empty()) {
        d = Datum::of(state.functions().arena().copy(Str(place)));
      }
      rows.columns[relation_->columns.size() + i].set_datum(row, d);
    }
  }
  // The same row as it was written to another table.
  void take(Chunk& rows, uint32_t row, const Chunk& written, size_t first) const {
    for (size_t i = 0; i < columns_.size(); i++)
      rows.columns[relation_->columns.size() + i].set_datum(row, written.columns[first + i].datum(row));
  }
  // A row that ON CONFLICT has locked and changed, not inserted, has an xmax.
  void set_changed(Chunk& rows, uint32_t row) const {
    for (size_t i = 0; i < columns_.size(); i++) {
      if (columns_[i] == sql::kXmaxColumn) rows.columns[relation_->columns.size() + i].set_datum(row, Datum::of_oid(1));
    }
  }

 private:
  const catalog::RelationInfo* relation_ = nullptr;
  std::vector<int> columns_;
};

}  // namespace indigo::engine::exec
