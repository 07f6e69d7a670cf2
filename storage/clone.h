// Clones of tables in constant time: the clone shares leaves, inner nodes and index nodes with its source, and whoever
// changes one of them copies it first.
//
// All clones that one call makes show the same moment: everything that was committed by then, and nothing else; neither
// pending changes nor row locks of transactions that are open. Source and clone are tables like all others from then on,
// both may be written, cloned and dropped in any order. Transactions of all databases go on meanwhile; what they wait is
// the time of `make`, and of the operations on leaves that were under way.
//
// Snapshots from before the call must not be used on a clone: it has no older versions, and they may miss rows.
// Source: design/storage.md "Cloning". README.md says why this is enough.
#pragma once

#include <functional>
#include <memory>

#include "base/ids.h"
#include "log/log.h"
#include "storage/store.h"

namespace indigo::storage {

class Cloner {
 public:
  // With all secondary indexes, which get these ids in the clone. `id`: the clone's name in the log, if the source is kept;
  // its rows are logged by log_clone, not here.
  std::shared_ptr<Table> clone(Table& source, log::DurableId id, const std::function<IndexId(IndexId)>& new_id);

 private:
  friend StorageStatus clone_tables(Store& store, const std::function<void(Cloner&)>& make);
  explicit Cloner(Store& store);
  Store& store_;
  const uint64_t source_generation_, generation_;
};

// Calls `make` once, while nobody commits or changes a leaf. It must not wait, begin transactions or use tables but to clone
// them. kInterrupted when the session was told to stop while it waited for long commits.
StorageStatus clone_tables(Store& store, const std::function<void(Cloner&)>& make);

// Appends the rows of a new clone that is kept to what the transaction writes into the log.
// kLogFull and kLogFailed as from a commit; kInterrupted.
StorageStatus log_clone(Transaction& txn, Table& clone);

}  // namespace indigo::storage
