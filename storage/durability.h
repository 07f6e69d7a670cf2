// What keeping data needs of a Store beyond its interface: tables with names in the log, the wait for durability, the
// clock after recovery. When `Store::commit` answers kLogFull or kLogFailed, log_of(store).failure() says more.
//
// Thread safety: as Store. What takes a Transaction is called by its session.
#pragma once

#include <memory>
#include <vector>

#include "base/ids.h"
#include "log/durable_id.h"
#include "storage/table_options.h"

namespace indigo::log {
class Log;
}

namespace indigo::storage {

class Store;
class Table;
class Transaction;

log::Log& log_of(Store& store);

// A table whose rows are kept under this name; zero: they are not. Recovery makes tables with leaves of the default size,
// so those that are kept have no larger ones: a longer key would not fit after a crash.
std::shared_ptr<Table> create_durable_table(Store& store, log::DurableId id, const TableOptions& options = {});
// Those that are kept and still exist.
struct DurableTable {
  log::DurableId id;
  std::shared_ptr<Table> table;
};
std::vector<DurableTable> durable_tables(Store& store);

// synchronous_commit = off: commit does not wait for the log. What it wrote stays in order, and follows soon.
void set_asynchronous(Transaction& txn, bool on);
// The commit is acknowledged only when the log is durable so far (what the transaction took from a sequence).
void need_durable(Transaction& txn, Lsn lsn);

// Every stamp taken so far has been decided, and is covered by snapshots from now on.
void settle(Store& store);
// After recovery, before the first transaction: stamps begin above this.
void start_clock(Store& store, CommitStamp last);

}  // namespace indigo::storage
