// Rows as recovery brings them back: committed before everything, without versions, indexes or transactions.
// Thread safety: several threads may restore different keys of one table; the table is not in use yet.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "log/log.h"
#include "storage/status.h"
#include "storage/store.h"
#include "storage/table.h"

namespace indigo::storage {

// Puts the row in the place of whatever the key had.
StorageStatus restore_row(Table& table, Bytes key, Bytes row);
void restore_erase(Table& table, Bytes key);
// A table with the rows that `source` has now; both may be changed. Nothing may be restored into it at the same time.
std::shared_ptr<Table> restore_clone(Store& store, Table& source, log::DurableId id);
// After the last one: hidden row ids continue above those in use.
void restore_end(Table& table);

}  // namespace indigo::storage
