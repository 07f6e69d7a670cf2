// A walk over the entries of a secondary index whose rows a view sees, where keys are all that is asked for. The index has one
// entry for each row: it is neither partial nor inverted. While the table stands still
// (storage/table/stillness.h) no row is looked at.
//
// Thread safety: one session's cursor, as in table.h.
#pragma once

#include <memory>

#include "storage/table.h"

namespace indigo::storage {

// RowRef::key is the primary key and RowRef::row the entry's secondary key, in the index's order. Null: rows have to be read
// (tables that are made up of others, transactions that lock what they read).
std::unique_ptr<Cursor> scan_index_entries(Table& table, Transaction& txn, const ReadView& view, IndexId index,
                                           const KeyRange& range, Direction direction);

}  // namespace indigo::storage
