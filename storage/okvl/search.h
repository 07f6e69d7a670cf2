// A statement announces the tables whose rows it looks for in order to change or lock them: what it reads there is locked in
// mode U, so that two such statements wait for each other where they would else both read, and then both wait to write.
// Without effect where nothing that is read is locked. Ends with the statement.
//
// Thread safety: the transaction's session.
#pragma once

#include "storage/table.h"
#include "storage/transaction.h"

namespace indigo::storage {

void search_to_change(Transaction& txn, const Table& table);

}  // namespace indigo::storage
