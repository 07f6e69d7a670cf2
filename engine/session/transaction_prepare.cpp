// PREPARE TRANSACTION, as far as it is the session's: what may be prepared, and how a transaction leaves its session.
#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "engine/exec/errors.h"
#include "engine/exec/execution.h"
#include "engine/session/transaction_block.h"
#include "log/log.h"
#include "storage/durability.h"
#include "storage/prepared.h"

namespace indigo::engine {

namespace {

Status check_name(const std::string& name, size_t most) {
  constexpr size_t kNameMost = 200;  // with its end
  if (name.size() >= kNameMost) {
    return Error(sqlstate::kInvalidParameterValue, "transaction identifier \"" + name + "\" is too long");
  }
  if (most > 0) return {};
  return Error(sqlstate::kObjectNotInPrerequisiteState, "prepared transactions are disabled")
      .with_hint("Set max_prepared_transactions to a nonzero value.");
}

Status reserved(storage::StorageStatus status, const std::string& name, size_t most) {
  if (status == storage::StorageStatus::kOk) return {};
  if (status == storage::StorageStatus::kDuplicateKey) {
    return Error(sqlstate::kDuplicateObject, "transaction identifier \"" + name + "\" is already in use");
  }
  return Error(sqlstate::kOutOfMemory, "maximum number of prepared transactions reached")
      .with_hint("Increase max_prepared_transactions (currently " + std::to_string(most) + ").");
}

}  // namespace

std::unique_ptr<storage::Transaction> TransactionBlock::leave() {
  const MustNotFail scope;
  if (before_end) before_end(0, End::kCommit);
  large_objects_.clear();
  kept_.clear();
  catalog_.let_go();
  return std::move(transaction_);
}

Status TransactionBlock::prepare(const storage::PreparedName& name, size_t most, int64_t now) {
  storage::PreparedTransactions& prepared = storage::prepared_transactions(store_);
  Status status = ensure(now);
  if (status.ok() && before_prepare) status = before_prepare();
  if (status.ok()) status = check_name(name.name, most);
  if (status.ok()) status = reserved(prepared.reserve(name, most), name.name, most);
  if (!status.ok()) {
    rollback();
    return status;
  }
  if (notifications_.used()) {
    prepared.forget(name.name);
    rollback();
    return Error(sqlstate::kFeatureNotSupported,
                 "cannot PREPARE a transaction that has executed LISTEN, UNLISTEN, or NOTIFY");
  }
  status = changes_.prepare(name.name, *transaction_, !catalog_.sees_what_all_see(), name.prepared_at);
  if (!status.ok()) {
    prepared.forget(name.name);
    rollback();
    return status;
  }
  const storage::StorageStatus done = prepared.prepare(name.name, leave());
  if (done != storage::StorageStatus::kOk) changes_.prepare_failed(name.name, name.prepared_at);
  end_in_session(done == storage::StorageStatus::kOk);
  if (done == storage::StorageStatus::kOk) return {};
  if (done == storage::StorageStatus::kTooLarge) {
    return Error(sqlstate::kProgramLimitExceeded, "two-phase state file maximum length exceeded");
  }
  if (done == storage::StorageStatus::kLogFull || done == storage::StorageStatus::kLogFailed) {
    INDIGO_TRY(storage::log_of(store_).failure());
  }
  return storage_error(done, nullptr);
}

}  // namespace indigo::engine
