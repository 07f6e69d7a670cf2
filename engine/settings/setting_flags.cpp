#include "engine/settings/setting_flags.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace indigo::engine {

namespace {

enum Flag : uint8_t {
  kExplain = 1,      // EXPLAIN (SETTINGS) shows it
  kNoShowAll = 2,    // SHOW ALL and pg_settings leave it out
  kNoResetAll = 4,   // RESET ALL does, too
  kNotInSample = 8,  // postgresql.conf.sample does, too
  kRuntimeComputed = 16
};

struct Row {
  std::string_view name;
  unsigned flags;
};

// By name; the others have none.
constexpr Row kRows[] = {
    {"allow_in_place_tablespaces", kNotInSample},
    {"allow_system_table_mods", kNotInSample},
    {"application_name", kNotInSample},
    {"backtrace_functions", kNotInSample},
    {"block_size", kNotInSample},
    {"constraint_exclusion", kExplain},
    {"cpu_index_tuple_cost", kExplain},
    {"cpu_operator_cost", kExplain},
    {"cpu_tuple_cost", kExplain},
    {"cursor_tuple_fraction", kExplain},
    {"data_checksums", kNotInSample | kRuntimeComputed},
    {"data_directory_mode", kNotInSample | kRuntimeComputed},
    {"debug_assertions", kNotInSample},
    {"debug_discard_caches", kNotInSample},
    {"default_with_oids", kNoShowAll | kNotInSample},
    {"effective_cache_size", kExplain},
    {"effective_io_concurrency", kExplain},
    {"enable_async_append", kExplain},
    {"enable_bitmapscan", kExplain},
    {"enable_gathermerge", kExplain},
    {"enable_hashagg", kExplain},
    {"enable_hashjoin", kExplain},
    {"enable_incremental_sort", kExplain},
    {"enable_indexonlyscan", kExplain},
    {"enable_indexscan", kExplain},
    {"enable_material", kExplain},
    {"enable_memoize", kExplain},
    {"enable_mergejoin", kExplain},
    {"enable_nestloop", kExplain},
    {"enable_parallel_append", kExplain},
    {"enable_parallel_hash", kExplain},
    {"enable_partition_pruning", kExplain},
    {"enable_partitionwise_aggregate", kExplain},
    {"enable_partitionwise_join", kExplain},
    {"enable_seqscan", kExplain},
    {"enable_sort", kExplain},
    {"enable_tidscan", kExplain},
    {"force_parallel_mode", kExplain | kNotInSample},
    {"from_collapse_limit", kExplain},
    {"geqo", kExplain},
    {"geqo_effort", kExplain},
    {"geqo_generations", kExplain},
    {"geqo_pool_size", kExplain},
    {"geqo_seed", kExplain},
    {"geqo_selection_bias", kExplain},
    {"geqo_threshold", kExplain},
    {"hash_mem_multiplier", kExplain},
    {"ignore_checksum_failure", kNotInSample},
    {"ignore_invalid_pages", kNotInSample},
    {"ignore_system_indexes", kNotInSample},
    {"in_hot_standby", kNotInSample},
    {"integer_datetimes", kNotInSample},
    {"is_superuser", kNoResetAll | kNoShowAll | kNotInSample},
    {"jit", kExplain},
    {"jit_above_cost", kExplain},
    {"jit_debugging_support", kNotInSample},
    {"jit_dump_bitcode", kNotInSample},
    {"jit_expressions", kNotInSample},
    {"jit_inline_above_cost", kExplain},
    {"jit_optimize_above_cost", kExplain},
    {"jit_profiling_support", kNotInSample},
    {"jit_tuple_deforming", kNotInSample},
    {"join_collapse_limit", kExplain},
    {"lc_collate", kNotInSample},
    {"lc_ctype", kNotInSample},
    {"maintenance_io_concurrency", kExplain},
    {"max_function_args", kNotInSample},
    {"max_identifier_length", kNotInSample},
    {"max_index_keys", kNotInSample},
    {"max_parallel_workers", kExplain},
    {"max_parallel_workers_per_gather", kExplain},
    {"min_parallel_index_scan_size", kExplain},
    {"min_parallel_table_scan_size", kExplain},
    {"parallel_leader_participation", kExplain},
    {"parallel_setup_cost", kExplain},
    {"parallel_tuple_cost", kExplain},
    {"plan_cache_mode", kExplain},
    {"post_auth_delay", kNotInSample},
    {"pre_auth_delay", kNotInSample},
    {"random_page_cost", kExplain},
    {"recursive_worktable_factor", kExplain},
    {"remove_temp_files_after_crash", kNotInSample},
    {"restrict_nonsystem_relation_kind", kNotInSample},
    {"role", kNoResetAll | kNoShowAll | kNotInSample},
    {"search_path", kExplain},
    {"seed", kNoResetAll | kNoShowAll | kNotInSample},
    {"segment_size", kNotInSample},
    {"seq_page_cost", kExplain},
    {"server_encoding", kNotInSample},
    {"server_version", kNotInSample},
    {"server_version_num", kNotInSample},
    {"session_authorization", kNoResetAll | kNoShowAll | kNotInSample},
    {"shared_memory_size", kNotInSample | kRuntimeComputed},
    {"shared_memory_size_in_huge_pages", kNotInSample | kRuntimeComputed},
    {"ssl_library", kNotInSample},
    {"ssl_renegotiation_limit", kNoShowAll | kNotInSample},
    {"temp_buffers", kExplain},
    {"trace_notify", kNotInSample},
    {"trace_recovery_messages", kNotInSample},
    {"trace_sort", kNotInSample},
    {"transaction_deferrable", kNoResetAll | kNotInSample},
    {"transaction_isolation", kNoResetAll | kNotInSample},
    {"transaction_read_only", kNoResetAll | kNotInSample},
    {"wal_block_size", kNotInSample},
    {"wal_consistency_checking", kNotInSample},
    {"wal_segment_size", kNotInSample | kRuntimeComputed},
    {"work_mem", kExplain},
    {"zero_damaged_pages", kNotInSample},
};

}  // namespace

std::vector<std::string_view> setting_flags(std::string_view name) {
  const Row* found = std::lower_bound(std::begin(kRows), std::end(kRows), name,
                                      [](const Row& row, std::string_view wanted) { return row.name < wanted; });
  if (found == std::end(kRows) || found->name != name) return {};
  constexpr std::pair<unsigned, std::string_view> kNames[] = {{kExplain, "EXPLAIN"},
                                                              {kNoResetAll, "NO_RESET_ALL"},
                                                              {kNoShowAll, "NO_SHOW_ALL"},
                                                              {kNotInSample, "NOT_IN_SAMPLE"},
                                                              {kRuntimeComputed, "RUNTIME_COMPUTED"}};
  std::vector<std::string_view> out;
  for (const auto& [flag, text] : kNames) {
    if ((found->flags & flag) != 0) out.push_back(text);
  }
  return out;
}

}  // namespace indigo::engine
