#include "engine/exec/errors.h"

#include "base/sqlstate.h"
#include "engine/exec/execution.h"
#include "log/file_error.h"

namespace indigo::engine {

Error lock_not_available(const catalog::RelationInfo& relation) {
  Error error(sqlstate::kLockNotAvailable, "could not obtain lock on row in relation \"" + relation.name + "\"");
  return error;
}

Error change_error(storage::StorageStatus status, const catalog::RelationInfo& relation) {
  Error error = storage_error(status, &relation);
  if (status == storage::StorageStatus::kSerialization)
    error.detail = "Reason code: Canceled on identification as a pivot, during write.";
  return error;
}

Error between_statements_error(storage::StorageStatus status, bool changes) {
  Error error = storage_error(status, nullptr);
  error.detail = changes ? "Reason code: Canceled on identification as a pivot, during write."
                         : "Reason code: Canceled on identification as a pivot, during conflict out checking.";
  return error;
}

Error storage_error(storage::StorageStatus status, const catalog::RelationInfo* relation) {
  using storage::StorageStatus;
  switch (status) {
    case StorageStatus::kConflict:
      return Error(sqlstate::kSerializationFailure, "could not serialize access due to concurrent update");
    case StorageStatus::kConflictDelete:
      return Error(sqlstate::kSerializationFailure, "could not serialize access due to concurrent delete");
    case StorageStatus::kSerialization:
      return Error(sqlstate::kSerializationFailure,
                   "could not serialize access due to read/write dependencies among transactions")
          .with_detail(relation == nullptr
                           ? "Reason code: Canceled on identification as a pivot, during commit attempt."
                           : "Reason code: Canceled on identification as a pivot, during conflict out checking.")
          .with_hint("The transaction might succeed if retried.");
    case StorageStatus::kDeadlock:
      return Error(sqlstate::kDeadlockDetected, "deadlock detected").with_hint("See server log for query details.");
    case StorageStatus::kLockTimeout:
      return Error(sqlstate::kLockNotAvailable, "canceling statement due to lock timeout");
    case StorageStatus::kWouldBlock:
      if (relation != nullptr) return lock_not_available(*relation);
      return Error(sqlstate::kLockNotAvailable, "could not obtain lock");
    case StorageStatus::kInterrupted: return interrupt_error(Waiter::current().interrupted());
    case StorageStatus::kOutOfMemory:
      return Error(sqlstate::kOutOfMemory, "out of memory")
          .with_detail("The server's memory limit has been reached.")
          .with_hint(
              "Delete or truncate what is not needed, end transactions that are idle, or increase \"memory_limit\". "
              "The "
              "view indigo_stat_database_memory shows what takes the memory.");
    case StorageStatus::kLogFull:
      return Error(sqlstate::kDiskFull, "could not extend the log: no space left on device")
          .with_hint("Check free disk space.");
    case StorageStatus::kLogFailed: return Error(sqlstate::kIoError, "the log cannot be written any more");
    case StorageStatus::kTooLarge:
      return Error(sqlstate::kProgramLimitExceeded,
                   "row or key is too large" +
                       (relation != nullptr ? " for relation \"" + relation->name + "\"" : std::string()));
    case StorageStatus::kDuplicateKey:
      return Error(sqlstate::kUniqueViolation, "duplicate key value violates unique constraint");
    case StorageStatus::kKeyError: return Error(sqlstate::kInternalError, "computing an index key failed");
    case StorageStatus::kOk:
    case StorageStatus::kNotFound: break;
  }
  return Error(sqlstate::kInternalError, "unexpected answer of storage: " + std::to_string(static_cast<int>(status)));
}

}  // namespace indigo::engine
