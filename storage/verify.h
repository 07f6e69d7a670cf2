// Whether a table's rows and an index fit together, asked through what everybody uses, scans and look-ups, beside writers.
// Thread safety: one session's transaction, as in table.h.
#pragma once

#include <string>

#include "storage/table.h"

namespace indigo::storage {

struct Flaw {
  enum class Kind : uint8_t {
    kNone,
    kOrder,    // a scan's entries do not ascend
    kMissing,  // a row has no entry
    kNoKey,    // a row's key cannot be computed
    kNotRead,  // the rows could not be read: `status`
  } kind = Kind::kNone;
  StorageStatus status = StorageStatus::kOk;
  std::string key, row;  // of the row that shows it
};

// The keys of all rows that the view sees ascend.
Flaw verify_rows(Table& table, Transaction& txn, const ReadView& view);
// The entries of a secondary index ascend. Nothing is looked at in tables that are made up of others.
Flaw verify_order(Table& table, IndexId index);
// Each row that the view sees has the entries that the index's extractor gives for it; not of inverted indexes.
Flaw verify_entries(Table& table, Transaction& txn, const ReadView& view, IndexId index);

}  // namespace indigo::storage
