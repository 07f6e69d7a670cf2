// WITH (...) of tables and indexes: what is kept in pg_class.reloptions, and what of it concerns storage.
//
//   leaf_size   Indigo's own, of tables: bytes of a leaf of the primary tree, a power of two from 4096 to 131072. Large
//               leaves make scans cheaper and changes dearer. Read when the table is made or made anew.
// The others are PostgreSQL's: checked, kept, and without effect here.
// Thread safety: stateless.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catalog/system_table.h"
#include "engine/ddl/support.h"
#include "storage/table.h"

namespace indigo::engine::ddl {

enum class OptionsOf : uint8_t { kTable, kIndex };

// As "name=value", checked. 22023 for unknown names and values out of bounds.
Result<std::vector<std::string>> storage_options(OptionsOf of, NodeList options);

storage::TableOptions table_options(std::span<const std::string> options);
// Of a row of pg_class.
storage::TableOptions table_options(const catalog::RowReader& row);

}  // namespace indigo::engine::ddl
