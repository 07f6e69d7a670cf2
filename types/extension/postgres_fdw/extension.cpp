// postgres_fdw 1.1. What reads the tables is in engine/foreign/remote_table.cpp.
#include "types/extension/extension.h"

#include "types/extension/index_entry.h"
#include "types/system/delegate.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function postgres_fdw_handler() returns fdw_handler as 'MODULE_PATHNAME' language c strict;
create function postgres_fdw_validator(text[], oid) returns void as 'MODULE_PATHNAME' language c strict;
create foreign data wrapper postgres_fdw handler postgres_fdw_handler validator postgres_fdw_validator;
create function postgres_fdw_get_connections(out server_name text, out valid boolean) returns setof record
  as 'MODULE_PATHNAME' language c strict parallel restricted;
create function postgres_fdw_disconnect(text) returns bool as 'MODULE_PATHNAME' language c strict parallel restricted;
create function postgres_fdw_disconnect_all() returns bool as 'MODULE_PATHNAME' language c strict parallel restricted;
)sql";

// A handler is not called: it says by its name who reads the tables.
constexpr ScalarEntry kFunctions[] = {
    {"postgres_fdw_handler", uncallable_kernel},
    {"postgres_fdw_validator", system_value<"postgres_fdw_validator">},
    {"postgres_fdw_disconnect", system_value<"postgres_fdw_disconnect">},
    {"postgres_fdw_disconnect_all", system_value<"postgres_fdw_disconnect_all">},
};
constexpr SetEntry kSets[] = {{"postgres_fdw_get_connections", system_rows<"postgres_fdw_get_connections">}};

}  // namespace

const Extension& postgres_fdw_extension() {
  static constexpr Extension kExtension{.name = "postgres_fdw",
                                        .version = "1.1",
                                        .comment = "foreign-data wrapper for remote PostgreSQL servers",
                                        .trusted = false,
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = kFunctions,
                                        .sets = kSets};
  return kExtension;
}

}  // namespace indigo::types
