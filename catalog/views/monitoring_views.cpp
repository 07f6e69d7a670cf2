// Views that monitoring asks for about what Indigo does not have (replication, block files): right columns, no
// rows or zeros.
#include "catalog/views/system_views.h"

namespace indigo::catalog {
namespace {

// Blocks of files: there are none.
#define INDIGO_STATIO_TABLES(condition)                                                                            \
  "select c.oid as relid, n.nspname as schemaname, c.relname as relname, 0::pg_catalog.int8 as heap_blks_read,"    \
  " 0::pg_catalog.int8 as heap_blks_hit, 0::pg_catalog.int8 as idx_blks_read, 0::pg_catalog.int8 as idx_blks_hit," \
  " null::pg_catalog.int8 as toast_blks_read, null::pg_catalog.int8 as toast_blks_hit,"                            \
  " null::pg_catalog.int8 as tidx_blks_read, null::pg_catalog.int8 as tidx_blks_hit"                               \
  " from pg_catalog.pg_class c left join pg_catalog.pg_namespace n on n.oid = c.relnamespace"                      \
  " where c.relkind in ('r', 't', 'm')" condition
#define INDIGO_STATIO_INDEXES(condition)                                                                \
  "select c.oid as relid, i.oid as indexrelid, n.nspname as schemaname, c.relname as relname,"          \
  " i.relname as indexrelname, 0::pg_catalog.int8 as idx_blks_read, 0::pg_catalog.int8 as idx_blks_hit" \
  " from pg_catalog.pg_index x join pg_catalog.pg_class c on c.oid = x.indrelid"                        \
  " join pg_catalog.pg_class i on i.oid = x.indexrelid"                                                 \
  " left join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 't', 'm')" condition
#define INDIGO_STATIO_SEQUENCES(condition)                                                                 \
  "select c.oid as relid, n.nspname as schemaname, c.relname as relname, 0::pg_catalog.int8 as blks_read," \
  " 0::pg_catalog.int8 as blks_hit from pg_catalog.pg_class c"                                             \
  " left join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.relkind = 'S'" condition
#define INDIGO_USER " and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_toast%'"
#define INDIGO_SYSTEM " and (n.nspname in ('pg_catalog', 'information_schema') or n.nspname like 'pg\\_toast%')"

constexpr SystemView kMonitoringViews[] = {
    {"pg_statio_all_tables", INDIGO_STATIO_TABLES("")},
    {"pg_statio_user_tables", INDIGO_STATIO_TABLES(INDIGO_USER)},
    {"pg_statio_sys_tables", INDIGO_STATIO_TABLES(INDIGO_SYSTEM)},
    {"pg_statio_all_indexes", INDIGO_STATIO_INDEXES("")},
    {"pg_statio_user_indexes", INDIGO_STATIO_INDEXES(INDIGO_USER)},
    {"pg_statio_sys_indexes", INDIGO_STATIO_INDEXES(INDIGO_SYSTEM)},
    {"pg_statio_all_sequences", INDIGO_STATIO_SEQUENCES("")},
    {"pg_statio_user_sequences", INDIGO_STATIO_SEQUENCES(INDIGO_USER)},
    {"pg_statio_sys_sequences", INDIGO_STATIO_SEQUENCES(INDIGO_SYSTEM)},
    {"pg_stat_replication", R"sql(
select s.pid, s.usesysid, u.rolname as usename, s.application_name, s.client_addr, s.client_hostname, s.client_port,
       s.backend_start, s.backend_xmin, w.state, w.sent_lsn, w.write_lsn, w.flush_lsn, w.replay_lsn, w.write_lag,
       w.flush_lag, w.replay_lag, w.sync_priority, w.sync_state, w.reply_time
from pg_catalog.pg_stat_get_activity(null::pg_catalog.int4) s
     join pg_catalog.pg_stat_get_wal_senders() w on s.pid = w.pid
     left join pg_catalog.pg_authid u on s.usesysid = u.oid)sql"},
    {"pg_replication_slots", R"sql(
select l.slot_name, l.plugin, l.slot_type, l.datoid, d.datname as database, l.temporary, l.active, l.active_pid, l.xmin,
       l.catalog_xmin, l.restart_lsn, l.confirmed_flush_lsn, l.wal_status, l.safe_wal_size, l.two_phase
from pg_catalog.pg_get_replication_slots() l
     left join pg_catalog.pg_database d on l.datoid = d.oid)sql"},
    {"pg_publication_tables", R"sql(
select p.pubname, n.nspname as schemaname, c.relname as tablename,
       (select pg_catalog.array_agg(a.attname order by a.attnum) from pg_catalog.pg_attribute a
        where a.attrelid = t.relid and a.attnum > 0 and not a.attisdropped
              and (a.attnum = any (t.attrs::pg_catalog.int2[]) or t.attrs is null)) as attnames,
       pg_catalog.pg_get_expr(t.qual, t.relid) as rowfilter
from pg_catalog.pg_publication p
     cross join lateral pg_catalog.pg_get_publication_tables(p.pubname::pg_catalog.text) t
     join pg_catalog.pg_class c on c.oid = t.relid
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace)sql"},
    {"pg_stat_subscription", R"sql(
select su.oid as subid, su.subname, st.pid, st.relid, st.received_lsn, st.last_msg_send_time, st.last_msg_receipt_time,
       st.latest_end_lsn, st.latest_end_time
from pg_catalog.pg_subscription su
     left join pg_catalog.pg_stat_get_subscription(null::pg_catalog.oid) st on st.subid = su.oid)sql"},
    {"pg_stat_subscription_stats", R"sql(
select ss.subid, s.subname, ss.apply_error_count, ss.sync_error_count, ss.stats_reset
from pg_catalog.pg_subscription s, lateral pg_catalog.pg_stat_get_subscription_stats(s.oid) ss)sql"},
    {"pg_stat_progress_analyze", R"sql(
select s.pid, s.datid, d.datname, s.relid,
       case s.param1 when 0 then 'initializing' when 1 then 'acquiring sample rows'
                     when 2 then 'acquiring inherited sample rows' when 3 then 'computing statistics'
                     when 4 then 'computing extended statistics' when 5 then 'finalizing analyze' end as phase,
       s.param2 as sample_blks_total, s.param3 as sample_blks_scanned, s.param4 as ext_stats_total,
       s.param5 as ext_stats_computed, s.param6 as child_tables_total, s.param7 as child_tables_done,
       s.param8::pg_catalog.oid as current_child_table_relid
from pg_catalog.pg_stat_get_progress_info('ANALYZE') s left join pg_catalog.pg_database d on s.datid = d.oid)sql"},
    {"pg_stat_progress_basebackup", R"sql(
select s.pid,
       case s.param1 when 0 then 'initializing' when 1 then 'waiting for checkpoint to finish'
                     when 2 then 'estimating backup size' when 3 then 'streaming database files'
                     when 4 then 'waiting for wal archiving to finish' when 5 then 'transferring wal files' end as phase,
       case s.param2 when -1 then null else s.param2 end as backup_total, s.param3 as backup_streamed,
       s.param4 as tablespaces_total, s.param5 as tablespaces_streamed
from pg_catalog.pg_stat_get_progress_info('BASEBACKUP') s)sql"},
    {"pg_stat_progress_cluster", R"sql(
select s.pid, s.datid, d.datname, s.relid, case s.param1 when 1 then 'CLUSTER' when 2 then 'VACUUM FULL' end as command,
       case s.param2 when 0 then 'initializing' when 1 then 'seq scanning heap' when 2 then 'index scanning heap'
                     when 3 then 'sorting tuples' when 4 then 'writing new heap' when 5 then 'swapping relation files'
                     when 6 then 'rebuilding index' when 7 then 'performing final cleanup' end as phase,
       s.param3::pg_catalog.oid as cluster_index_relid, s.param4 as heap_tuples_scanned,
       s.param5 as heap_tuples_written, s.param6 as heap_blks_total, s.param7 as heap_blks_scanned,
       s.param8 as index_rebuild_count
from pg_catalog.pg_stat_get_progress_info('CLUSTER') s left join pg_catalog.pg_database d on s.datid = d.oid)sql"},
    {"pg_stat_progress_copy", R"sql(
select s.pid, s.datid, d.datname, s.relid, case s.param5 when 1 then 'COPY FROM' when 2 then 'COPY TO' end as command,
       case s.param6 when 1 then 'FILE' when 2 then 'PROGRAM' when 3 then 'PIPE' when 4 then 'CALLBACK' end as "type",
       s.param1 as bytes_processed, s.param2 as bytes_total, s.param3 as tuples_processed, s.param4 as tuples_excluded
from pg_catalog.pg_stat_get_progress_info('COPY') s left join pg_catalog.pg_database d on s.datid = d.oid)sql"},
    {"pg_stat_progress_create_index", R"sql(
select s.pid, s.datid, d.datname, s.relid, s.param7::pg_catalog.oid as index_relid,
       case s.param1 when 1 then 'CREATE INDEX' when 2 then 'CREATE INDEX CONCURRENTLY' when 3 then 'REINDEX'
                     when 4 then 'REINDEX CONCURRENTLY' end as command,
       case s.param10 when 0 then 'initializing' when 1 then 'waiting for writers before build'
                      when 2 then 'building index' ||
                        coalesce(': ' || pg_catalog.pg_indexam_progress_phasename(s.param9::pg_catalog.oid, s.param11), '')
                      when 3 then 'waiting for writers before validation' when 4 then 'index validation: scanning index'
                      when 5 then 'index validation: sorting tuples' when 6 then 'index validation: scanning table'
                      when 7 then 'waiting for old snapshots' when 8 then 'waiting for readers before marking dead'
                      when 9 then 'waiting for readers before dropping' end as phase,
       s.param4 as lockers_total, s.param5 as lockers_done, s.param6 as current_locker_pid, s.param16 as blocks_total,
       s.param17 as blocks_done, s.param12 as tuples_total, s.param13 as tuples_done, s.param14 as partitions_total,
       s.param15 as partitions_done
from pg_catalog.pg_stat_get_progress_info('CREATE INDEX') s left join pg_catalog.pg_database d on s.datid = d.oid)sql"},
    {"pg_stat_progress_vacuum", R"sql(
select s.pid, s.datid, d.datname, s.relid,
       case s.param1 when 0 then 'initializing' when 1 then 'scanning heap' when 2 then 'vacuuming indexes'
                     when 3 then 'vacuuming heap' when 4 then 'cleaning up indexes' when 5 then 'truncating heap'
                     when 6 then 'performing final cleanup' end as phase,
       s.param2 as heap_blks_total, s.param3 as heap_blks_scanned, s.param4 as heap_blks_vacuumed,
       s.param5 as index_vacuum_count, s.param6 as max_dead_tuples, s.param7 as num_dead_tuples
from pg_catalog.pg_stat_get_progress_info('VACUUM') s left join pg_catalog.pg_database d on s.datid = d.oid)sql"},
    {"pg_stat_wal_receiver", R"sql(
select null::pg_catalog.int4 as pid, null::pg_catalog.text as status,
       null::pg_catalog.pg_lsn as receive_start_lsn, null::pg_catalog.int4 as receive_start_tli,
       null::pg_catalog.pg_lsn as written_lsn, null::pg_catalog.pg_lsn as flushed_lsn,
       null::pg_catalog.int4 as received_tli, null::pg_catalog.timestamptz as last_msg_send_time,
       null::pg_catalog.timestamptz as last_msg_receipt_time, null::pg_catalog.pg_lsn as latest_end_lsn,
       null::pg_catalog.timestamptz as latest_end_time, null::pg_catalog.text as slot_name,
       null::pg_catalog.text as sender_host, null::pg_catalog.int4 as sender_port,
       null::pg_catalog.text as conninfo
where false)sql"},
    {"pg_stat_replication_slots", R"sql(
select null::pg_catalog.text as slot_name, null::pg_catalog.int8 as spill_txns,
       null::pg_catalog.int8 as spill_count, null::pg_catalog.int8 as spill_bytes,
       null::pg_catalog.int8 as stream_txns, null::pg_catalog.int8 as stream_count,
       null::pg_catalog.int8 as stream_bytes, null::pg_catalog.int8 as total_txns,
       null::pg_catalog.int8 as total_bytes, null::pg_catalog.timestamptz as stats_reset
where false)sql"},
    {"pg_hba_file_rules", R"sql(
select a.line_number, a.type, a.database, a.user_name, a.address, a.netmask, a.auth_method, a.options, a.error
from pg_catalog.pg_hba_file_rules() a)sql"},
    {"pg_file_settings", R"sql(
select a.sourcefile, a.sourceline, a.seqno, a.name, a.setting, a.applied, a.error
from pg_catalog.pg_show_all_file_settings() a)sql"},
    {"pg_ident_file_mappings", R"sql(
select a.line_number, a.map_name, a.sys_name, a.pg_username, a.error
from pg_catalog.pg_ident_file_mappings() a)sql"},
    {"pg_seclabels", R"sql(
select null::pg_catalog.oid as objoid, null::pg_catalog.oid as classoid, null::pg_catalog.int4 as objsubid,
       null::pg_catalog.text as objtype, null::pg_catalog.oid as objnamespace,
       null::pg_catalog.text as objname, null::pg_catalog.text as provider, null::pg_catalog.text as label
where false)sql"},
    {"pg_shmem_allocations", R"sql(
select null::pg_catalog.text as name, null::pg_catalog.int8 as off, null::pg_catalog.int8 as size,
       null::pg_catalog.int8 as allocated_size
where false)sql"},
    {"pg_backend_memory_contexts", R"sql(
select null::pg_catalog.text as name, null::pg_catalog.text as ident, null::pg_catalog.text as parent,
       null::pg_catalog.int4 as level, null::pg_catalog.int8 as total_bytes,
       null::pg_catalog.int8 as total_nblocks, null::pg_catalog.int8 as free_bytes,
       null::pg_catalog.int8 as free_chunks, null::pg_catalog.int8 as used_bytes
where false)sql"},
    {"pg_stat_user_functions", R"sql(
select null::pg_catalog.oid as funcid, null::pg_catalog.name as schemaname, null::pg_catalog.name as funcname,
       null::pg_catalog.int8 as calls, null::pg_catalog.float8 as total_time,
       null::pg_catalog.float8 as self_time
where false)sql"},
    {"pg_stat_xact_user_functions", R"sql(
select null::pg_catalog.oid as funcid, null::pg_catalog.name as schemaname, null::pg_catalog.name as funcname,
       null::pg_catalog.int8 as calls, null::pg_catalog.float8 as total_time,
       null::pg_catalog.float8 as self_time
where false)sql"},
    {"pg_replication_origin_status", R"sql(
select null::pg_catalog.oid as local_id, null::pg_catalog.text as external_id,
       null::pg_catalog.pg_lsn as remote_lsn, null::pg_catalog.pg_lsn as local_lsn
where false)sql"},
    {"pg_stat_slru", R"sql(
select null::pg_catalog.text as name, null::pg_catalog.int8 as blks_zeroed, null::pg_catalog.int8 as blks_hit,
       null::pg_catalog.int8 as blks_read, null::pg_catalog.int8 as blks_written,
       null::pg_catalog.int8 as blks_exists, null::pg_catalog.int8 as flushes,
       null::pg_catalog.int8 as truncates, null::pg_catalog.timestamptz as stats_reset
where false)sql"},
    {"pg_config", R"sql(
select null::pg_catalog.text as name, null::pg_catalog.text as setting
where false)sql"},
    {"pg_stat_bgwriter", R"sql(
select 0::pg_catalog.int8 as checkpoints_timed, 0::pg_catalog.int8 as checkpoints_req,
       0::pg_catalog.float8 as checkpoint_write_time, 0::pg_catalog.float8 as checkpoint_sync_time,
       0::pg_catalog.int8 as buffers_checkpoint, 0::pg_catalog.int8 as buffers_clean,
       0::pg_catalog.int8 as maxwritten_clean, 0::pg_catalog.int8 as buffers_backend,
       0::pg_catalog.int8 as buffers_backend_fsync, 0::pg_catalog.int8 as buffers_alloc,
       pg_catalog.pg_postmaster_start_time() as stats_reset)sql"},
    {"pg_stat_archiver", R"sql(
select 0::pg_catalog.int8 as archived_count, null::pg_catalog.text as last_archived_wal,
       null::pg_catalog.timestamptz as last_archived_time, 0::pg_catalog.int8 as failed_count,
       null::pg_catalog.text as last_failed_wal, null::pg_catalog.timestamptz as last_failed_time,
       pg_catalog.pg_postmaster_start_time() as stats_reset)sql"},
    {"pg_stat_wal", R"sql(
select 0::pg_catalog.int8 as wal_records, 0::pg_catalog.int8 as wal_fpi, 0::pg_catalog.numeric as wal_bytes,
       0::pg_catalog.int8 as wal_buffers_full, 0::pg_catalog.int8 as wal_write, 0::pg_catalog.int8 as wal_sync,
       0::pg_catalog.float8 as wal_write_time, 0::pg_catalog.float8 as wal_sync_time,
       pg_catalog.pg_postmaster_start_time() as stats_reset)sql"},
    {"pg_stat_database_conflicts", R"sql(
select d.oid as datid, d.datname as datname, 0::pg_catalog.int8 as confl_tablespace,
       0::pg_catalog.int8 as confl_lock, 0::pg_catalog.int8 as confl_snapshot,
       0::pg_catalog.int8 as confl_bufferpin, 0::pg_catalog.int8 as confl_deadlock
from pg_catalog.pg_database d)sql"},
    {"pg_stat_gssapi", R"sql(
select s.pid as pid, false as gss_authenticated, null::pg_catalog.text as principal, false as encrypted
from pg_catalog.pg_stat_get_activity(null) s
where s.client_port is not null)sql"},
};

#undef INDIGO_STATIO_TABLES
#undef INDIGO_STATIO_INDEXES
#undef INDIGO_STATIO_SEQUENCES
#undef INDIGO_USER
#undef INDIGO_SYSTEM

}  // namespace

std::span<const SystemView> monitoring_views() { return kMonitoringViews; }

}  // namespace indigo::catalog
