#include "types/builtin/static_table.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "base/check.h"
#include "types/generated/static_tables.h"

namespace indigo::types {

std::string_view StaticColumn::string(uint32_t row) const {
  const uint32_t at = cell(row);
  if (all_null || at == 0xFFFFFFFFu) return {};
  const char* p = pool + at;
  const auto first = static_cast<uint8_t>(*p);
  if (first < 255) return {p + 1, first};
  return {p + 5, load_unaligned<uint32_t>(p + 1)};
}

Datum StaticColumn::datum(uint32_t row) const {
  if (is_null(row)) return Datum::make_null(phys);
  const uint32_t v = cell(row);
  switch (phys) {
    case Phys::kBool: return Datum::of(v != 0);
    case Phys::kI16: return Datum::of(static_cast<int16_t>(v));
    case Phys::kI32: return Datum::of(static_cast<int32_t>(v));
    case Phys::kI64: return Datum::of(static_cast<int64_t>(static_cast<int32_t>(v)));
    case Phys::kF32: return Datum::of(std::bit_cast<float>(v));
    case Phys::kStr: return Datum::of(string(row));
    case Phys::kF64:
    case Phys::kB16: break;
  }
  return Datum::make_null(phys);
}

uint32_t StaticTable::lower_bound(Oid oid) const {
  const StaticColumn& key = columns[key_columns[0]];
  uint32_t low = 0, high = row_count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (key.cell(middle) < oid) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

int64_t StaticTable::find_oid(Oid oid) const {
  const uint32_t row = lower_bound(oid);
  return row < row_count && columns[key_columns[0]].cell(row) == oid ? int64_t{row} : -1;
}

const StaticTable& static_table_of(Oid oid) {
  const std::span tables(generated::kTables, generated::kTableCount);
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const StaticTable& t) { return t.oid == oid; });
  INDIGO_CHECK(found != tables.end());
  return *found;
}

}  // namespace indigo::types
