// Sessions: pg_stat_activity, cancel and terminate, transaction ids.
#include <algorithm>
#include <map>

#include "base/fiber/interrupt_error.h"
#include "base/memory/memory_account.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/instance_impl.h"
#include "engine/programs/trigger_caller.h"
#include "engine/row_sink.h"
#include "engine/session/current_message.h"
#include "engine/session/session_activity.h"
#include "engine/session/session_log.h"
#include "engine/session/session_parts.h"
#include "engine/session/signal.h"
#include "engine/session/transaction_block.h"
#include "engine/system/client_address.h"
#include "engine/system/families.h"
#include "engine/system/privilege_check.h"
#include "storage/lock/lock_manager.h"
#include "storage/running_transactions.h"
#include "storage/statistics.h"
#include "storage/store.h"
#include "storage/transaction.h"
#include "types/numeric/numeric.h"
#include "types/oids.h"
#include "types/text/ascii.h"
#include "types/value/array_format.h"
#include "types/value/collator.h"

namespace indigo::engine {

namespace {

Datum timestamp_or_null(int64_t t) { return t == 0 ? Datum::make_null(Phys::kI64) : Datum::of(t); }

// What the session does is shown to its role's members and to readers of all statistics; others see that it exists.
bool may_see(SessionParts& session, SessionActivity& activity) {
  Oid user = kInvalidOid;
  {
    std::lock_guard lock(activity.mutex);
    user = activity.user;
  }
  return may_see_activity(session, user);
}

// Blanks what only `may_see` shows, all but the ids, the application and the transaction numbers.
void hide(std::span<Datum> row) {
  constexpr size_t kState = 4, kQuery = 5, kTransaction = 15, kTransactionMin = 16;
  for (size_t i = kState; i < row.size(); i++) {
    if (i != kTransaction && i != kTransactionMin) row[i].null = true;
  }
  row[kQuery] = text_datum("<insufficient privilege>");
}

// A session's TLS as columns; null without, and for what the client has not shown.
struct Encryption {
  explicit Encryption(const SessionActivity& a) {
    if (!a.tls) return;
    version = text_datum(a.tls->version);
    cipher = text_datum(a.tls->cipher);
    bits = Datum::of(static_cast<int32_t>(a.tls->bits));
    if (a.tls->client_dn.empty()) return;
    client_dn = text_datum(a.tls->client_dn);
    issuer_dn = text_datum(a.tls->issuer_dn);
    types::Numeric serial;
    if (types::parse_numeric(a.tls->client_serial, serial) == types::NumericParse::kOk) serial_image = serial.image();
    client_serial = text_datum(serial_image);
  }
  std::string serial_image;
  Datum version = null_text(), cipher = null_text(), bits = Datum::make_null(Phys::kI32);
  Datum client_dn = null_text(), client_serial = null_text(), issuer_dn = null_text();
};

// What the sessions wait for that wait for a lock, by session.
std::map<uint64_t, const char*> lock_waits(SessionParts& session) {
  std::map<uint64_t, const char*> waits;
  for (const storage::LockInfo& lock : session.store().locks().snapshot()) {
    if (lock.granted) continue;
    const char*& event = waits[lock.session];
    switch (lock.name.space) {
      case storage::LockName::Space::kTable: event = "relation"; break;
      case storage::LockName::Space::kObject: event = "object"; break;
      case storage::LockName::Space::kRow:
      case storage::LockName::Space::kAdvisory: event = "advisory"; break;
      case storage::LockName::Space::kTransaction:
      case storage::LockName::Space::kRecordQueue:
      case storage::LockName::Space::kKeyValue: event = "transactionid"; break;
    }
  }
  return waits;
}

Status stat_get_activity(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  const std::map<uint64_t, const char*> waits = lock_waits(session);
  for (const auto& entry : session.instance().sessions()) {
    if (!arguments.empty() && !arguments[0].null && arguments[0].i32 != entry.pid) continue;
    SessionActivity& a = *entry.activity;
    const bool shown = may_see(session, a);
    std::lock_guard lock(a.mutex);
    const Datum no_int = Datum::make_null(Phys::kI32);
    const std::string address = address_image(a.client_address);
    const Encryption tls(a);
    const bool active = a.state == "active";
    const auto lock_wait = waits.find(static_cast<uint64_t>(entry.pid));
    const bool locked = active && lock_wait != waits.end();
    Datum row[] = {Datum::of_oid(a.database),
                   Datum::of(entry.pid),
                   Datum::of_oid(a.user),
                   text_datum(a.application_name),
                   text_datum(a.state),
                   text_datum(a.query),
                   locked   ? text_datum("Lock")
                   : active ? null_text()
                            : text_datum("Client"),
                   locked   ? text_datum(lock_wait->second)
                   : active ? null_text()
                            : text_datum("ClientRead"),
                   timestamp_or_null(a.transaction_start),
                   timestamp_or_null(a.query_start),
                   timestamp_or_null(a.backend_start),
                   timestamp_or_null(a.state_change),
                   address.empty() ? null_text() : text_datum(address),
                   null_text(),
                   a.client_port < 0 ? Datum::of(int32_t{-1}) : Datum::of(static_cast<int32_t>(a.client_port)),
                   no_int,
                   no_int,
                   text_datum("client backend"),
                   Datum::of(a.tls.has_value()),
                   tls.version,
                   tls.cipher,
                   tls.bits,
                   tls.client_dn,
                   tls.client_serial,
                   tls.issuer_dn,
                   Datum::of(false),
                   null_text(),
                   Datum::of(false),
                   no_int,
                   Datum::make_null(Phys::kI64)};
    if (!shown) hide(row);
    sink(row);
  }
  return {};
}

// Of all sessions that run such a command; what it works on is shown to whom pg_stat_activity would show it.
Status progress_info(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  constexpr std::pair<std::string_view, ProgressCommand> kCommands[] = {
      {"vacuum", ProgressCommand::kVacuum},   {"analyze", ProgressCommand::kAnalyze},
      {"cluster", ProgressCommand::kCluster}, {"create index", ProgressCommand::kCreateIndex},
      {"copy", ProgressCommand::kCopy},       {"basebackup", ProgressCommand::kBasebackup}};
  const std::string_view given = arguments[0].str;
  const std::string name = types::to_lower(given);
  const auto* const command =
      std::find_if(std::begin(kCommands), std::end(kCommands), [&](const auto& c) { return c.first == name; });
  if (command == std::end(kCommands)) {
    return Error(sqlstate::kInvalidParameterValue, "invalid command name: \"" + std::string(given) + "\"");
  }
  for (const auto& entry : session.instance().sessions()) {
    const auto report = entry.activity->progress.report(command->second);
    if (!report) continue;
    const bool shown = may_see(session, *entry.activity);
    std::lock_guard lock(entry.activity->mutex);
    std::vector<Datum> row = {Datum::of(entry.pid), Datum::of_oid(entry.activity->database),
                              Datum::of_oid(report->relation)};
    for (const int64_t parameter : report->parameters) row.push_back(Datum::of(parameter));
    for (size_t i = 2; i < row.size() && !shown; i++) row[i].null = true;
    sink(row);
  }
  return {};
}

Result<OwnedDatum> interrupt_backend(SessionParts& session, int32_t pid, InterruptReason reason) {
  INDIGO_TRY(session.begin_statement());
  INDIGO_ASSIGN(const bool found, signal_session(session, pid, reason));
  if (!found) {
    session.notice(Severity::kWarning,
                   Error(sqlstate::kWarning, "PID " + std::to_string(pid) + " is not a PostgreSQL backend process"));
    return value_of(false);
  }
  return value_of(true);
}

Result<OwnedDatum> cancel_backend(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(OwnedDatum signalled, interrupt_backend(session, arguments[0].i32, InterruptReason::kCancel));
  if (arguments[0].i32 != session.pid()) return signalled;
  // A statement that cancels itself goes no further than here, and who handles that goes on.
  session.waiter().clear_cancel();
  return interrupt_error(InterruptReason::kCancel);
}
Result<OwnedDatum> terminate_backend(SessionParts& session, std::span<const Datum> arguments) {
  const int32_t pid = arguments[0].i32;
  const int64_t timeout = arguments[1].i64;
  if (timeout < 0) return Error(sqlstate::kNumericValueOutOfRange, "\"timeout\" must not be negative");
  INDIGO_ASSIGN(OwnedDatum signalled, interrupt_backend(session, pid, InterruptReason::kTerminate));
  if (pid == session.pid()) return interrupt_error(session.waiter().interrupted());
  if (timeout == 0 || !signalled.get().b) return signalled;
  INDIGO_ASSIGN(const bool gone, wait_for_end(session, pid, std::chrono::milliseconds(timeout)));
  if (gone) return value_of(true);
  session.notice(
      Severity::kWarning,
      Error(sqlstate::kWarning, "backend with PID " + std::to_string(pid) + " did not terminate within " +
                                    std::to_string(timeout) + (timeout == 1 ? " millisecond" : " milliseconds")));
  return value_of(false);
}
// What a session holds is counted where it runs: of others the log only says that somebody has asked.
Result<OwnedDatum> log_memory(SessionParts& session, std::span<const Datum> arguments) {
  const int32_t pid = arguments[0].i32;
  const auto sessions = session.instance().sessions();
  if (std::none_of(sessions.begin(), sessions.end(), [pid](const auto& s) { return s.pid == pid; })) {
    session.notice(Severity::kWarning,
                   Error(sqlstate::kWarning, "PID " + std::to_string(pid) + " is not a PostgreSQL server process"));
    return value_of(false);
  }
  log_session(session, LogLevel::kInfo, "logging memory contexts of PID " + std::to_string(pid), "SELECT");
  if (pid == session.pid()) {
    log_session(session, LogLevel::kInfo, "Grand total: " + std::to_string(MemoryAccount::held_bytes()) + " bytes used",
                "SELECT");
  }
  return value_of(true);
}

Result<OwnedDatum> postmaster_start_time(SessionParts& session, std::span<const Datum>) {
  return value_of(session.instance().start_timestamp());
}
Result<OwnedDatum> current_xact_id(SessionParts& session, std::span<const Datum>) {
  INDIGO_TRY(session.begin_statement());
  session.block().ask_for_number();
  session.instance().transaction_outcomes().began(session.transaction().id());
  return value_of(static_cast<int64_t>(session.transaction().id().value));
}
Result<OwnedDatum> current_xact_id_if_assigned(SessionParts& session, std::span<const Datum> arguments) {
  return session.block().has_number() ? current_xact_id(session, arguments) : null_value(Phys::kI64);
}
// Transactions that have begun count as running: their numbers may be asked for later.
Result<OwnedDatum> current_snapshot(SessionParts& session, std::span<const Datum>) {
  INDIGO_TRY(session.begin_statement());
  const uint64_t stamp = session.transaction().view().stamp.value;
  // In this order: what ends in between is found by its outcome.
  const storage::RunningTransactions running = storage::running_transactions(session.store());
  std::vector<uint64_t> unseen = session.instance().transaction_outcomes().unseen_at(stamp);
  unseen.insert(unseen.end(), running.numbers.begin(), running.numbers.end());
  std::sort(unseen.begin(), unseen.end());
  unseen.erase(std::unique(unseen.begin(), unseen.end()), unseen.end());
  uint64_t end = std::max(running.newest, unseen.empty() ? 0 : unseen.back()) + 1;
  while (!unseen.empty() && unseen.back() + 1 == end) {
    unseen.pop_back();
    end--;
  }
  // The image of a pg_snapshot: types/system/transaction_snapshot.cpp.
  std::string image;
  const auto append = [&](uint64_t number) { image.append(reinterpret_cast<const char*>(&number), sizeof number); };
  append(unseen.empty() ? end : unseen.front());
  append(end);
  for (const uint64_t number : unseen) append(number);
  return OwnedDatum(Datum::of(Str(image)));
}
// Null: nobody has asked for its number, or that was long ago.
Result<OwnedDatum> xact_status(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(session.begin_statement());
  const auto id = static_cast<uint64_t>(arguments[0].i64);
  const auto found = session.instance().transaction_outcomes().find(id);
  if (found == TransactionOutcome::kInProgress) return OwnedDatum(text_datum("in progress"));
  if (found == TransactionOutcome::kAborted) return OwnedDatum(text_datum("aborted"));
  constexpr uint64_t kBootstrap = 1, kFrozen = 2;
  if (found == TransactionOutcome::kCommitted || id == kBootstrap || id == kFrozen)
    return OwnedDatum(text_datum("committed"));
  if (id > session.transaction().id().value) {
    return Error(sqlstate::kInvalidParameterValue, "transaction ID " + std::to_string(id) + " is in the future");
  }
  return null_value(Phys::kStr);
}
// How many transaction numbers ago; permanent ones (0 to 2) are infinitely old.
Result<OwnedDatum> xid_age(SessionParts& session, std::span<const Datum> arguments) {
  const auto xid = static_cast<uint32_t>(arguments[0].i32);
  if (xid < 3) return OwnedDatum(Datum::of(INT32_MAX));
  INDIGO_TRY(session.begin_statement());
  return OwnedDatum(Datum::of(static_cast<int32_t>(static_cast<uint32_t>(session.transaction().id().value) - xid)));
}
Result<OwnedDatum> is_in_recovery(SessionParts&, std::span<const Datum>) { return value_of(false); }
Result<OwnedDatum> collation_version(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(session.begin_statement());
  const types::Collator* collator = session.session_catalog().collator(arguments[0].oid());
  return collator == nullptr ? null_value(Phys::kStr) : OwnedDatum(Datum::of(Str(collator->version())));
}
Result<OwnedDatum> database_collation_version(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(session.begin_statement());
  auto& catalog = session.instance().catalog();
  const auto database = catalog.database(arguments[0].oid());
  if (database == nullptr) {
    return Error(sqlstate::kUndefinedObject,
                 "database with OID " + std::to_string(arguments[0].oid()) + " does not exist");
  }
  const types::Collator* const order = database->collator();
  return order == nullptr ? null_value(Phys::kStr) : OwnedDatum(Datum::of(Str(order->version())));
}
Result<OwnedDatum> my_temp_schema(SessionParts& session, std::span<const Datum>) {
  return OwnedDatum(Datum::of_oid(session.session_catalog().temp_schema()));
}

Result<OwnedDatum> is_other_temp_schema(SessionParts& session, std::span<const Datum> arguments) {
  const Oid schema = arguments[0].oid();
  return value_of(schema != session.session_catalog().temp_schema() &&
                  session.session_catalog().schema_name(schema).starts_with("pg_temp_"));
}
Result<OwnedDatum> current_query(SessionParts& session, std::span<const Datum>) {
  SessionActivity& a = session.message().activity();
  std::lock_guard lock(a.mutex);
  return OwnedDatum(text_datum(a.query));
}

OwnedDatum pids_of(const std::vector<uint64_t>& sessions) {
  std::vector<Datum> pids;
  for (uint64_t s : sessions) pids.push_back(Datum::of(static_cast<int32_t>(s)));
  return OwnedDatum(text_datum(make_array(oid::kInt4, Phys::kI32, pids)));
}
uint64_t session_number(const Datum& pid) { return static_cast<uint32_t>(pid.i32); }
// The sessions whose locks, rows or places in a queue `pid` waits for.
Result<OwnedDatum> blocking_pids(SessionParts& session, std::span<const Datum> arguments) {
  return pids_of(session.store().locks().blocking_sessions(session_number(arguments[0])));
}
// The writers that a DEFERRABLE transaction waits for.
Result<OwnedDatum> safe_snapshot_blocking_pids(SessionParts& session, std::span<const Datum> arguments) {
  return pids_of(storage::safe_snapshot_blockers(session.store(), session_number(arguments[0])));
}
// What isolation testers ask: does `pid` wait for one of these, or for a safe snapshot?
Result<OwnedDatum> session_is_blocked(SessionParts& session, std::span<const Datum> arguments) {
  const ArrayView interesting(arguments[1].str);
  if (interesting.has_nulls()) return Error(sqlstate::kInternalError, "array must not contain nulls");
  const uint64_t pid = session_number(arguments[0]);
  for (uint64_t blocker : session.store().locks().blocking_sessions(pid)) {
    for (int32_t i = 0; i < interesting.count(); i++) {
      if (interesting.element(i).i32 == static_cast<int32_t>(blocker)) return value_of(true);
    }
  }
  return value_of(!storage::safe_snapshot_blockers(session.store(), pid).empty());
}
Result<OwnedDatum> no_text(SessionParts&, std::span<const Datum>) { return null_value(Phys::kStr); }
Result<OwnedDatum> no(SessionParts&, std::span<const Datum>) { return value_of(false); }
Result<OwnedDatum> trigger_depth(SessionParts& session, std::span<const Datum>) {
  return OwnedDatum(Datum::of(static_cast<int32_t>(session.triggers().depth())));
}

constexpr SystemRows kActivityRows[] = {{"pg_stat_get_activity", stat_get_activity},
                                        {"pg_stat_get_progress_info", progress_info}};
constexpr SystemValue kActivityValues[] = {
    {"pg_cancel_backend", cancel_backend},
    {"pg_terminate_backend", terminate_backend},
    {"pg_log_backend_memory_contexts", log_memory},
    {"pg_postmaster_start_time", postmaster_start_time},
    {"pg_conf_load_time", postmaster_start_time},
    {"pg_current_xact_id", current_xact_id},
    {"pg_xact_status", xact_status},
    {"pg_current_xact_id_if_assigned", current_xact_id_if_assigned},
    {"pg_current_snapshot", current_snapshot},
    {"xid_age", xid_age},
    {"pg_is_in_recovery", is_in_recovery},
    {"pg_my_temp_schema", my_temp_schema},
    {"pg_is_other_temp_schema", is_other_temp_schema},
    {"current_query", current_query},
    {"pg_blocking_pids", blocking_pids},
    {"pg_safe_snapshot_blocking_pids", safe_snapshot_blocking_pids},
    {"pg_isolation_test_session_is_blocked", session_is_blocked},
    {"pg_trigger_depth", trigger_depth},
    {"pg_jit_available", no},
    {"pg_collation_actual_version", collation_version},
    {"pg_database_collation_actual_version", database_collation_version},
    {"pg_current_logfile", no_text},
};

}  // namespace

std::span<const SystemRows> activity_rows() { return kActivityRows; }
std::span<const SystemValue> activity_values() { return kActivityValues; }

}  // namespace indigo::engine
