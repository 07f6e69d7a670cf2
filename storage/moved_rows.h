// Rows that a change takes from one table to another, as an UPDATE does between partitions.
#pragma once

#include "base/bytes.h"
#include "storage/status.h"

namespace indigo::storage {

class Table;
class Transaction;

// Table::erase of a row that is inserted elsewhere: who has waited for it under READ COMMITTED, which meets kConflict
// nowhere else, is told kConflict.
StorageStatus erase_moved(Table& table, Transaction& transaction, Bytes key);

}  // namespace indigo::storage
