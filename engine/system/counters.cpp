// pg_stat_get_*: what the instance knows of its sessions, tables and databases; counters that it does not keep are zero,
// times that never came are null.
#include <unistd.h>

#include "base/sqlstate.h"
#include "engine/instance_impl.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/privilege_check.h"
#include "storage/statistics.h"
#include "storage/table.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

Result<OwnedDatum> zero(SessionParts&, std::span<const Datum>) { return value_of(int64_t{0}); }
Result<OwnedDatum> zero_seconds(SessionParts&, std::span<const Datum>) { return OwnedDatum(Datum::of(0.0)); }
Result<OwnedDatum> never(SessionParts&, std::span<const Datum>) { return null_value(Phys::kI64); }
Result<OwnedDatum> unknown_text(SessionParts&, std::span<const Datum>) { return text_null(); }
Result<OwnedDatum> nothing(SessionParts&, std::span<const Datum>) { return text_value(""); }
Result<OwnedDatum> start_time(SessionParts& session, std::span<const Datum>) {
  return value_of(session.instance().start_timestamp());
}

Result<OwnedDatum> live_rows(SessionParts& session, std::span<const Datum> arguments) {
  const auto relation = session.session_catalog().relation(arguments[0].oid());
  if (relation == nullptr || relation->table == nullptr || relation->kind != catalog::RelationKind::kTable)
    return value_of(int64_t{0});
  return value_of(static_cast<int64_t>(relation->table->statistics().rows));
}

Result<OwnedDatum> changed_rows(SessionParts& session, std::span<const Datum> arguments) {
  const auto relation = session.session_catalog().relation(arguments[0].oid());
  if (relation == nullptr || relation->kind == catalog::RelationKind::kView) return value_of(int64_t{0});
  const Oid database = session.session_catalog().database();
  return value_of(static_cast<int64_t>(session.instance().table_activity().changes_since(database, *relation)));
}
template <int64_t TableActivity::Analyzed::*member>
Result<OwnedDatum> analyze_count(SessionParts& session, std::span<const Datum> arguments) {
  const Oid database = session.session_catalog().database();
  return value_of(session.instance().table_activity().of(database, arguments[0].oid()).*member);
}
template <int64_t TableActivity::Analyzed::*member>
Result<OwnedDatum> analyze_time(SessionParts& session, std::span<const Datum> arguments) {
  const Oid database = session.session_catalog().database();
  const int64_t at = session.instance().table_activity().of(database, arguments[0].oid()).*member;
  return at == 0 ? null_value(Phys::kI64) : value_of(at);
}

template <uint64_t storage::RowChanges::*member>
Result<OwnedDatum> row_changes(SessionParts& session, std::span<const Datum> arguments) {
  const auto relation = session.session_catalog().relation(arguments[0].oid());
  if (relation == nullptr || relation->table == nullptr || relation->kind == catalog::RelationKind::kView)
    return value_of(int64_t{0});
  return value_of(static_cast<int64_t>(storage::changes_of(*relation->table).*member));
}

template <uint64_t exec::ScanTotals::*member>
Result<OwnedDatum> scans(SessionParts& session, std::span<const Datum> arguments) {
  const Oid database = session.session_catalog().database();
  return value_of(static_cast<int64_t>(session.instance().scan_counts().of(database, arguments[0].oid()).*member));
}
// What an index gives to its table; a table read whole gives its rows, and fetches none.
Result<OwnedDatum> rows_fetched(SessionParts& session, std::span<const Datum> arguments) {
  const auto relation = session.session_catalog().relation(arguments[0].oid());
  if (relation == nullptr || relation->kind != catalog::RelationKind::kIndex) return value_of(int64_t{0});
  return scans<&exec::ScanTotals::rows>(session, arguments);
}
Result<OwnedDatum> reset_all(SessionParts& session, std::span<const Datum>) {
  session.instance().scan_counts().reset(session.session_catalog().database(), kInvalidOid);
  return text_value("");
}
Result<OwnedDatum> reset_relation(SessionParts& session, std::span<const Datum> arguments) {
  session.instance().scan_counts().reset(session.session_catalog().database(), arguments[0].oid());
  return text_value("");
}

Result<OwnedDatum> commits(SessionParts& session, std::span<const Datum>) {
  return value_of(static_cast<int64_t>(session.store().statistics().commits));
}
Result<OwnedDatum> rollbacks(SessionParts& session, std::span<const Datum>) {
  return value_of(static_cast<int64_t>(session.store().statistics().rollbacks));
}
Result<OwnedDatum> deadlocks(SessionParts& session, std::span<const Datum>) {
  return value_of(static_cast<int64_t>(session.store().statistics().deadlocks));
}
template <int64_t exec::SpillStatistics::Counts::*member>
Result<OwnedDatum> temporary(SessionParts& session, std::span<const Datum> arguments) {
  return value_of(session.instance().spill_statistics()->of(arguments[0].oid()).*member);
}
Result<OwnedDatum> backends(SessionParts& session, std::span<const Datum> arguments) {
  int32_t count = 0;
  for (const auto& entry : session.instance().sessions()) {
    std::lock_guard lock(entry.activity->mutex);
    if (entry.activity->database == arguments[0].oid()) count++;
  }
  return OwnedDatum(Datum::of(count));
}

// ---- one session, by its number in pg_stat_get_backend_idset: here its process number
template <class Read>
Result<OwnedDatum> of_backend(SessionParts& session, int32_t backend, Phys phys, Read read) {
  for (const auto& entry : session.instance().sessions()) {
    if (entry.pid != backend) continue;
    std::lock_guard lock(entry.activity->mutex);
    return read(*entry.activity);
  }
  return null_value(phys);
}
// The same, of what only members of the session's role and readers of all statistics are shown.
template <class Read>
Result<OwnedDatum> of_visible_backend(SessionParts& session, int32_t backend, OwnedDatum hidden, Phys phys, Read read) {
  INDIGO_ASSIGN(const OwnedDatum user, of_backend(session, backend, Phys::kI32, [](SessionActivity& a) {
                  return OwnedDatum(Datum::of_oid(a.user));
                }));
  if (!user.get().null && !may_see_activity(session, user.get().oid())) return hidden;
  return of_backend(session, backend, phys, read);
}
OwnedDatum time_value(int64_t t) { return t == 0 ? null_value(Phys::kI64) : value_of(t); }

Result<OwnedDatum> backend_query(SessionParts& session, std::span<const Datum> arguments) {
  return of_visible_backend(session, arguments[0].i32, text_value("<insufficient privilege>"), Phys::kStr,
                            [](SessionActivity& a) { return text_value(a.query); });
}
Result<OwnedDatum> backend_query_start(SessionParts& session, std::span<const Datum> arguments) {
  return of_visible_backend(session, arguments[0].i32, null_value(Phys::kI64), Phys::kI64,
                            [](SessionActivity& a) { return time_value(a.query_start); });
}
Result<OwnedDatum> backend_transaction_start(SessionParts& session, std::span<const Datum> arguments) {
  return of_visible_backend(session, arguments[0].i32, null_value(Phys::kI64), Phys::kI64,
                            [](SessionActivity& a) { return time_value(a.transaction_start); });
}
Result<OwnedDatum> backend_start(SessionParts& session, std::span<const Datum> arguments) {
  return of_visible_backend(session, arguments[0].i32, null_value(Phys::kI64), Phys::kI64,
                            [](SessionActivity& a) { return time_value(a.backend_start); });
}
Result<OwnedDatum> backend_database(SessionParts& session, std::span<const Datum> arguments) {
  return of_backend(session, arguments[0].i32, Phys::kI32,
                    [](SessionActivity& a) { return OwnedDatum(Datum::of_oid(a.database)); });
}
Result<OwnedDatum> backend_user(SessionParts& session, std::span<const Datum> arguments) {
  return of_backend(session, arguments[0].i32, Phys::kI32,
                    [](SessionActivity& a) { return OwnedDatum(Datum::of_oid(a.user)); });
}
Result<OwnedDatum> backend_port(SessionParts& session, std::span<const Datum> arguments) {
  return of_backend(session, arguments[0].i32, Phys::kI32,
                    [](SessionActivity& a) { return OwnedDatum(Datum::of(static_cast<int32_t>(a.client_port))); });
}
Result<OwnedDatum> backend_pid(SessionParts& session, std::span<const Datum> arguments) {
  return of_backend(session, arguments[0].i32, Phys::kI32,
                    [&](SessionActivity&) { return OwnedDatum(Datum::of(arguments[0].i32)); });
}
Result<OwnedDatum> have_statistics(SessionParts& session, std::span<const Datum> arguments) {
  const Str kind = arguments[0].str;
  const Oid object = arguments[2].oid();
  const bool here = arguments[1].oid() == session.session_catalog().database();
  for (const char* of_server : {"archiver", "bgwriter", "checkpointer", "slru", "wal"}) {
    if (kind == of_server) return value_of(true);
  }
  if (kind == "database") return value_of(here && object == kInvalidOid);
  if (kind == "relation") {
    const auto relation = here ? session.session_catalog().relation(object) : nullptr;
    return value_of(relation != nullptr && (relation->kind == catalog::RelationKind::kTable ||
                                            relation->kind == catalog::RelationKind::kIndex));
  }
  if (kind == "function" || kind == "replslot" || kind == "subscription") return value_of(false);
  return Error(sqlstate::kInvalidParameterValue, "invalid statistics kind: \"" + std::string(kind) + "\"");
}

// Failures are in the server's log, and not counted.
Result<OwnedDatum> subscription_failures(SessionParts&, std::span<const Datum> arguments) {
  const types::TypeRef number{oid::kInt8, -1, kInvalidOid};
  const types::TypeRef fields[] = {{oid::kOid, -1, kInvalidOid}, number, number, {oid::kTimestampTz, -1, kInvalidOid}};
  const Datum values[] = {arguments[0], Datum::of(int64_t{0}), Datum::of(int64_t{0}), Datum::make_null(Phys::kI64)};
  return OwnedDatum(text_datum(types::make_record(oid::kRecord, fields, values)));
}

constexpr SystemValue kCountersValues[] = {
    {"pg_stat_clear_snapshot", nothing},
    {"pg_stat_force_next_flush", nothing},
    {"pg_stat_get_analyze_count", analyze_count<&TableActivity::Analyzed::manual>},
    {"pg_stat_get_autoanalyze_count", analyze_count<&TableActivity::Analyzed::automatic>},
    {"pg_stat_get_autovacuum_count", zero},
    {"pg_stat_get_backend_activity", backend_query},
    {"pg_stat_get_backend_activity_start", backend_query_start},
    {"pg_stat_get_backend_client_addr", unknown_text},
    {"pg_stat_get_backend_client_port", backend_port},
    {"pg_stat_get_backend_dbid", backend_database},
    {"pg_stat_get_backend_pid", backend_pid},
    {"pg_stat_get_backend_start", backend_start},
    {"pg_stat_get_backend_userid", backend_user},
    {"pg_stat_get_backend_wait_event", unknown_text},
    {"pg_stat_get_backend_wait_event_type", unknown_text},
    {"pg_stat_get_backend_xact_start", backend_transaction_start},
    {"pg_stat_get_bgwriter_buf_written_checkpoints", zero},
    {"pg_stat_get_bgwriter_buf_written_clean", zero},
    {"pg_stat_get_bgwriter_maxwritten_clean", zero},
    {"pg_stat_get_bgwriter_requested_checkpoints", zero},
    {"pg_stat_get_bgwriter_stat_reset_time", start_time},
    {"pg_stat_get_bgwriter_timed_checkpoints", zero},
    {"pg_stat_get_blocks_fetched", zero},
    {"pg_stat_get_blocks_hit", zero},
    {"pg_stat_get_buf_alloc", zero},
    {"pg_stat_get_buf_fsync_backend", zero},
    {"pg_stat_get_buf_written_backend", zero},
    {"pg_stat_get_checkpoint_sync_time", zero_seconds},
    {"pg_stat_get_checkpoint_write_time", zero_seconds},
    {"pg_stat_get_db_active_time", zero_seconds},
    {"pg_stat_get_db_blk_read_time", zero_seconds},
    {"pg_stat_get_db_blk_write_time", zero_seconds},
    {"pg_stat_get_db_blocks_fetched", zero},
    {"pg_stat_get_db_blocks_hit", zero},
    {"pg_stat_get_db_checksum_failures", zero},
    {"pg_stat_get_db_checksum_last_failure", never},
    {"pg_stat_get_db_conflict_all", zero},
    {"pg_stat_get_db_conflict_bufferpin", zero},
    {"pg_stat_get_db_conflict_lock", zero},
    {"pg_stat_get_db_conflict_snapshot", zero},
    {"pg_stat_get_db_conflict_startup_deadlock", zero},
    {"pg_stat_get_db_conflict_tablespace", zero},
    {"pg_stat_get_db_deadlocks", deadlocks},
    {"pg_stat_get_db_idle_in_transaction_time", zero_seconds},
    {"pg_stat_get_db_numbackends", backends},
    {"pg_stat_get_db_session_time", zero_seconds},
    {"pg_stat_get_db_sessions", zero},
    {"pg_stat_get_db_sessions_abandoned", zero},
    {"pg_stat_get_db_sessions_fatal", zero},
    {"pg_stat_get_db_sessions_killed", zero},
    {"pg_stat_get_db_stat_reset_time", never},
    {"pg_stat_get_db_temp_bytes", temporary<&exec::SpillStatistics::Counts::bytes>},
    {"pg_stat_get_db_temp_files", temporary<&exec::SpillStatistics::Counts::files>},
    {"pg_stat_get_db_tuples_deleted", zero},
    {"pg_stat_get_db_tuples_fetched", zero},
    {"pg_stat_get_db_tuples_inserted", zero},
    {"pg_stat_get_db_tuples_returned", zero},
    {"pg_stat_get_db_tuples_updated", zero},
    {"pg_stat_get_db_xact_commit", commits},
    {"pg_stat_get_db_xact_rollback", rollbacks},
    {"pg_stat_get_dead_tuples", zero},
    {"pg_stat_get_function_calls", never},
    {"pg_stat_get_function_self_time", zero_seconds},
    {"pg_stat_get_function_total_time", zero_seconds},
    {"pg_stat_get_ins_since_vacuum", zero},
    {"pg_stat_get_last_analyze_time", analyze_time<&TableActivity::Analyzed::last_manual>},
    {"pg_stat_get_last_autoanalyze_time", analyze_time<&TableActivity::Analyzed::last_automatic>},
    {"pg_stat_get_last_autovacuum_time", never},
    {"pg_stat_get_last_vacuum_time", never},
    {"pg_stat_get_live_tuples", live_rows},
    {"pg_stat_get_mod_since_analyze", changed_rows},
    {"pg_stat_get_numscans", scans<&exec::ScanTotals::scans>},
    {"pg_stat_get_tuples_deleted", row_changes<&storage::RowChanges::deleted>},
    {"pg_stat_get_tuples_fetched", rows_fetched},
    {"pg_stat_get_tuples_hot_updated", zero},
    {"pg_stat_get_tuples_inserted", row_changes<&storage::RowChanges::inserted>},
    {"pg_stat_get_tuples_returned", scans<&exec::ScanTotals::rows>},
    {"pg_stat_get_tuples_updated", row_changes<&storage::RowChanges::updated>},
    {"pg_stat_get_vacuum_count", zero},
    {"pg_stat_get_xact_blocks_fetched", zero},
    {"pg_stat_get_xact_blocks_hit", zero},
    {"pg_stat_get_xact_function_calls", zero},
    {"pg_stat_get_xact_function_self_time", zero_seconds},
    {"pg_stat_get_xact_function_total_time", zero_seconds},
    {"pg_stat_get_xact_numscans", zero},
    {"pg_stat_get_xact_tuples_deleted", zero},
    {"pg_stat_get_xact_tuples_fetched", zero},
    {"pg_stat_get_xact_tuples_hot_updated", zero},
    {"pg_stat_get_xact_tuples_inserted", zero},
    {"pg_stat_get_xact_tuples_returned", zero},
    {"pg_stat_get_xact_tuples_updated", zero},
    {"pg_stat_get_snapshot_timestamp", never},
    {"pg_stat_get_subscription_stats", subscription_failures},
    {"pg_stat_have_stats", have_statistics},
    {"pg_stat_reset", reset_all},
    {"pg_stat_reset_replication_slot", nothing},
    {"pg_stat_reset_shared", nothing},
    {"pg_stat_reset_single_function_counters", nothing},
    {"pg_stat_reset_single_table_counters", reset_relation},
    {"pg_stat_reset_slru", nothing},
    {"pg_stat_reset_subscription_stats", nothing},
};

Status backend_numbers(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  for (const auto& entry : session.instance().sessions()) {
    const Datum row[] = {Datum::of(entry.pid)};
    sink(row);
  }
  return {};
}
Status subscription_rows(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  for (const auto& shown : session.instance().subscription_workers().shown()) {
    if (!arguments.empty() && !arguments[0].null && arguments[0].oid() != shown.subscription) continue;
    const subscription::WorkerStatus& status = *shown.status;
    const auto number = [&](int64_t value) {
      return shown.running && value != 0 ? Datum::of(value) : Datum::make_null(Phys::kI64);
    };
    const Datum row[] = {Datum::of_oid(shown.subscription),
                         Datum::make_null(Phys::kI32),
                         shown.running ? Datum::of(static_cast<int32_t>(::getpid())) : Datum::make_null(Phys::kI32),
                         number(static_cast<int64_t>(status.received_lsn.load())),
                         number(status.sent),
                         number(status.received),
                         number(static_cast<int64_t>(status.reported_lsn.load())),
                         number(status.reported)};
    sink(row);
  }
  return {};
}

// What Indigo does not have: shared memory.
Status no_rows(SessionParts&, std::span<const Datum>, const SystemRowSink&) { return {}; }

constexpr SystemRows kCountersRows[] = {
    {"pg_stat_get_backend_idset", backend_numbers},  {"pg_stat_get_slru", no_rows},
    {"pg_stat_get_subscription", subscription_rows}, {"pg_config", no_rows},
    {"pg_show_replication_origin_status", no_rows},  {"pg_get_shmem_allocations", no_rows},
    {"pg_get_backend_memory_contexts", no_rows},
};

}  // namespace

std::span<const SystemValue> counter_values() { return kCountersValues; }
std::span<const SystemRows> counter_rows() { return kCountersRows; }

}  // namespace indigo::engine
