// Built-in rows of system tables as constant, column-wise arrays: what a fresh PostgreSQL 15 holds, without any start-up
// cost. Rows are in the order of the table's key. Written by tools/extract_catalog.py.
//
// A cell is an unsigned integer of 0 (every row has `constant`), 1, 2 or 4 bytes. Fixed-width values are their bits;
// strings (Phys::kStr) are offsets into a pool, where an entry is its length (one byte, or 255 and four) and its bytes.
// A pooled cell of 0xFFFFFFFF is null; of fixed-width columns either all rows are null or none.
// Thread safety: constants.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/ids.h"
#include "types/value/datum.h"

namespace indigo::types {

struct StaticColumn {
  const char* name;
  Oid type;
  Oid collation;
  Phys phys;
  bool not_null;
  uint8_t width;
  bool all_null;
  uint32_t constant;
  const void* data;
  const char* pool;

  uint32_t cell(uint32_t row) const {
    switch (width) {
      case 0: return constant;
      case 1: return static_cast<const uint8_t*>(data)[row];
      case 2: return static_cast<const uint16_t*>(data)[row];
      default: return static_cast<const uint32_t*>(data)[row];
    }
  }
  Datum datum(uint32_t row) const;
  bool is_null(uint32_t row) const { return all_null || (phys == Phys::kStr && cell(row) == 0xFFFFFFFFu); }
  std::string_view string(uint32_t row) const;  // of pooled columns; empty when null
};

struct StaticTable {
  Oid oid;
  const char* name;
  Oid row_type;
  Oid primary_index;  // pg_class OID of the primary key's index, invalid for pg_depend and pg_shdepend
  const char* primary_index_name;
  bool shared;  // one for all databases
  uint8_t column_count;
  uint8_t key_count;
  uint32_t row_count;
  const StaticColumn* columns;
  const uint8_t* key_columns;  // ordinals

  std::span<const StaticColumn> column_span() const { return {columns, column_count}; }
  // The row whose first key column (an OID) is `oid`, or -1. For tables keyed by OID alone.
  int64_t find_oid(Oid oid) const;
  // First row whose first key column is >= oid.
  uint32_t lower_bound(Oid oid) const;
};

// The tables of types, functions, operators, casts and operator classes (types/generated/columns.h). `oid` is one of them.
const StaticTable& static_table_of(Oid oid);

}  // namespace indigo::types
