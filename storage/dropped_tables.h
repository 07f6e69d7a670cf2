// Tables whose last user has gone while transactions that have changed their records are open: these name the table without
// counting as users, so that sessions do not fight for the cacheline of one counter at every change.
//
// Thread safety: all functions. What add() reads of WriteContext::touched is complete: a transaction notes a table while
// some user calls it, which is before the last one goes.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "storage/txn/transaction_impl.h"

namespace indigo::storage {

class DroppedTables {
 public:
  // Destroys the table, at once if none of `contexts` serves a transaction that may have changed it. True when it waits.
  bool add(std::unique_ptr<TableImpl> table, const std::vector<WriteContext*>& contexts);
  // Destroys those that no snapshot can reach. True when some are left.
  bool destroy_due();
  void destroy_all();  // no transaction is open

 private:
  struct Writer {
    WriteContext* context;
    TxnId transaction;
  };
  struct Entry {
    std::unique_ptr<TableImpl> table;
    std::vector<Writer> writers;
    bool due();
  };

  std::mutex mutex_;  // guards waiting_; tables are destroyed without it
  std::vector<Entry> waiting_;
};

}  // namespace indigo::storage
