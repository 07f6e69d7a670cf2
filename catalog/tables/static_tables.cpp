#include "catalog/tables/static_tables.h"

#include <cassert>
#include <vector>

#include <absl/strings/str_cat.h>

#include "catalog/generated/static_tables.h"
#include "catalog/tables/database_images.h"
#include "log/crc32c.h"

namespace indigo::catalog {

std::span<const StaticTable> static_tables() {
  static const std::vector<StaticTable> all = [] {
    std::vector<StaticTable> out(generated::kTables, generated::kTables + generated::kTableCount);
    out.push_back(database_images::kTable);
    return out;
  }();
  return all;
}

std::string catalog_layout() {
  std::string columns;
  for (const StaticTable& table : static_tables()) {
    columns += std::to_string(table.oid) + ":";
    for (const StaticColumn& column : table.column_span()) {
      columns += std::string(column.name) + " " + std::to_string(column.type) + (column.not_null ? "!," : ",");
    }
    for (uint8_t i = 0; i < table.key_count; i++) columns += " " + std::to_string(table.key_columns[i]);
    columns += "\n";
  }
  return absl::StrCat(absl::Hex(log::crc32c(columns.data(), columns.size()), absl::kZeroPad8));
}

const StaticTable* static_table(Oid oid) {
  for (const StaticTable& table : static_tables()) {
    if (table.oid == oid) return &table;
  }
  return nullptr;
}

const StaticTable& static_table_of(Oid oid) {
  const StaticTable* table = static_table(oid);
  assert(table != nullptr);
  return *table;
}

}  // namespace indigo::catalog
