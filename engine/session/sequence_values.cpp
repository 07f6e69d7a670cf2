#include "engine/session/sequence_values.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/tables/sequence_table.h"
#include "engine/exec/execution.h"
#include "engine/session/required_privileges.h"
#include "engine/session/transaction_block.h"
#include "storage/durability.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"
#include "storage/table.h"
#include "storage/transaction.h"
#include "types/value/acl.h"

namespace indigo::engine {

Result<SequenceValues::Found> SequenceValues::find(Oid oid) {
  const auto relation = catalog_.relation(oid);
  if (!relation)
    return Error(sqlstate::kUndefinedTable, "relation with OID " + std::to_string(oid) + " does not exist");
  if (relation->kind != catalog::RelationKind::kSequence) {
    return Error(sqlstate::kWrongObjectType, "\"" + relation->name + "\" is not a sequence");
  }
  auto* table = dynamic_cast<catalog::SequenceTable*>(relation->table.get());
  if (table == nullptr) {
    return Error(sqlstate::kInternalError, "sequence \"" + relation->name + "\" has no counter");
  }
  return Found{relation->name, table->sequence(), table->options()};
}

Result<SequenceValues::Found> SequenceValues::find(Oid oid, uint32_t any_of) {
  INDIGO_ASSIGN(Found found, find(oid));
  INDIGO_TRY(check_sequence_privilege(catalog_, oid, found.name, any_of));
  return found;
}

Status SequenceValues::check_writable(Oid sequence, const char* function) {
  if (!block_.read_only()) return {};
  const auto relation = catalog_.relation(sequence);
  if (relation != nullptr && relation->persistence == 't') return {};
  return Error(sqlstate::kReadOnlySqlTransaction,
               std::string("cannot execute ") + function + "() in a read-only transaction");
}

Status SequenceValues::lock(Oid oid) {
  storage::Transaction* txn = block_.transaction();
  if (txn == nullptr) return {};
  const uint64_t id = txn->id().value;
  if (locked_in_ != id) {
    locked_in_ = id;
    locked_.clear();
  }
  if (std::find(locked_.begin(), locked_.end(), oid) != locked_.end()) return {};
  const auto status = store_.locks().lock_table(store_.lock_owner(*txn), catalog::lock_object(catalog_.database(), oid),
                                                storage::TableLockMode::kRowExclusive, true, txn->lock_timeout());
  if (status != storage::StorageStatus::kOk) return storage_error(status, nullptr);
  locked_.push_back(oid);
  return {};
}

Result<int64_t> SequenceValues::nextval(Oid oid) {
  INDIGO_TRY(lock(oid));
  INDIGO_ASSIGN(const Found found, find(oid, types::kPrivilegeUsage | types::kPrivilegeUpdate));
  return next(oid, found);
}

Result<int64_t> SequenceValues::next_identity(Oid oid) {
  INDIGO_TRY(lock(oid));
  INDIGO_ASSIGN(const Found found, find(oid));
  return next(oid, found);
}

Result<int64_t> SequenceValues::next(Oid oid, const Found& found) {
  INDIGO_TRY(check_writable(oid, "nextval"));
  Lsn needed;
  INDIGO_ASSIGN(const int64_t value, found.sequence->next(found.options, found.name, needed));
  if (block_.transaction() != nullptr) storage::need_durable(*block_.transaction(), needed);
  values_[oid] = value;
  last_ = oid;
  return value;
}

Result<int64_t> SequenceValues::currval(Oid oid) {
  INDIGO_ASSIGN(const Found found, find(oid, types::kPrivilegeUsage | types::kPrivilegeSelect));
  const auto at = values_.find(oid);
  if (at == values_.end()) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "currval of sequence \"" + found.name + "\" is not yet defined in this session");
  }
  return at->second;
}

Result<int64_t> SequenceValues::lastval() {
  const auto relation = last_ == kInvalidOid ? nullptr : catalog_.relation(last_);
  if (relation == nullptr) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "lastval is not yet defined in this session");
  }
  INDIGO_TRY(
      check_sequence_privilege(catalog_, last_, relation->name, types::kPrivilegeUsage | types::kPrivilegeSelect));
  return values_[last_];
}

Status SequenceValues::setval(Oid oid, int64_t value, bool is_called) {
  INDIGO_ASSIGN(const Found found, find(oid, types::kPrivilegeUpdate));
  INDIGO_TRY(check_writable(oid, "setval"));
  Lsn needed;
  INDIGO_TRY(found.sequence->set(value, is_called, found.options, found.name, needed));
  if (block_.transaction() != nullptr) storage::need_durable(*block_.transaction(), needed);
  if (is_called) values_[oid] = value;
  return {};
}

void SequenceValues::forget() {
  values_.clear();
  last_ = kInvalidOid;
}

}  // namespace indigo::engine
