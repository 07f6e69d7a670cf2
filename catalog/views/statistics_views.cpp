// pg_stat_*: activity and counters, from the functions that the engine answers.
#include "catalog/views/system_views.h"

namespace indigo::catalog {
namespace {

#define INDIGO_STAT_TABLES(condition)                                                                                  \
  "select c.oid as relid, n.nspname as schemaname, c.relname as relname,"                                              \
  " pg_catalog.pg_stat_get_numscans(c.oid) as seq_scan, pg_catalog.pg_stat_get_tuples_returned(c.oid) as "             \
  "seq_tup_read,"                                                                                                      \
  " (select sum(pg_catalog.pg_stat_get_numscans(i.indexrelid))::pg_catalog.int8 from pg_catalog.pg_index i"            \
  " where i.indrelid = c.oid) as idx_scan,"                                                                            \
  " (select sum(pg_catalog.pg_stat_get_tuples_fetched(i.indexrelid))::pg_catalog.int8 from pg_catalog.pg_index i"      \
  " where i.indrelid = c.oid) + pg_catalog.pg_stat_get_tuples_fetched(c.oid) as idx_tup_fetch,"                        \
  " pg_catalog.pg_stat_get_tuples_inserted(c.oid) as n_tup_ins,"                                                       \
  " pg_catalog.pg_stat_get_tuples_updated(c.oid) as n_tup_upd,"                                                        \
  " pg_catalog.pg_stat_get_tuples_deleted(c.oid) as n_tup_del,"                                                        \
  " pg_catalog.pg_stat_get_tuples_hot_updated(c.oid) as n_tup_hot_upd,"                                                \
  " pg_catalog.pg_stat_get_live_tuples(c.oid) as n_live_tup, pg_catalog.pg_stat_get_dead_tuples(c.oid) as n_dead_tup," \
  " pg_catalog.pg_stat_get_mod_since_analyze(c.oid) as n_mod_since_analyze,"                                           \
  " pg_catalog.pg_stat_get_ins_since_vacuum(c.oid) as n_ins_since_vacuum,"                                             \
  " pg_catalog.pg_stat_get_last_vacuum_time(c.oid) as last_vacuum,"                                                    \
  " pg_catalog.pg_stat_get_last_autovacuum_time(c.oid) as last_autovacuum,"                                            \
  " pg_catalog.pg_stat_get_last_analyze_time(c.oid) as last_analyze,"                                                  \
  " pg_catalog.pg_stat_get_last_autoanalyze_time(c.oid) as last_autoanalyze,"                                          \
  " pg_catalog.pg_stat_get_vacuum_count(c.oid) as vacuum_count,"                                                       \
  " pg_catalog.pg_stat_get_autovacuum_count(c.oid) as autovacuum_count,"                                               \
  " pg_catalog.pg_stat_get_analyze_count(c.oid) as analyze_count,"                                                     \
  " pg_catalog.pg_stat_get_autoanalyze_count(c.oid) as autoanalyze_count"                                              \
  " from pg_catalog.pg_class c left join pg_catalog.pg_namespace n on n.oid = c.relnamespace"                          \
  " where c.relkind in ('r', 't', 'm', 'p')" condition

#define INDIGO_STAT_INDEXES(condition)                                                         \
  "select c.oid as relid, i.oid as indexrelid, n.nspname as schemaname, c.relname as relname," \
  " i.relname as indexrelname, pg_catalog.pg_stat_get_numscans(i.oid) as idx_scan,"            \
  " pg_catalog.pg_stat_get_tuples_returned(i.oid) as idx_tup_read,"                            \
  " pg_catalog.pg_stat_get_tuples_fetched(i.oid) as idx_tup_fetch"                             \
  " from pg_catalog.pg_index x join pg_catalog.pg_class c on c.oid = x.indrelid"               \
  " join pg_catalog.pg_class i on i.oid = x.indexrelid"                                        \
  " left join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 't', 'm')" condition

#define INDIGO_USER " and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_toast%'"
#define INDIGO_SYSTEM " and (n.nspname in ('pg_catalog', 'information_schema') or n.nspname like 'pg\\_toast%')"

constexpr SystemView kStatisticsViews[] = {
    {"pg_stat_activity", R"sql(
select s.datid, d.datname, s.pid, s.leader_pid, s.usesysid, u.rolname as usename, s.application_name, s.client_addr,
       s.client_hostname, s.client_port, s.backend_start, s.xact_start, s.query_start, s.state_change, s.wait_event_type,
       s.wait_event, s.state, s.backend_xid, s.backend_xmin, s.query_id, s.query, s.backend_type
from pg_catalog.pg_stat_get_activity(null) s
     left join pg_catalog.pg_database d on d.oid = s.datid
     left join pg_catalog.pg_authid u on u.oid = s.usesysid)sql"},
    {"pg_stat_ssl", R"sql(
select s.pid, s.ssl, s.sslversion as version, s.sslcipher as cipher, s.sslbits as bits, s.ssl_client_dn as client_dn,
       s.ssl_client_serial as client_serial, s.ssl_issuer_dn as issuer_dn
from pg_catalog.pg_stat_get_activity(null) s
where s.client_port is not null)sql"},
    {"pg_stat_database", R"sql(
select d.oid as datid, d.datname, pg_catalog.pg_stat_get_db_numbackends(d.oid) as numbackends,
       pg_catalog.pg_stat_get_db_xact_commit(d.oid) as xact_commit,
       pg_catalog.pg_stat_get_db_xact_rollback(d.oid) as xact_rollback,
       pg_catalog.pg_stat_get_db_blocks_fetched(d.oid) - pg_catalog.pg_stat_get_db_blocks_hit(d.oid) as blks_read,
       pg_catalog.pg_stat_get_db_blocks_hit(d.oid) as blks_hit,
       pg_catalog.pg_stat_get_db_tuples_returned(d.oid) as tup_returned,
       pg_catalog.pg_stat_get_db_tuples_fetched(d.oid) as tup_fetched,
       pg_catalog.pg_stat_get_db_tuples_inserted(d.oid) as tup_inserted,
       pg_catalog.pg_stat_get_db_tuples_updated(d.oid) as tup_updated,
       pg_catalog.pg_stat_get_db_tuples_deleted(d.oid) as tup_deleted,
       pg_catalog.pg_stat_get_db_conflict_all(d.oid) as conflicts,
       pg_catalog.pg_stat_get_db_temp_files(d.oid) as temp_files,
       pg_catalog.pg_stat_get_db_temp_bytes(d.oid) as temp_bytes,
       pg_catalog.pg_stat_get_db_deadlocks(d.oid) as deadlocks,
       pg_catalog.pg_stat_get_db_checksum_failures(d.oid) as checksum_failures,
       pg_catalog.pg_stat_get_db_checksum_last_failure(d.oid) as checksum_last_failure,
       pg_catalog.pg_stat_get_db_blk_read_time(d.oid) as blk_read_time,
       pg_catalog.pg_stat_get_db_blk_write_time(d.oid) as blk_write_time,
       pg_catalog.pg_stat_get_db_session_time(d.oid) as session_time,
       pg_catalog.pg_stat_get_db_active_time(d.oid) as active_time,
       pg_catalog.pg_stat_get_db_idle_in_transaction_time(d.oid) as idle_in_transaction_time,
       pg_catalog.pg_stat_get_db_sessions(d.oid) as sessions,
       pg_catalog.pg_stat_get_db_sessions_abandoned(d.oid) as sessions_abandoned,
       pg_catalog.pg_stat_get_db_sessions_fatal(d.oid) as sessions_fatal,
       pg_catalog.pg_stat_get_db_sessions_killed(d.oid) as sessions_killed,
       pg_catalog.pg_stat_get_db_stat_reset_time(d.oid) as stats_reset
from pg_catalog.pg_database d)sql"},
    {"pg_stat_all_tables", INDIGO_STAT_TABLES("")},
    {"pg_stat_user_tables", INDIGO_STAT_TABLES(INDIGO_USER)},
    {"pg_stat_sys_tables", INDIGO_STAT_TABLES(INDIGO_SYSTEM)},
    {"pg_stat_all_indexes", INDIGO_STAT_INDEXES("")},
    {"pg_stat_user_indexes", INDIGO_STAT_INDEXES(INDIGO_USER)},
    {"pg_stat_sys_indexes", INDIGO_STAT_INDEXES(INDIGO_SYSTEM)},
};

#undef INDIGO_STAT_TABLES
#undef INDIGO_STAT_INDEXES
#undef INDIGO_USER
#undef INDIGO_SYSTEM

}  // namespace

std::span<const SystemView> statistics_views() { return kStatisticsViews; }

}  // namespace indigo::catalog
