#include "engine/utility/prepared_transaction.h"

#include <cstdlib>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/exec/errors.h"
#include "engine/exec/execution.h"
#include "engine/instance_impl.h"
#include "engine/remote/remote_connections.h"
#include "engine/row_sink.h"
#include "engine/session/clock.h"
#include "engine/session/current_message.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_runner.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/settings.h"
#include "log/log.h"
#include "storage/durability.h"
#include "storage/prepared.h"
#include "storage/running_transactions.h"
#include "storage/store.h"

namespace indigo::engine {

namespace {

size_t prepared_most(SessionParts& session) {
  static const uint32_t index = *find_setting("max_prepared_transactions");
  return std::strtoull(session.instance().defaults()[index].c_str(), nullptr, 10);
}

bool has_used_temporary(SessionParts& session) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  if (catalog.has_changed_temporary()) return true;
  for (const uint64_t object : storage::locked_objects(session.transaction())) {
    if (object >> 32 != catalog.database() || static_cast<Oid>(object) < oid::kFirstUserOid) continue;
    const auto relation = catalog.relation(static_cast<Oid>(object));
    if (relation != nullptr && relation->persistence == 't') return true;
  }
  return false;
}

// Whether the user may end it from here. What is answered with an error is released.
Status begin_end(SessionParts& session, const std::string& name, storage::PreparedName& found) {
  storage::PreparedTransactions& prepared = storage::prepared_transactions(session.store());
  switch (prepared.begin_end(name, found)) {
    case storage::StorageStatus::kOk: break;
    case storage::StorageStatus::kWouldBlock:
      return Error(sqlstate::kObjectNotInPrerequisiteState,
                   "prepared transaction with identifier \"" + name + "\" is busy");
    default:
      return Error(sqlstate::kUndefinedObject, "prepared transaction with identifier \"" + name + "\" does not exist");
  }
  if (session.user() != found.owner && !session.is_superuser()) {
    prepared.release(name);
    return Error(sqlstate::kInsufficientPrivilege, "permission denied to finish prepared transaction")
        .with_hint("Must be superuser or the user that prepared the transaction.");
  }
  if (found.database != session.session_catalog().database()) {
    prepared.release(name);
    return Error(sqlstate::kFeatureNotSupported, "prepared transaction belongs to another database")
        .with_hint("Connect to the database where the transaction was prepared to finish it.");
  }
  return {};
}

Status ended(SessionParts& session, storage::StorageStatus status) {
  if (status == storage::StorageStatus::kOk) return {};
  INDIGO_TRY(storage::log_of(session.store()).failure());  // names the file
  return storage_error(status, nullptr);
}

}  // namespace

Status before_prepare(SessionParts& session) {
  INDIGO_TRY(session.runner().finish_transaction(true));
  if (session.remote().any_open()) {
    return Error(sqlstate::kFeatureNotSupported,
                 "cannot PREPARE a transaction that has operated on postgres_fdw foreign tables");
  }
  if (has_used_temporary(session)) {
    return Error(sqlstate::kFeatureNotSupported, "cannot PREPARE a transaction that has operated on temporary objects");
  }
  TransactionBlock& block = session.block();
  if (block.keeps_anything()) {
    return Error(sqlstate::kFeatureNotSupported, "cannot PREPARE a transaction that has exported snapshots");
  }
  if (storage::shares_advisory_lock(session.transaction(), session.session_locks())) {
    return Error(sqlstate::kFeatureNotSupported,
                 "cannot PREPARE while holding both session-level and transaction-level locks on the same object");
  }
  if (block.has_number()) {
    session.store().on_end(
        session.transaction(),
        [&outcomes = session.instance().transaction_outcomes(), &store = session.store(),
         id = session.transaction().id()] { outcomes.ended(id, true, storage::newest_stamp(store)); },
        [&outcomes = session.instance().transaction_outcomes(), &store = session.store(),
         id = session.transaction().id()] { outcomes.ended(id, false, storage::newest_stamp(store)); });
  }
  return {};
}

Status check_nothing_prepared(SessionParts& session) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  const size_t prepared = storage::prepared_transactions(session.store()).count(catalog.database());
  if (prepared == 0) return {};
  return Error(sqlstate::kObjectInUse,
               "database \"" + catalog.database_object().name() + "\" is being used by prepared transactions")
      .with_detail(
          "There " +
          (prepared == 1 ? "is 1 prepared transaction" : "are " + std::to_string(prepared) + " prepared transactions") +
          " using the database.");
}

Status prepare_transaction(UtilityCall& call, const char* name) {
  SessionParts& session = call.session;
  const int64_t now = session.message().timestamp();
  return session.block().prepare({name, now, session.user(), session.session_catalog().database()},
                                 prepared_most(session), now);
}

Status commit_prepared(UtilityCall& call, const char* name) {
  SessionParts& session = call.session;
  storage::PreparedName found;
  INDIGO_TRY(begin_end(session, name, found));
  storage::PreparedTransactions& prepared = storage::prepared_transactions(session.store());
  replication::ChangeStream& stream = session.instance().change_stream();
  replication::Turn turn(stream);
  const replication::ChangeStream::PreparedKey key(name, found.prepared_at);
  const bool told = stream.tells_prepared(key);
  if (told) {
    if (Status status = turn.take(); !status.ok()) {
      prepared.release(name);
      return status;
    }
  }
  const storage::StorageStatus status = prepared.commit(name);
  if (told && status == storage::StorageStatus::kOk) stream.publish_prepared(key, timestamp_now());
  return ended(session, status);
}

Status roll_back_prepared(UtilityCall& call, const char* name) {
  storage::PreparedName found;
  INDIGO_TRY(begin_end(call.session, name, found));
  storage::PreparedTransactions& prepared = storage::prepared_transactions(call.session.store());
  replication::ChangeStream& stream = call.session.instance().change_stream();
  replication::Turn turn(stream);
  const replication::ChangeStream::PreparedKey key(name, found.prepared_at);
  if (stream.told_at_prepare(key)) {
    if (Status status = turn.take(); !status.ok()) {
      prepared.release(name);
      return status;
    }
  }
  const storage::StorageStatus status = prepared.roll_back(name);
  if (status == storage::StorageStatus::kOk) stream.publish_rollback(key, timestamp_now());
  return ended(call.session, status);
}

}  // namespace indigo::engine
