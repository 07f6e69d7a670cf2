// Indigo's own views: how the storage engine and the workers do. Their columns are in tools/own_catalog.py;
// docs/monitoring.md explains them.
#include "catalog/views/system_views.h"

namespace indigo::catalog {
namespace {

constexpr SystemView kStorageViews[] = {
    {"indigo_stat_storage", R"sql(
select s.commits, s.rollbacks, s.aborts_conflict, s.aborts_serialization, s.aborts_deadlock, s.aborts_timeout,
       s.aborts_canceled, s.aborts_memory, s.records_in_process, s.versions, s.retired_objects, s.memory_bytes,
       s.memory_limit_bytes
from pg_catalog.indigo_stat_get_storage() s)sql"},
    {"indigo_stat_memory", R"sql(
select s.kind, s.bytes from pg_catalog.indigo_stat_get_memory() s)sql"},
    {"indigo_stat_database_memory", R"sql(
select s.datid, d.datname, s.kind, s.bytes
from pg_catalog.indigo_stat_get_database_memory() s
     left join pg_catalog.pg_database d on d.oid = s.datid)sql"},
    {"indigo_stat_tables", R"sql(
select c.oid as relid, n.nspname as schemaname, c.relname as relname, s.leaves, s.leaf_bytes, s.splits, s.merges,
       s.versions, s.version_bytes, s.chains, s.chain_length_avg, s.chain_length_max
from pg_catalog.pg_class c
     left join pg_catalog.pg_namespace n on n.oid = c.relnamespace,
     lateral pg_catalog.indigo_stat_get_table(c.oid) s
where c.relkind = 'r')sql"},
    {"indigo_stat_index_service", R"sql(
select c.oid as indexrelid, n.nspname as schemaname, c.relname as indexrelname, a.amname as method, s.backlog,
       s.backlog_bytes, s.age_ms, s.batches, s.merged, s.stalls, s.repairs
from pg_catalog.pg_class c
     join pg_catalog.pg_am a on a.oid = c.relam
     left join pg_catalog.pg_namespace n on n.oid = c.relnamespace,
     lateral pg_catalog.indigo_stat_get_index_service(c.oid) s
where c.relkind = 'i')sql"},
    {"indigo_stat_log", R"sql(
select s.records, s.bytes, s.file_bytes, s.appended_lsn, s.durable_lsn, s.flushes, s.flush_time_avg, s.flush_time_max,
       s.records_per_flush, s.checkpoints, s.checkpoint_bytes, s.checkpoint_time, s.recovery_transactions, s.recovery_bytes,
       s.recovery_time
from pg_catalog.indigo_stat_get_log() s)sql"},
    {"indigo_snapshots", R"sql(
select s.datid, d.datname, s.name, s.created
from pg_catalog.indigo_stat_get_snapshots() s
     join pg_catalog.pg_database d on d.oid = s.datid)sql"},
    {"indigo_stat_workers", R"sql(
select s.worker, s.state, s.pid, s.query, s.piece_ms, s.sessions, s.pieces, s.stalls
from pg_catalog.indigo_stat_get_workers() s)sql"},
};

}  // namespace

std::span<const SystemView> storage_views() { return kStorageViews; }

}  // namespace indigo::catalog
