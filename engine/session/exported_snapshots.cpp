#include "engine/session/exported_snapshots.h"

#include <fmt/format.h>

#include "base/sqlstate.h"
#include "storage/txn/imported_snapshot.h"

namespace indigo::engine {

std::shared_ptr<ExportedSnapshots::Export> ExportedSnapshots::add(int32_t pid, Oid database,
                                                                  storage::Transaction& txn) {
  const storage::ReadView view = txn.view();
  Entry entry{view.stamp, database, txn.pin(view)};
  const std::lock_guard lock(mutex_);
  std::string id = fmt::format("{:08X}-{:08X}-{}", pid, static_cast<uint32_t>(txn.id().value), ++count_);
  entries_.emplace(id, std::move(entry));
  return std::make_shared<Export>(*this, std::move(id));
}

Status ExportedSnapshots::import(std::string_view id, Oid database, storage::Transaction& txn) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) {
    return Error(sqlstate::kInvalidParameterValue, "invalid snapshot identifier: \"" + std::string(id) + "\"");
  }
  if (found->second.database != database) {
    return Error(sqlstate::kFeatureNotSupported, "cannot import a snapshot from a different database");
  }
  storage::import_snapshot(txn, found->second.snapshot);
  return {};
}

void ExportedSnapshots::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  entries_.erase(id);
}

}  // namespace indigo::engine
