// pgstattuple 1.5, whose figures the engine has (engine/system/relation_pages.cpp).
#include "types/extension/extension.h"

#include "types/system/delegate.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function pgstattuple(in relname text, out table_len int8, out tuple_count int8, out tuple_len int8, out tuple_percent float8,
  out dead_tuple_count int8, out dead_tuple_len int8, out dead_tuple_percent float8, out free_space int8,
  out free_percent float8)
  as 'MODULE_PATHNAME', 'pgstattuple_v1_5' language c strict parallel safe;
create function pgstatindex(in relname text, out version int, out tree_level int, out index_size int8, out root_block_no int8,
  out internal_pages int8, out leaf_pages int8, out empty_pages int8, out deleted_pages int8,
  out avg_leaf_density float8, out leaf_fragmentation float8)
  as 'MODULE_PATHNAME', 'pgstatindex_v1_5' language c strict parallel safe;
create function pg_relpages(in relname text) returns int8
  as 'MODULE_PATHNAME', 'pg_relpages_v1_5' language c strict parallel safe;
create function pgstatginindex(in relname regclass, out version int4, out pending_pages int4, out pending_tuples int8)
  as 'MODULE_PATHNAME', 'pgstatginindex_v1_5' language c strict parallel safe;
create function pgstattuple(in reloid regclass, out table_len int8, out tuple_count int8, out tuple_len int8, out tuple_percent float8,
  out dead_tuple_count int8, out dead_tuple_len int8, out dead_tuple_percent float8, out free_space int8,
  out free_percent float8)
  as 'MODULE_PATHNAME', 'pgstattuplebyid_v1_5' language c strict parallel safe;
create function pgstatindex(in relname regclass, out version int, out tree_level int, out index_size int8, out root_block_no int8,
  out internal_pages int8, out leaf_pages int8, out empty_pages int8, out deleted_pages int8,
  out avg_leaf_density float8, out leaf_fragmentation float8)
  as 'MODULE_PATHNAME', 'pgstatindexbyid_v1_5' language c strict parallel safe;
create function pg_relpages(in relname regclass) returns int8
  as 'MODULE_PATHNAME', 'pg_relpagesbyid_v1_5' language c strict parallel safe;
create function pgstattuple_approx(in reloid regclass, out table_len int8, out scanned_percent float8,
  out approx_tuple_count int8, out approx_tuple_len int8, out approx_tuple_percent float8,
  out dead_tuple_count int8, out dead_tuple_len int8, out dead_tuple_percent float8,
  out approx_free_space int8, out approx_free_percent float8)
  as 'MODULE_PATHNAME', 'pgstattuple_approx_v1_5' language c strict parallel safe;
create function pgstathashindex(in relname regclass, out version int, out bucket_pages int8, out overflow_pages int8,
  out bitmap_pages int8, out unused_pages int8, out live_items int8, out dead_items int8, out free_percent float8)
  as 'MODULE_PATHNAME', 'pgstathashindex' language c strict parallel safe;
revoke execute on function pgstattuple(text) from public;
grant execute on function pgstattuple(text) to pg_stat_scan_tables;
revoke execute on function pgstatindex(text) from public;
grant execute on function pgstatindex(text) to pg_stat_scan_tables;
revoke execute on function pg_relpages(text) from public;
grant execute on function pg_relpages(text) to pg_stat_scan_tables;
revoke execute on function pgstatginindex(regclass) from public;
grant execute on function pgstatginindex(regclass) to pg_stat_scan_tables;
revoke execute on function pgstattuple(regclass) from public;
grant execute on function pgstattuple(regclass) to pg_stat_scan_tables;
revoke execute on function pgstatindex(regclass) from public;
grant execute on function pgstatindex(regclass) to pg_stat_scan_tables;
revoke execute on function pg_relpages(regclass) from public;
grant execute on function pg_relpages(regclass) to pg_stat_scan_tables;
revoke execute on function pgstattuple_approx(regclass) from public;
grant execute on function pgstattuple_approx(regclass) to pg_stat_scan_tables;
revoke execute on function pgstathashindex(regclass) from public;
grant execute on function pgstathashindex(regclass) to pg_stat_scan_tables;
)sql";

constexpr ScalarEntry kFunctions[] = {
    {"pgstattuple_v1_5", system_value<"pgstattuple_v1_5">},
    {"pgstatindex_v1_5", system_value<"pgstatindex_v1_5">},
    {"pg_relpages_v1_5", system_value<"pg_relpages_v1_5">},
    {"pgstatginindex_v1_5", system_value<"pgstatginindex_v1_5">},
    {"pgstattuplebyid_v1_5", system_value<"pgstattuplebyid_v1_5">},
    {"pgstatindexbyid_v1_5", system_value<"pgstatindexbyid_v1_5">},
    {"pg_relpagesbyid_v1_5", system_value<"pg_relpagesbyid_v1_5">},
    {"pgstattuple_approx_v1_5", system_value<"pgstattuple_approx_v1_5">},
    {"pgstathashindex", system_value<"pgstathashindex">},
};

}  // namespace

const Extension& pgstattuple_extension() {
  static constexpr Extension kExtension{.name = "pgstattuple",
                                        .version = "1.5",
                                        .comment = "show tuple-level statistics",
                                        .trusted = false,
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = kFunctions};
  return kExtension;
}

}  // namespace indigo::types
