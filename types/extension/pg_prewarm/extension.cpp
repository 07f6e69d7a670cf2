// pg_prewarm 1.2. Everything is in memory here: a call reads the relation's rows, and its figures are those of
// pg_relation_size (engine/system/relation_pages.cpp).
#include "types/extension/extension.h"

#include "types/system/delegate.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function pg_prewarm(regclass, mode text default 'buffer', fork text default 'main',
  first_block int8 default null, last_block int8 default null)
  returns int8 as 'MODULE_PATHNAME', 'pg_prewarm' language c parallel safe;
create function autoprewarm_start_worker() returns void strict as 'MODULE_PATHNAME', 'autoprewarm_start_worker'
  language c;
create function autoprewarm_dump_now() returns pg_catalog.int8 strict as 'MODULE_PATHNAME', 'autoprewarm_dump_now'
  language c;
)sql";

constexpr ScalarEntry kFunctions[] = {{"pg_prewarm", system_value<"pg_prewarm">},
                                      {"autoprewarm_start_worker", system_value<"autoprewarm_start_worker">},
                                      {"autoprewarm_dump_now", system_value<"autoprewarm_dump_now">}};

}  // namespace

const Extension& pg_prewarm_extension() {
  static constexpr Extension kExtension{.name = "pg_prewarm",
                                        .version = "1.2",
                                        .comment = "prewarm relation data",
                                        .trusted = false,
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = kFunctions};
  return kExtension;
}

}  // namespace indigo::types
