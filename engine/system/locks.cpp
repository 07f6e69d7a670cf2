// pg_locks.
#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/system/families.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"

namespace indigo::engine {

namespace {

std::string mode_name(const storage::LockInfo& lock) {
  static constexpr const char* kTable[] = {
      "",          "AccessShareLock",       "RowShareLock",  "RowExclusiveLock",   "ShareUpdateExclusiveLock",
      "ShareLock", "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock"};
  static constexpr const char* kRow[] = {"RowShareLock", "ShareLock", "RowExclusiveLock", "ExclusiveLock"};
  switch (lock.name.space) {
    case storage::LockName::Space::kTable:
    case storage::LockName::Space::kObject: return lock.mode < std::size(kTable) ? kTable[lock.mode] : "ExclusiveLock";
    case storage::LockName::Space::kRow: return lock.mode < std::size(kRow) ? kRow[lock.mode] : "ExclusiveLock";
    case storage::LockName::Space::kAdvisory: return lock.advisory_shared ? "ShareLock" : "ExclusiveLock";
    case storage::LockName::Space::kTransaction: return "ShareLock";
    case storage::LockName::Space::kRecordQueue: return "ExclusiveLock";
    case storage::LockName::Space::kKeyValue:
      if (lock.components == "X") return "ExclusiveLock";
      return lock.components == "S" ? "ShareLock" : lock.components;
  }
  return "ExclusiveLock";
}

// A row of pg_locks; what is not set is null.
struct LockRow {
  const char* type = "tuple";
  Datum database = Datum::make_null(Phys::kI32), relation = database, class_id = database, object_id = database;
  Datum sub_id = Datum::make_null(Phys::kI16);
  Datum transaction_id = database;
  Datum virtual_id = null_text();
};

// The system table of an object of the session's own database.
Oid class_of(SessionParts& session, Oid object) {
  auto& catalog = session.session_catalog();
  if (catalog.type(object) != nullptr) return Oid{catalog::pg_type::kOid};
  if (catalog.function(object) != nullptr) return Oid{catalog::pg_proc::kOid};
  return catalog.schema_name(object).empty() ? kInvalidOid : Oid{catalog::pg_namespace::kOid};
}

Datum transaction_number(uint64_t id) { return Datum::of(static_cast<int32_t>(static_cast<uint32_t>(id))); }

// Objects and relations share a space of locks (engine/ddl/hold.h).
void describe_object(SessionParts& session, uint64_t name, LockRow& row) {
  const Oid database = static_cast<Oid>(name >> 32), object = static_cast<Oid>(name);
  row.database = Datum::of_oid(database);
  const Oid class_id =
      database == session.session_catalog().database() && session.session_catalog().relation(object) == nullptr
          ? class_of(session, object)
          : kInvalidOid;
  row.type = class_id == kInvalidOid ? "relation" : "object";
  if (class_id == kInvalidOid) {
    row.relation = Datum::of_oid(object);
    return;
  }
  row.class_id = Datum::of_oid(class_id);
  row.object_id = Datum::of_oid(object);
  row.sub_id = Datum::of(int16_t{0});
}

LockRow described(SessionParts& session, const storage::LockInfo& lock) {
  LockRow row;
  switch (lock.name.space) {
    case storage::LockName::Space::kTable:
    case storage::LockName::Space::kObject: describe_object(session, lock.name.object, row); break;
    case storage::LockName::Space::kTransaction:
      row.type = "transactionid";
      row.transaction_id = transaction_number(lock.name.object);
      break;
    case storage::LockName::Space::kAdvisory: {
      if (lock.name.key.size() != 9) break;
      row.type = "advisory";
      row.database = Datum::of_oid(static_cast<Oid>(lock.name.object));
      const auto half = [&](size_t at) {
        return Datum::of(static_cast<int32_t>(big_endian(load_unaligned<uint32_t>(lock.name.key.data() + at))));
      };
      row.class_id = half(1);
      row.object_id = half(5);
      row.sub_id = Datum::of(static_cast<int16_t>(lock.name.key[0]));
      break;
    }
    default: break;
  }
  return row;
}

void show(const LockRow& row, uint64_t session, const std::string& transaction, const std::string& mode, bool granted,
          const SystemRowSink& sink) {
  const Datum values[] = {text_datum(row.type),
                          row.database,
                          row.relation,
                          Datum::make_null(Phys::kI32),
                          Datum::make_null(Phys::kI16),
                          row.virtual_id,
                          row.transaction_id,
                          row.class_id,
                          row.object_id,
                          row.sub_id,
                          text_datum(transaction),
                          session == 0 ? Datum::make_null(Phys::kI32) : Datum::of(static_cast<int32_t>(session)),
                          text_datum(mode),
                          Datum::of(granted),
                          Datum::of(false),
                          Datum::make_null(Phys::kI64)};
  sink(values);
}

std::string virtual_transaction(uint64_t session, uint64_t transaction) {
  return std::to_string(session) + "/" + std::to_string(transaction);
}

// A transaction holds itself: its virtual number always, its own once it changes something, which its locks tell.
struct Running {
  uint64_t session, transaction;
  bool changes;
};

bool is_change(const storage::LockInfo& lock) {
  using Space = storage::LockName::Space;
  if (lock.name.space != Space::kTable && lock.name.space != Space::kObject) return lock.name.space == Space::kRow;
  return lock.mode >= static_cast<storage::LockModeCode>(storage::TableLockMode::kRowExclusive);
}

Status lock_status(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  INDIGO_TRY(session.begin_statement());
  const auto& own = session.transaction();
  std::vector<Running> running = {{static_cast<uint64_t>(session.pid()), own.id().value, session.block().has_number()}};
  Waiter& waiter = Waiter::current();
  for (const auto& lock : session.store().locks().snapshot()) {
    waiter.yield_if_due();  // there may be millions
    if (const InterruptReason reason = waiter.interrupted(); reason != InterruptReason::kNone)
      return interrupt_error(reason);
    show(described(session, lock), lock.session, virtual_transaction(lock.session, lock.holder.value), mode_name(lock),
         lock.granted, sink);
    if (lock.holder.value == 0) continue;
    const auto same = [&](const Running& r) { return r.session == lock.session && r.transaction == lock.holder.value; };
    auto at = std::find_if(running.begin(), running.end(), same);
    if (at == running.end()) at = running.insert(at, {lock.session, lock.holder.value, false});
    at->changes = at->changes || is_change(lock);
  }
  for (const Running& r : running) {
    const std::string name = virtual_transaction(r.session, r.transaction);
    LockRow itself;
    itself.type = "virtualxid";
    itself.virtual_id = text_datum(name);
    show(itself, r.session, name, "ExclusiveLock", true, sink);
    if (!r.changes) continue;
    LockRow number;
    number.type = "transactionid";
    number.transaction_id = transaction_number(r.transaction);
    show(number, r.session, name, "ExclusiveLock", true, sink);
  }
  return {};
}

constexpr SystemRows kLocksRows[] = {{"pg_lock_status", lock_status}};

}  // namespace

std::span<const SystemRows> lock_rows() { return kLocksRows; }

}  // namespace indigo::engine
