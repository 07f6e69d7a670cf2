// pg_stat_statements 1.10, and its versions since 1.4, whose numbers the session's owner has.
#include "types/extension/extension.h"

#include <string>
#include <vector>

#include "types/system/delegate.h"

namespace indigo::types {

namespace {

// The columns of pg_stat_statements() in its versions: those in the middle of 1.3 are others since 1.8.
constexpr std::string_view kWho = "out userid oid, out dbid oid, ";
constexpr std::string_view kLevel = "out toplevel bool, ";  // since 1.9
constexpr std::string_view kQuery = "out queryid bigint, out query text, ";
constexpr std::string_view kTimes =
    "out calls int8, out total_time float8, out min_time float8, out max_time float8, out mean_time float8, "
    "out stddev_time float8, ";
constexpr std::string_view kPlanAndRunTimes =
    "out plans int8, out total_plan_time float8, out min_plan_time float8, out max_plan_time float8, "
    "out mean_plan_time float8, out stddev_plan_time float8, out calls int8, out total_exec_time float8, "
    "out min_exec_time float8, out max_exec_time float8, out mean_exec_time float8, out stddev_exec_time float8, ";
constexpr std::string_view kBlocks =
    "out rows int8, out shared_blks_hit int8, out shared_blks_read int8, out shared_blks_dirtied int8, "
    "out shared_blks_written int8, out local_blks_hit int8, out local_blks_read int8, out local_blks_dirtied int8, "
    "out local_blks_written int8, out temp_blks_read int8, out temp_blks_written int8, out blk_read_time float8, "
    "out blk_write_time float8";
constexpr std::string_view kTemporaryTimes = ", out temp_blk_read_time float8, out temp_blk_write_time float8";  // 1.10
constexpr std::string_view kLog = ", out wal_records int8, out wal_fpi int8, out wal_bytes numeric";  // since 1.8
constexpr std::string_view kCompiler =                                                                // since 1.10
    ", out jit_functions int8, out jit_generation_time float8, out jit_inlining_count int8, "
    "out jit_inlining_time float8, out jit_optimization_count int8, out jit_optimization_time float8, "
    "out jit_emission_count int8, out jit_emission_time float8";

std::string statistics(std::string_view version, std::initializer_list<std::string_view> columns) {
  std::string out = "create function pg_stat_statements(in showtext boolean, ";
  for (const std::string_view part : columns) out.append(part);
  out.append(") returns setof record as 'MODULE_PATHNAME', 'pg_stat_statements_").append(version);
  return out +
         "' language c strict volatile parallel safe;"
         "create view pg_stat_statements as select * from pg_stat_statements(true);"
         "grant select on pg_stat_statements to public;";
}

constexpr const char* kForget = R"sql(
alter extension pg_stat_statements drop view pg_stat_statements;
alter extension pg_stat_statements drop function pg_stat_statements(boolean);
drop view pg_stat_statements;
drop function pg_stat_statements(boolean);
)sql";
constexpr const char* kReset = R"sql(
create function pg_stat_statements_reset(in userid oid default 0, in dbid oid default 0, in queryid bigint default 0)
  returns void as 'MODULE_PATHNAME', 'pg_stat_statements_reset_1_7' language c strict parallel safe;
revoke all on function pg_stat_statements_reset(oid, oid, bigint) from public;
)sql";
constexpr const char* kInfo = R"sql(
create function pg_stat_statements_info(out dealloc bigint, out stats_reset timestamp with time zone)
  returns setof record as 'MODULE_PATHNAME' language c strict volatile rows 1 parallel safe;
create view pg_stat_statements_info as select * from pg_stat_statements_info();
grant select on pg_stat_statements_info to public;
)sql";

struct Scripts {
  const std::string newest =
      statistics("1_10", {kWho, kLevel, kQuery, kPlanAndRunTimes, kBlocks, kTemporaryTimes, kLog, kCompiler});
  const std::string all = kReset + (kInfo + newest);
  const std::string v1_4 =
      "create function pg_stat_statements_reset() returns void as 'MODULE_PATHNAME' language c parallel safe;" +
      statistics("1_3", {kWho, kQuery, kTimes, kBlocks}) +
      "revoke all on function pg_stat_statements_reset() from public;";
  const std::string to_1_7 = std::string(
                                 "alter extension pg_stat_statements drop function pg_stat_statements_reset();"
                                 "drop function pg_stat_statements_reset();") +
                             kReset;
  const std::string to_1_8 = kForget + statistics("1_8", {kWho, kQuery, kPlanAndRunTimes, kBlocks, kLog});
  const std::string to_1_9 =
      kForget + (kInfo + statistics("1_9", {kWho, kLevel, kQuery, kPlanAndRunTimes, kBlocks, kLog}));
  const std::string to_1_10 = kForget + newest;
  const std::vector<ExtensionScript> list = {
      {"", "1.4", v1_4},
      {"1.4", "1.5", "grant execute on function pg_stat_statements_reset() to pg_read_all_stats"},
      {"1.5", "1.6", "revoke execute on function pg_stat_statements_reset() from pg_read_all_stats"},
      {"1.6", "1.7", to_1_7},
      {"1.7", "1.8", to_1_8},
      {"1.8", "1.9", to_1_9},
      {"1.9", "1.10", to_1_10}};
};

constexpr ScalarEntry kFunctions[] = {{"pg_stat_statements_reset", system_value<"pg_stat_statements_reset">},
                                      {"pg_stat_statements_reset_1_7", system_value<"pg_stat_statements_reset_1_7">}};
constexpr SetEntry kSets[] = {{"pg_stat_statements_1_3", system_rows<"pg_stat_statements_1_3">},
                              {"pg_stat_statements_1_8", system_rows<"pg_stat_statements_1_8">},
                              {"pg_stat_statements_1_9", system_rows<"pg_stat_statements_1_9">},
                              {"pg_stat_statements_1_10", system_rows<"pg_stat_statements_1_10">},
                              {"pg_stat_statements_info", system_rows<"pg_stat_statements_info">}};

}  // namespace

const Extension& pg_stat_statements_extension() {
  static const Scripts scripts;
  static const Extension extension{.name = "pg_stat_statements",
                                   .version = "1.10",
                                   .comment = "track planning and execution statistics of all SQL statements executed",
                                   .trusted = false,
                                   .schema = {},
                                   .required = {},
                                   .definitions = scripts.all,
                                   .functions = kFunctions,
                                   .sets = kSets,
                                   .scripts = scripts.list};
  return extension;
}

}  // namespace indigo::types
