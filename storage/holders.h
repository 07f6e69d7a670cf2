// Waiting for those who hold a table lock now, without asking for one: what works on a table concurrently (DETACH PARTITION ...
// CONCURRENTLY, REINDEX ... CONCURRENTLY) lets others go on, and waits only for transactions that may know the table as it was.
// Thread safety: as the transaction.
#pragma once

#include <cstdint>

#include "storage/lock/lock_mode.h"
#include "storage/status.h"

namespace indigo::storage {

class Store;
class Transaction;

// Until every other transaction has ended that holds a lock on `object` now which conflicts with `mode`; those that come
// meanwhile are not waited for. The wait is part of the wait-for graph and ends with the transaction's lock_timeout.
// kDeadlock, kLockTimeout, kInterrupted.
StorageStatus wait_for_holders(Store& store, Transaction& waiter, uint64_t object, TableLockMode mode);

}  // namespace indigo::storage
