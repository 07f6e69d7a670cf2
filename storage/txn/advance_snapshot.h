// A SERIALIZABLE transaction goes on with a newer snapshot, when what it has read is still as it was (docs/theory.md, R8).
//
// It is then what it would be if it had begun now and read the same. So it meets fewer changes that came after it, and fails
// less often: an update of a row that was changed since the transaction's first statement need not fail, if nothing that it has
// read was.
// Thread safety: the transaction's session.
#pragma once

#include "storage/transaction.h"

namespace indigo::storage {

// Between two statements, when nothing of the transaction reads on with a view of before but what has pinned it: then, as for other
// isolation levels, without a snapshot, or where much was read, this does nothing. The first call in a store waits for commits
// that are under way.
void advance_snapshot(Transaction& txn);

// (R9) From here on the statement may begin again: what it has been told before, its parameters too, stays read.
void mark_statement(Transaction& txn);
// It has failed because others have changed what it wanted to change since the snapshot; it has changed nothing since the mark,
// and nobody has been told anything of it. True: it is as if it stood at the mark, and the snapshot has moved on to what those
// have made; so it may be tried again. False: it has failed. Its cursors are closed.
bool begin_statement_again(Transaction& txn);

}  // namespace indigo::storage
