// What keeping data costs and does: the function behind indigo_stat_log (docs/monitoring.md), and indigo_backup
// (docs/durability.md).
#include "base/sqlstate.h"
#include "engine/instance_impl.h"
#include "engine/session/session_parts.h"
#include "engine/settings/settings.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/families.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

Datum number(uint64_t n) { return Datum::of(static_cast<int64_t>(n)); }
Datum milliseconds(uint64_t microseconds) { return Datum::of(static_cast<double>(microseconds) / 1000); }
Datum ratio(uint64_t a, uint64_t b) {
  return b == 0 ? Datum::make_null(Phys::kF64) : Datum::of(static_cast<double>(a) / static_cast<double>(b));
}

// No row without a data directory.
Status log_row(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  DataDirectory* data = session.instance().data_directory();
  if (data == nullptr) return {};
  const log::WriteAheadLog::Statistics s = data->log().statistics();
  const Checkpointer::Statistics c = data->checkpointer().statistics();
  const log::Recovered& r = data->recovered();
  const Datum row[] = {number(s.records),
                       number(s.bytes),
                       number(s.file_bytes),
                       number(s.next_lsn - 1),
                       number(s.durable_end - 1),
                       number(s.flushes),
                       s.flushes == 0 ? Datum::make_null(Phys::kF64) : milliseconds(s.flush_microseconds / s.flushes),
                       s.flushes == 0 ? Datum::make_null(Phys::kF64) : milliseconds(s.flush_microseconds_max),
                       ratio(s.flushed_records, s.flushes),
                       number(c.checkpoints),
                       c.checkpoints == 0 ? Datum::make_null(Phys::kI64) : number(c.bytes),
                       c.checkpoints == 0 ? Datum::make_null(Phys::kF64) : milliseconds(c.microseconds),
                       number(r.transactions),
                       number(r.bytes),
                       milliseconds(data->recovery_microseconds())};
  sink(row);
  return {};
}

Status backup_row(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  if (!session.is_superuser()) {
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to make a backup");
  }
  DataDirectory* data = session.instance().data_directory();
  if (data == nullptr) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "the server keeps nothing that could be backed up")
        .with_hint("Start it with -D, or use pg_dump.");
  }
  const std::string path(arguments[0].str);
  if (path.empty() || path[0] != '/') {
    return Error(sqlstate::kInvalidParameterValue, "the backup's directory must be an absolute path");
  }
  INDIGO_ASSIGN(const Backups::Written written, data->backups().make(path));
  const Datum row[] = {number(written.bytes), milliseconds(written.microseconds)};
  sink(row);
  return {};
}

Result<OwnedDatum> record_of(const std::vector<Oid>& columns, std::span<const Datum> values) {
  std::vector<types::TypeRef> fields;
  for (const Oid type : columns) fields.push_back({type, -1, kInvalidOid});
  return text_value(types::make_record(oid::kRecord, fields, values));
}

// pg_control_system(): PostgreSQL 15's numbers of the file's form and the catalog's, and who this server is.
Result<OwnedDatum> control_system(SessionParts& session, std::span<const Datum>) {
  constexpr int32_t kControlVersion = 1300, kCatalogVersion = 202209061;
  const InstanceImpl& instance = session.instance();
  const Datum row[] = {Datum::of(kControlVersion), Datum::of(kCatalogVersion), number(instance.system_identifier()),
                       Datum::of(instance.start_timestamp())};
  return record_of({oid::kInt4, oid::kInt4, oid::kInt8, oid::kTimestampTz}, row);
}

// What PostgreSQL is built with by default, as block_size and its kin say. Pages have no checksums (data_checksums).
Result<OwnedDatum> control_init(SessionParts&, std::span<const Datum>) {
  constexpr int32_t kAlignment = 8, kBlock = 8192, kSegmentBlocks = 131072, kLogBlock = 8192, kLogSegment = 16 << 20,
                    kName = 64, kIndexColumns = 32, kToastChunk = 1996, kLargeObjectChunk = 2048, kNoChecksums = 0;
  std::vector<Datum> row;
  std::vector<Oid> columns(11, oid::kInt4);
  columns[9] = oid::kBool;
  for (const int32_t n : {kAlignment, kBlock, kSegmentBlocks, kLogBlock, kLogSegment, kName, kIndexColumns, kToastChunk,
                          kLargeObjectChunk})
    row.push_back(Datum::of(n));
  row.push_back(Datum::of(true));  // float8 by value
  row.push_back(Datum::of(kNoChecksums));
  return record_of(columns, row);
}

// Of a server that has not stopped in a recovery: none lets sessions in.
Result<OwnedDatum> control_recovery(SessionParts&, std::span<const Datum>) {
  const Datum row[] = {number(0), Datum::of(int32_t{0}), number(0), number(0), Datum::of(false)};
  return record_of({oid::kPgLsn, oid::kInt4, oid::kPgLsn, oid::kPgLsn, oid::kBool}, row);
}

// No server that is recovering lets sessions in.
Result<OwnedDatum> not_in_recovery(SessionParts&, std::span<const Datum>) { return null_value(Phys::kI64); }

// Where changes are told to subscribers, places are theirs.
bool places_are_of_changes(SessionParts& session) {
  static const uint32_t index = *find_setting("wal_level");
  return session.settings().value(index) == "logical";
}
Result<OwnedDatum> last_published(SessionParts& session) {
  return OwnedDatum(number(session.instance().change_stream().end()));
}

// Otherwise places of the log count its records, not its bytes; without a data directory nothing was ever written.
Result<OwnedDatum> last_appended(SessionParts& session, std::span<const Datum>) {
  if (places_are_of_changes(session)) return last_published(session);
  DataDirectory* data = session.instance().data_directory();
  return OwnedDatum(number(data == nullptr ? 0 : data->log().statistics().next_lsn - 1));
}
Result<OwnedDatum> last_durable(SessionParts& session, std::span<const Datum>) {
  if (places_are_of_changes(session)) return last_published(session);
  DataDirectory* data = session.instance().data_directory();
  return OwnedDatum(number(data == nullptr ? 0 : data->log().statistics().durable_end - 1));
}

constexpr SystemValue kDurabilityValues[] = {{"pg_last_wal_receive_lsn", not_in_recovery},
                                             {"pg_last_wal_replay_lsn", not_in_recovery},
                                             {"pg_last_xact_replay_timestamp", not_in_recovery},
                                             {"pg_current_wal_lsn", last_appended},
                                             {"pg_current_wal_insert_lsn", last_appended},
                                             {"pg_current_wal_flush_lsn", last_durable},
                                             {"pg_control_system", control_system},
                                             {"pg_control_init", control_init},
                                             {"pg_control_recovery", control_recovery}};
constexpr SystemRows kDurabilityRows[] = {{"indigo_stat_get_log", log_row}, {"indigo_backup", backup_row}};

}  // namespace

std::span<const SystemValue> durability_values() { return kDurabilityValues; }
std::span<const SystemRows> durability_rows() { return kDurabilityRows; }

}  // namespace indigo::engine
