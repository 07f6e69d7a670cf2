#include "engine/replication/slot_maker.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/exec/execution.h"
#include "engine/instance_impl.h"
#include "engine/replication/output_plugin.h"
#include "engine/session/session_roles.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/applied_settings.h"
#include "engine/settings/settings.h"
#include "storage/holders.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"

namespace indigo::engine::replication {

namespace {

constexpr size_t kMaxSlotNameBytes = 63;

// A slot that is reserved, until it has begun.
class Reservation {
 public:
  Reservation(ChangeStream& stream, std::string_view name, int32_t pid) : stream_(stream), name_(name), pid_(pid) {}
  ~Reservation() {
    if (!kept_) (void)stream_.drop(name_, false, pid_);
  }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  void keep() { kept_ = true; }

 private:
  ChangeStream& stream_;
  const std::string name_;
  const int32_t pid_;
  bool kept_ = false;
};

// The database's tables that somebody has locked for writing now, those among them that no catalog knows yet.
std::vector<uint64_t> tables_in_change(SessionParts& session) {
  const uint64_t database = session.session_catalog().database();
  std::vector<uint64_t> out;
  for (const storage::LockInfo& lock : session.store().locks().snapshot()) {
    if (!lock.granted || lock.name.space != storage::LockName::Space::kTable || lock.name.object >> 32 != database)
      continue;
    if (lock.mode < static_cast<storage::LockModeCode>(storage::TableLockMode::kRowExclusive)) continue;
    out.push_back(lock.name.object);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// In a transaction of its own, so that the session's has no snapshot before the slot has its place.
Status wait_for_writers(SessionParts& session) {
  storage::Store& store = session.store();
  const auto waiting = store.begin(storage::Isolation::kReadCommitted, static_cast<uint64_t>(session.pid()), nullptr);
  waiting->set_lock_timeout(session.applied_settings().lock_timeout);
  storage::StorageStatus status = storage::StorageStatus::kOk;
  for (const uint64_t table : tables_in_change(session)) {
    status = storage::wait_for_holders(store, *waiting, table, storage::TableLockMode::kShare);
    if (status != storage::StorageStatus::kOk) break;
  }
  store.rollback(*waiting);
  if (status == storage::StorageStatus::kOk) return {};
  return storage_error(status, nullptr);
}

}  // namespace

Status check_may_replicate(SessionParts& session) {
  const auto role = session.instance().catalog().role(session.user());
  if (role != nullptr && (role->superuser || role->replication)) return {};
  return Error(sqlstate::kInsufficientPrivilege, "must be superuser or replication role to use replication slots");
}

Status check_decodes(SessionParts& session) {
  static const uint32_t index = *find_setting("wal_level");
  if (session.settings().value(index) == "logical") return {};
  return Error(sqlstate::kObjectNotInPrerequisiteState, "logical decoding requires wal_level >= logical");
}

Status check_slot_name(std::string_view name) {
  const std::string quoted = "replication slot name \"" + std::string(name) + "\" ";
  if (name.empty()) return Error(sqlstate::kInvalidName, quoted + "is too short");
  if (name.size() > kMaxSlotNameBytes) return Error(sqlstate::kNameTooLong, quoted + "is too long");
  const bool good = std::all_of(name.begin(), name.end(),
                                [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
  if (good) return {};
  return Error(sqlstate::kInvalidName, quoted + "contains invalid character")
      .with_hint("Replication slot names may only contain lower case letters, numbers, and the underscore character.");
}

size_t most_slots(SessionParts& session) {
  static const uint32_t index = *find_setting("max_replication_slots");
  return std::strtoull(session.settings().value(index).c_str(), nullptr, 10);
}

Result<uint64_t> make_slot(SessionParts& session, const SlotWish& wish, const std::function<Status()>& at_place) {
  INDIGO_TRY(check_slot_name(wish.name));
  if (session.block().has_number()) {
    return Error(sqlstate::kActiveSqlTransaction,
                 "cannot create logical replication slot in transaction that has performed writes");
  }
  if (!plugin_exists(wish.plugin)) {
    return Error(SqlState("58P01"),
                 "could not access file \"" + std::string(wish.plugin) + "\": No such file or directory");
  }
  ChangeStream& stream = session.instance().change_stream();
  SlotInfo info;
  info.name = wish.name;
  info.plugin = wish.plugin;
  info.database = session.session_catalog().database();
  info.temporary = wish.temporary;
  info.two_phase = wish.two_phase;
  info.creator = info.active_pid = session.pid();
  INDIGO_TRY(stream.reserve(info, most_slots(session)));
  Reservation reservation(stream, wish.name, session.pid());
  INDIGO_TRY(wait_for_writers(session));
  Turn turn(stream);
  INDIGO_TRY(turn.take());
  const uint64_t place = stream.end();
  if (at_place) INDIGO_TRY(at_place());
  stream.begin_at(wish.name, place);
  if (!wish.temporary) INDIGO_TRY(stream.save(true));
  reservation.keep();
  return place;
}

}  // namespace indigo::engine::replication
