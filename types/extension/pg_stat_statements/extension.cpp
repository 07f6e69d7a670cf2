// pg_stat_statements 1.10, whose numbers the session's owner has.
#include "types/extension/extension.h"

#include "types/system/delegate.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function pg_stat_statements_reset(in userid oid default 0, in dbid oid default 0, in queryid bigint default 0)
  returns void as 'MODULE_PATHNAME', 'pg_stat_statements_reset_1_7' language c strict parallel safe;
create function pg_stat_statements_info(out dealloc bigint, out stats_reset timestamp with time zone)
  returns setof record as 'MODULE_PATHNAME' language c strict volatile rows 1 parallel safe;
create function pg_stat_statements(in showtext boolean, out userid oid, out dbid oid, out toplevel bool,
  out queryid bigint, out query text, out plans int8, out total_plan_time float8, out min_plan_time float8,
  out max_plan_time float8, out mean_plan_time float8, out stddev_plan_time float8, out calls int8,
  out total_exec_time float8, out min_exec_time float8, out max_exec_time float8, out mean_exec_time float8,
  out stddev_exec_time float8, out rows int8, out shared_blks_hit int8, out shared_blks_read int8,
  out shared_blks_dirtied int8, out shared_blks_written int8, out local_blks_hit int8, out local_blks_read int8,
  out local_blks_dirtied int8, out local_blks_written int8, out temp_blks_read int8, out temp_blks_written int8,
  out blk_read_time float8, out blk_write_time float8, out temp_blk_read_time float8, out temp_blk_write_time float8,
  out wal_records int8, out wal_fpi int8, out wal_bytes numeric, out jit_functions int8,
  out jit_generation_time float8, out jit_inlining_count int8, out jit_inlining_time float8,
  out jit_optimization_count int8, out jit_optimization_time float8, out jit_emission_count int8,
  out jit_emission_time float8)
  returns setof record as 'MODULE_PATHNAME', 'pg_stat_statements_1_10' language c strict volatile parallel safe;
create view pg_stat_statements_info as select * from pg_stat_statements_info();
grant select on pg_stat_statements_info to public;
create view pg_stat_statements as select * from pg_stat_statements(true);
grant select on pg_stat_statements to public;
revoke all on function pg_stat_statements_reset(oid, oid, bigint) from public;
)sql";

constexpr ScalarEntry kFunctions[] = {{"pg_stat_statements_reset_1_7", system_value<"pg_stat_statements_reset_1_7">}};
constexpr SetEntry kSets[] = {{"pg_stat_statements_1_10", system_rows<"pg_stat_statements_1_10">},
                              {"pg_stat_statements_info", system_rows<"pg_stat_statements_info">}};

}  // namespace

const Extension& pg_stat_statements_extension() {
  static constexpr Extension kExtension{
      .name = "pg_stat_statements",
      .version = "1.10",
      .comment = "track planning and execution statistics of all SQL statements executed",
      .trusted = false,
      .schema = {},
      .required = {},
      .definitions = kDefinitions,
      .functions = kFunctions,
      .sets = kSets};
  return kExtension;
}

}  // namespace indigo::types
