// pg_locks.
#include "base/bytes.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"
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
    case storage::LockName::Space::kTransaction:
    case storage::LockName::Space::kRecordQueue: return "ExclusiveLock";
    case storage::LockName::Space::kKeyValue:
      if (lock.components == "X") return "ExclusiveLock";
      return lock.components == "S" ? "ShareLock" : lock.components;
  }
  return "ExclusiveLock";
}

Status lock_status(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  const Datum no_int = Datum::make_null(Phys::kI32), no_short = Datum::make_null(Phys::kI16);
  for (const auto& lock : session.store().locks().snapshot()) {
    std::string mode = mode_name(lock);
    std::string transaction = std::to_string(lock.session) + "/" + std::to_string(lock.holder.value);
    Datum database = no_int, relation = no_int, class_id = no_int, object_id = no_int, sub_id = no_short;
    const char* type = "tuple";
    if (lock.name.space == storage::LockName::Space::kTable || lock.name.space == storage::LockName::Space::kObject) {
      type = "relation";
      database = Datum::of_oid(static_cast<Oid>(lock.name.object >> 32));
      relation = Datum::of_oid(static_cast<Oid>(lock.name.object));
    } else if (lock.name.space == storage::LockName::Space::kAdvisory && lock.name.key.size() == 9) {
      type = "advisory";
      database = Datum::of_oid(static_cast<Oid>(lock.name.object));
      class_id = Datum::of(static_cast<int32_t>(big_endian(load_unaligned<uint32_t>(lock.name.key.data() + 1))));
      object_id = Datum::of(static_cast<int32_t>(big_endian(load_unaligned<uint32_t>(lock.name.key.data() + 5))));
      sub_id = Datum::of(static_cast<int16_t>(lock.name.key[0]));
    }
    const Datum row[] = {text_datum(type),
                         database,
                         relation,
                         no_int,
                         no_short,
                         null_text(),
                         no_int,
                         class_id,
                         object_id,
                         sub_id,
                         text_datum(transaction),
                         Datum::of(static_cast<int32_t>(lock.session)),
                         text_datum(mode),
                         Datum::of(lock.granted),
                         Datum::of(false),
                         Datum::make_null(Phys::kI64)};
    sink(row);
  }
  return {};
}

constexpr SystemRows kLocksRows[] = {{"pg_lock_status", lock_status}};

}  // namespace

std::span<const SystemRows> lock_rows() { return kLocksRows; }

}  // namespace indigo::engine
