// pgrowlocks(): the rows of a table that transactions have locked or changed, in the order of their keys.
#include <algorithm>
#include <map>

#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "engine/exec/scan/row_decoder.h"
#include "engine/session/transaction_block.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/families.h"
#include "engine/system/privilege_check.h"
#include "sql/expr.h"
#include "storage/lock/lock_manager.h"
#include "storage/statistics.h"
#include "storage/store.h"
#include "storage/table.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

namespace pg_class = catalog::pg_class;

struct RowHolder {
  uint64_t transaction;
  uint64_t session;  // 0: not known
  storage::RowLockMode mode;
  bool changes;
};

// PostgreSQL has other words where a row has several holders.
const char* mode_text(const RowHolder& holder, bool several) {
  using storage::RowLockMode;
  switch (holder.mode) {
    case RowLockMode::kKeyShare: return several ? "Key Share" : "For Key Share";
    case RowLockMode::kShare: return several ? "Share" : "For Share";
    case RowLockMode::kNoKeyUpdate: return holder.changes ? "No Key Update" : "For No Key Update";
    case RowLockMode::kUpdate: return holder.changes ? "Update" : "For Update";
  }
  return "";
}

// By the row's key.
using HeldRows = std::map<std::string, std::vector<RowHolder>>;

Result<HeldRows> rows_held(SessionParts& session, storage::Table& table) {
  HeldRows out;
  std::map<uint64_t, uint64_t> sessions;  // of transactions
  const auto locks = session.store().locks().snapshot();
  Waiter& waiter = Waiter::current();
  for (const storage::LockInfo& lock : locks) {
    waiter.yield_if_due();  // there may be millions
    if (const InterruptReason reason = waiter.interrupted(); reason != InterruptReason::kNone)
      return interrupt_error(reason);
    if (lock.holder.value != 0) sessions[lock.holder.value] = lock.session;
    if (lock.name.space != storage::LockName::Space::kRow || lock.name.object != table.id().value || !lock.granted)
      continue;
    out[lock.name.key].push_back(
        {lock.holder.value, lock.session, static_cast<storage::RowLockMode>(lock.mode), false});
  }
  const uint64_t own = session.transaction().id().value;
  for (const storage::RowWriter& writer : storage::row_writers_of(table)) {
    std::vector<RowHolder>& holders = out[writer.key];
    std::erase_if(holders, [&](const RowHolder& h) { return h.transaction == writer.transaction.value; });
    // What the transaction itself has changed is no lock to it.
    if (writer.transaction.value != own) {
      const auto known = sessions.find(writer.transaction.value);
      holders.push_back({writer.transaction.value, known == sessions.end() ? 0 : known->second, writer.mode, true});
    }
    if (holders.empty()) out.erase(writer.key);
  }
  return out;
}

Datum transaction_id(uint64_t id) { return Datum::of(static_cast<int32_t>(static_cast<uint32_t>(id))); }

void show_row(const catalog::RelationInfo& relation, const std::string& key, std::vector<RowHolder> holders,
              const SystemRowSink& sink) {
  std::sort(holders.begin(), holders.end(), [](const auto& a, const auto& b) { return a.transaction < b.transaction; });
  Arena arena;
  const bool several = holders.size() > 1;
  std::vector<Datum> ids, modes, processes;
  for (const RowHolder& holder : holders) {
    ids.push_back(transaction_id(holder.transaction));
    modes.push_back(text_datum(mode_text(holder, several)));
    processes.push_back(Datum::of(static_cast<int32_t>(holder.session)));
  }
  const std::string id_array = make_array(oid::kXid, Phys::kI32, ids);
  const std::string mode_array = make_array(oid::kText, Phys::kStr, modes);
  const std::string process_array = make_array(oid::kInt4, Phys::kI32, processes);
  const Datum row[] = {
      exec::system_value(relation, {key, {}}, sql::kCtidColumn, arena),
      several ? Datum::make_null(Phys::kI32) : ids[0],  // PostgreSQL has a number for the holders together
      Datum::of(several),
      Datum::of(Str(id_array)),
      Datum::of(Str(mode_array)),
      Datum::of(Str(process_array))};
  sink(row);
}

Status row_locks(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  NameContext names(session);
  INDIGO_ASSIGN(const Oid oid, types::find_relation_oid(names.context, arguments[0].str));
  std::string name;
  char kind = 0;
  CatalogRows(session).find(pg_class::kOid, oid, [&](RowReader row) {
    name = row.str(pg_class::c_relname);
    kind = row.chr(pg_class::c_relkind);
  });
  if (kind == 'p') {
    return Error(sqlstate::kWrongObjectType, "\"" + name + "\" is a partitioned table")
        .with_detail("Partitioned tables do not contain rows.");
  }
  if (kind != 'r') return Error(sqlstate::kWrongObjectType, "\"" + name + "\" is not a table");
  const WantedPrivilege wanted{types::kPrivilegeSelect, false};
  INDIGO_ASSIGN(const OwnedDatum allowed, check_object(session, kTableClass, session.user(), oid, {&wanted, 1}));
  constexpr Oid kStatScanTables{3377};
  if (!allowed.get().b && !session.session_catalog().has_privileges_of(session.user(), kStatScanTables))
    return Error(sqlstate::kInsufficientPrivilege, "permission denied for table " + name);
  const auto relation = session.session_catalog().relation(oid);
  if (relation == nullptr || relation->table == nullptr) return {};
  INDIGO_TRY(session.begin_statement());
  INDIGO_ASSIGN(const HeldRows rows, rows_held(session, *relation->table));
  for (const auto& [key, holders] : rows) show_row(*relation, key, holders, sink);
  return {};
}

constexpr SystemRows kRowLockRows[] = {{"pgrowlocks", row_locks}};

}  // namespace

std::span<const SystemRows> row_lock_rows() { return kRowLockRows; }

}  // namespace indigo::engine
