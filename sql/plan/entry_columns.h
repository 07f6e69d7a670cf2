// Where a scan's columns lie in the entries of an index: in the index's own key, or in the primary key that stands behind it.
// When all do, no row is needed for them (storage/index_entries.h).
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "catalog/descriptor/relation_info.h"
#include "sql/plan.h"

namespace indigo::sql {

struct EntryColumn {
  bool primary;   // of the primary key, else of the index's
  size_t column;  // of that key, from 0
};

// For each of `columns` (of the table, from 0); nothing when some lie only in the row.
std::optional<std::vector<EntryColumn>> entry_columns(const catalog::RelationInfo& relation,
                                                      const catalog::IndexInfo& index, std::span<const int> columns);
// Whether the scan's entries suffice.
bool reads_entries_only(const IndexScanPlan& scan);

}  // namespace indigo::sql
