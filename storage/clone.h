// Clones of tables in constant time: the clone shares leaves, inner nodes and index nodes with its source; whichever
// changes one of them copies it first.
//
// All clones that one call makes show the same moment: everything that was committed by then, and nothing else; neither
// pending changes nor row locks of transactions that are open. Source and clone are tables like all others from then on,
// both may be written, cloned and dropped in any order. Transactions of all databases continue meanwhile; what they wait is
// the time of `make`, and of the operations on leaves that were under way.
//
// Snapshots from before the call must not be used on a clone: it has no older versions, and they may miss rows.
//
// Clones that are kept are noted in the log while commits stand still: what lies before the note is in them, what lies behind it is
// not. So replay makes them again, in constant time, too.
// Source: docs/theory.md, Clones. README.md says why this is enough.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/ids.h"
#include "log/log.h"
#include "storage/store.h"

namespace indigo::storage {

class Cloner {
 public:
  // With all secondary indexes, which get these ids in the clone. `id`: the clone's name in the log, if the source is kept.
  std::shared_ptr<Table> clone(Table& source, log::DurableId id, const std::function<IndexId(IndexId)>& new_id);

 private:
  friend StorageStatus clone_tables(Store& store, const std::function<void(Cloner&)>& make);
  explicit Cloner(Store& store);
  Store& store_;
  const uint64_t source_generation_, generation_;
  std::string operations_;  // for the log
};

// Calls `make` while there are no commits and no changes of leaves. It must not wait, begin transactions or use tables but to clone
// them. It is called again, to replace what it has made, when tables were created faster than the log had room for their names.
// kInterrupted when the session was told to stop while it waited for long commits; kLogFull and kLogFailed as from a commit.
StorageStatus clone_tables(Store& store, const std::function<void(Cloner&)>& make);

}  // namespace indigo::storage
