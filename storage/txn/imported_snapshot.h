// A transaction that sees what another one sees: parallel pg_dump.
// Thread safety: the importing transaction's.
#pragma once

#include "base/ids.h"
#include "storage/transaction.h"

namespace indigo::storage {

// Makes `snapshot` that of a REPEATABLE READ transaction, which has none so far. Somebody else holds it registered during
// the call.
void import_snapshot(Transaction& txn, CommitStamp snapshot);

}  // namespace indigo::storage
