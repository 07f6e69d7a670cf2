// What is told of a row that has gone to another partition while one waited for it.
#pragma once

#include "base/sqlstate.h"
#include "engine/exec/errors.h"
#include "storage/moved_rows.h"
#include "storage/transaction.h"

namespace indigo::engine::exec {

inline bool moved_away(const storage::Transaction& txn, storage::StorageStatus status) {
  return status == storage::StorageStatus::kConflict && txn.isolation() == storage::Isolation::kReadCommitted;
}

// change_error of a claim or lock.
inline Error claim_error(const storage::Transaction& txn, storage::StorageStatus status,
                         const catalog::RelationInfo& relation) {
  if (!moved_away(txn, status)) return change_error(status, relation);
  return Error(sqlstate::kSerializationFailure,
               "tuple to be locked was already moved to another partition due to concurrent update");
}

}  // namespace indigo::engine::exec
