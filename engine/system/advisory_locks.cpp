// Advisory locks: by one bigint or two ints, of the session or of the transaction, shared or exclusive.
#include "base/bytes.h"
#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/exec/execution.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"
#include "engine/settings/applied_settings.h"
#include "engine/system/families.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"
#include "storage/transaction.h"

namespace indigo::engine {

namespace {

// The lock's name: a class byte and eight bytes.
std::string lock_key(std::span<const Datum> arguments) {
  std::string key(1, arguments.size() == 1 ? '\1' : '\2');
  char bytes[8];
  if (arguments.size() == 1) {
    store_unaligned(bytes, big_endian(static_cast<uint64_t>(arguments[0].i64)));
  } else {
    store_unaligned(bytes, big_endian(static_cast<uint32_t>(arguments[0].i32)));
    store_unaligned(bytes + 4, big_endian(static_cast<uint32_t>(arguments[1].i32)));
  }
  return key.append(bytes, 8);
}

OwnedDatum void_value() { return OwnedDatum(Datum::of(Str())); }

template <bool kShared, bool kTransaction, bool kTry>
Result<OwnedDatum> lock(SessionParts& session, std::span<const Datum> arguments) {
  auto& store = session.store();
  storage::LockOwner* owner = &session.session_locks();
  if (kTransaction) {
    INDIGO_TRY(session.begin_statement());
    owner = &store.lock_owner(session.transaction());
  }
  auto status = store.locks().lock_advisory(*owner, session.session_catalog().database(), lock_key(arguments), kShared,
                                            !kTry, session.applied_settings().lock_timeout);
  if (kTry && status == storage::StorageStatus::kWouldBlock) return value_of(false);
  if (status == storage::StorageStatus::kInterrupted) return interrupt_error(session.waiter().interrupted());
  if (status != storage::StorageStatus::kOk) return storage_error(status, nullptr);
  return kTry ? value_of(true) : void_value();
}

template <bool kShared>
Result<OwnedDatum> unlock(SessionParts& session, std::span<const Datum> arguments) {
  bool held = session.store().locks().unlock_advisory(session.session_locks(), session.session_catalog().database(),
                                                      lock_key(arguments), kShared);
  if (!held) {
    session.notice(Severity::kWarning, Error(sqlstate::kWarning, std::string("you don't own a lock of type ") +
                                                                     (kShared ? "ShareLock" : "ExclusiveLock")));
  }
  return value_of(held);
}

Result<OwnedDatum> unlock_all(SessionParts& session, std::span<const Datum>) {
  session.store().locks().release_all(session.session_locks());
  return void_value();
}

constexpr SystemValue kAdvisoryLocksValues[] = {
    {"pg_advisory_lock_int8", lock<false, false, false>},
    {"pg_advisory_lock_int4", lock<false, false, false>},
    {"pg_advisory_lock_shared_int8", lock<true, false, false>},
    {"pg_advisory_lock_shared_int4", lock<true, false, false>},
    {"pg_advisory_xact_lock_int8", lock<false, true, false>},
    {"pg_advisory_xact_lock_int4", lock<false, true, false>},
    {"pg_advisory_xact_lock_shared_int8", lock<true, true, false>},
    {"pg_advisory_xact_lock_shared_int4", lock<true, true, false>},
    {"pg_try_advisory_lock_int8", lock<false, false, true>},
    {"pg_try_advisory_lock_int4", lock<false, false, true>},
    {"pg_try_advisory_lock_shared_int8", lock<true, false, true>},
    {"pg_try_advisory_lock_shared_int4", lock<true, false, true>},
    {"pg_try_advisory_xact_lock_int8", lock<false, true, true>},
    {"pg_try_advisory_xact_lock_int4", lock<false, true, true>},
    {"pg_try_advisory_xact_lock_shared_int8", lock<true, true, true>},
    {"pg_try_advisory_xact_lock_shared_int4", lock<true, true, true>},
    {"pg_advisory_unlock_int8", unlock<false>},
    {"pg_advisory_unlock_int4", unlock<false>},
    {"pg_advisory_unlock_shared_int8", unlock<true>},
    {"pg_advisory_unlock_shared_int4", unlock<true>},
    {"pg_advisory_unlock_all", unlock_all},
};

}  // namespace

std::span<const SystemValue> advisory_lock_values() { return kAdvisoryLocksValues; }

}  // namespace indigo::engine
