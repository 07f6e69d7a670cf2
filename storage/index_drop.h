// An index between DROP INDEX and the end of its transaction.
// Thread safety: the caller holds the table lock that excludes writers, whose readers of the flag come behind it.
#pragma once

#include "base/ids.h"

namespace indigo::storage {

class Table;

// While it leaves, an index keeps up with its table, so that a rollback to before the drop finds it whole, and refuses nothing: a
// key that is there twice, or that cannot be computed, is the transaction's own, which ends with the index or with that row.
void set_index_leaving(Table& table, IndexId id, bool leaving);

}  // namespace indigo::storage
