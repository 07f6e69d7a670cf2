// The built-in rows of every system table (types/builtin/static_table.h), by the table's name.
// Thread safety: constants.
#pragma once

#include <span>
#include <string>

#include "base/ids.h"
#include "types/builtin/static_table.h"

namespace indigo::catalog {

using types::StaticColumn;
using types::StaticTable;

std::span<const StaticTable> static_tables();
// Which columns the system tables have, as a short text: what is kept can be read by programs with the same layout.
std::string catalog_layout();
const StaticTable* static_table(Oid oid);  // null when there is none
// For code that names the table: its OID is known to exist.
const StaticTable& static_table_of(Oid oid);

}  // namespace indigo::catalog
