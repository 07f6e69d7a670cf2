// Which serializable method a transaction has: locks on what is read, or Index-SSN (storage/ssn).
//
// Transactions of both kinds may be open side by side, but not in the same tables: neither sees what the other has read. So who
// decides it (engine: the database) keeps to one kind for a table while any transaction is open that knows it.
#pragma once

#include "storage/transaction.h"

namespace indigo::storage {

// Of a transaction that has just begun, in place of what StoreOptions::locking says: it locks what it writes, and at
// SERIALIZABLE what it reads. The first one of a store waits, for as long as a guard lives (EpochManager), until everyone knows
// that there may be such locks.
void set_locking(Transaction& txn, bool locking);

}  // namespace indigo::storage
