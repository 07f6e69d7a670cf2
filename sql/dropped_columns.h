// Columns of a range-table entry that are no columns any more: a table's and a composite type's dropped ones keep their places,
// so that column = attnum - 1. Their names are empty. Thread safety: pure.
#pragma once

#include "sql/query.h"

namespace indigo::sql {

inline bool is_dropped(const Entry& entry, size_t column) {
  if (entry.kind == EntryKind::kFunction) return entry.column_names[column].empty();
  return entry.kind == EntryKind::kTable && entry.relation != nullptr && entry.relation->columns[column].dropped;
}

}  // namespace indigo::sql
