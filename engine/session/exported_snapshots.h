// Snapshots that transactions have made known: pg_export_snapshot() and SET TRANSACTION SNAPSHOT. One for each instance.
//
// Invariant: an exported snapshot stays registered (pinned) while it is listed, and is listed until its transaction ends.
// Thread safety: all functions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/ids.h"
#include "storage/transaction.h"

namespace indigo::engine {

class ExportedSnapshots {
 public:
  // Takes the snapshot from the list when its transaction lets go of it.
  class Export {
   public:
    Export(ExportedSnapshots& list, std::string id) : list_(list), id_(std::move(id)) {}
    ~Export() { list_.remove(id_); }
    Export(const Export&) = delete;
    Export& operator=(const Export&) = delete;
    const std::string& id() const { return id_; }

   private:
    ExportedSnapshots& list_;
    const std::string id_;
  };

  std::shared_ptr<Export> add(int32_t pid, Oid database, storage::Transaction& txn);
  // 22023 when there is none of that name, 0A000 when it is another database's.
  Status import(std::string_view id, Oid database, storage::Transaction& txn);

 private:
  struct Entry {
    CommitStamp snapshot;
    Oid database = kInvalidOid;
    std::unique_ptr<storage::Transaction::PinnedView> pinned;
  };
  void remove(const std::string& id);

  std::mutex mutex_;  // guards what follows
  std::map<std::string, Entry, std::less<>> entries_;
  uint32_t count_ = 0;
};

}  // namespace indigo::engine
