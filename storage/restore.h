// Rows as recovery brings them back: committed before everything, without versions, indexes or transactions.
// Thread safety: several threads may restore different keys of one table; nobody else uses it yet.
#pragma once

#include "base/bytes.h"
#include "storage/status.h"
#include "storage/table.h"

namespace indigo::storage {

// Puts the row in the place of whatever the key had.
StorageStatus restore_row(Table& table, Bytes key, Bytes row);
void restore_erase(Table& table, Bytes key);
// After the last one: hidden row ids go on above those in use.
void restore_end(Table& table);

}  // namespace indigo::storage
