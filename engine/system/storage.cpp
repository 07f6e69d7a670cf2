// Figures of the storage engine: the functions behind indigo_stat_storage, indigo_stat_memory and indigo_stat_tables
// (docs/monitoring.md).
#include "catalog/descriptor/session_catalog.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/families.h"
#include "storage/statistics.h"
#include "storage/store.h"
#include "storage/table.h"

namespace indigo::engine {

namespace {

using storage::AbortReason;

Datum number(uint64_t n) { return Datum::of(static_cast<int64_t>(n)); }

Status storage_row(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  const storage::StoreStatistics s = storage::statistics_of(session.store());
  const Datum row[] = {number(s.commits),
                       number(s.rollbacks),
                       number(s.aborts_by(AbortReason::kConflict)),
                       number(s.aborts_by(AbortReason::kSerialization)),
                       number(s.aborts_by(AbortReason::kDeadlock)),
                       number(s.aborts_by(AbortReason::kTimeout)),
                       number(s.aborts_by(AbortReason::kCanceled)),
                       number(s.aborts_by(AbortReason::kMemory)),
                       number(s.records_in_process),
                       number(s.versions),
                       number(s.retired_objects),
                       number(s.memory_total_bytes),
                       s.memory_limit_bytes == 0 ? Datum::make_null(Phys::kI64) : number(s.memory_limit_bytes)};
  sink(row);
  return {};
}

Status memory_rows(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  const storage::StoreStatistics s = storage::statistics_of(session.store());
  for (size_t i = 0; i < storage::kMemoryKinds; i++) {
    const auto kind = static_cast<storage::MemoryKind>(i);
    const Datum row[] = {text_datum(storage::memory_kind_name(kind)), Datum::of(s.bytes_of(kind))};
    sink(row);
  }
  return {};
}

// No row for what has no storage of its own: views, and system tables never written to.
Status table_rows(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  const auto relation = session.session_catalog().relation(arguments[0].oid());
  if (relation == nullptr || relation->table == nullptr || relation->kind != catalog::RelationKind::kTable) return {};
  auto statistics = storage::statistics_of(*relation->table);
  if (!statistics) return {};
  const storage::TableStatistics& s = *statistics;
  const Datum row[] = {number(s.leaves),
                       number(s.leaf_bytes),
                       number(s.splits),
                       number(s.merges),
                       number(s.versions),
                       number(s.version_bytes),
                       number(s.chains),
                       s.chains == 0
                           ? Datum::make_null(Phys::kF64)
                           : Datum::of(static_cast<double>(s.chained_versions) / static_cast<double>(s.chains)),
                       number(s.chain_length_max)};
  sink(row);
  return {};
}

// No row for an index that does everything at once, and for what is no index.
Status index_service_row(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  const Oid oid = arguments[0].oid();
  Oid table = kInvalidOid;
  CatalogRows(session).find(catalog::pg_index::kOid, oid,
                            [&](RowReader row) { table = row.oid(catalog::pg_index::c_indrelid); });
  const auto relation = table == kInvalidOid ? nullptr : session.session_catalog().relation(table);
  if (relation == nullptr || relation->table == nullptr) return {};
  for (const catalog::IndexInfo& index : relation->indexes) {
    if (index.oid != oid || !index.storage) continue;
    const auto s = storage::index_service_of(*relation->table, index.storage);
    if (!s) continue;
    const Datum row[] = {
        number(s->backlog_entries), number(s->backlog_bytes),  Datum::of(static_cast<double>(s->age_us) / 1000),
        number(s->batches),         number(s->merged_entries), number(s->stalls),
        number(s->repairs)};
    sink(row);
  }
  return {};
}

constexpr SystemRows kStorageRows[] = {{"indigo_stat_get_storage", storage_row},
                                       {"indigo_stat_get_memory", memory_rows},
                                       {"indigo_stat_get_table", table_rows},
                                       {"indigo_stat_get_index_service", index_service_row}};

}  // namespace

std::span<const SystemRows> storage_rows() { return kStorageRows; }

}  // namespace indigo::engine
