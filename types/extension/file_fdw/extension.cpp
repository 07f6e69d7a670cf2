// file_fdw 1.0. What reads the files is in engine/foreign/file_table.cpp.
#include "types/extension/extension.h"

#include "types/extension/index_entry.h"
#include "types/system/delegate.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function file_fdw_handler() returns fdw_handler as 'MODULE_PATHNAME' language c strict;
create function file_fdw_validator(text[], oid) returns void as 'MODULE_PATHNAME' language c strict;
create foreign data wrapper file_fdw handler file_fdw_handler validator file_fdw_validator;
)sql";

// A handler is not called: it says by its name who reads the tables.
constexpr ScalarEntry kFunctions[] = {{"file_fdw_handler", uncallable_kernel},
                                      {"file_fdw_validator", system_value<"file_fdw_validator">}};

}  // namespace

const Extension& file_fdw_extension() {
  static constexpr Extension kExtension{.name = "file_fdw",
                                        .version = "1.0",
                                        .comment = "foreign-data wrapper for flat file access",
                                        .trusted = false,
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = kFunctions};
  return kExtension;
}

}  // namespace indigo::types
