// intagg 1.1: arrays of integers from rows and back, as array_agg and unnest make them.
#include "types/extension/extension.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function int_agg_state(internal, int4) returns internal as 'array_agg_transfn' language internal parallel safe;
create function int_agg_final_array(internal) returns int4[] as 'array_agg_finalfn' language internal parallel safe;
create aggregate int_array_aggregate(int4) (sfunc = pg_catalog.array_agg_transfn, stype = internal,
  finalfunc = pg_catalog.array_agg_finalfn, finalfunc_extra, parallel = safe);
create function int_array_enum(int4[]) returns setof integer as 'select pg_catalog.unnest($1)'
  language sql immutable strict parallel safe;
)sql";

}  // namespace

const Extension& intagg_extension() {
  static constexpr Extension kExtension{.name = "intagg",
                                        .version = "1.1",
                                        .comment = "integer aggregator and enumerator (obsolete)",
                                        .trusted = false,
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = {}};
  return kExtension;
}

}  // namespace indigo::types
