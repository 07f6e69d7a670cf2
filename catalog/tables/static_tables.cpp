#include "catalog/tables/static_tables.h"

#include <cassert>

#include "catalog/generated/static_tables.h"

namespace indigo::catalog {

std::span<const StaticTable> static_tables() { return {generated::kTables, generated::kTableCount}; }

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
