// tsm_system_rows and tsm_system_time 1.0: methods of TABLESAMPLE. The planner knows them by their handlers' symbols
// (sql/plan/rewrite/sampling.h).
#include "types/extension/extension.h"

#include "types/extension/index_entry.h"

namespace indigo::types {

namespace {

constexpr ScalarEntry kRowsHandler[] = {{"tsm_system_rows_handler", uncallable_kernel}};
constexpr ScalarEntry kTimeHandler[] = {{"tsm_system_time_handler", uncallable_kernel}};

constexpr Extension sample_method(std::string_view name, std::string_view comment, std::string_view definitions,
                                  std::span<const ScalarEntry> functions) {
  return {.name = name,
          .version = "1.0",
          .comment = comment,
          .schema = {},
          .required = {},
          .definitions = definitions,
          .functions = functions};
}

}  // namespace

const Extension& tsm_system_rows_extension() {
  static constexpr Extension kExtension = sample_method(
      "tsm_system_rows", "TABLESAMPLE method which accepts number of rows as a limit",
      "create function system_rows(internal) returns tsm_handler as 'MODULE_PATHNAME', 'tsm_system_rows_handler' "
      "language c strict;",
      kRowsHandler);
  return kExtension;
}

const Extension& tsm_system_time_extension() {
  static constexpr Extension kExtension = sample_method(
      "tsm_system_time", "TABLESAMPLE method which accepts time in milliseconds as a limit",
      "create function system_time(internal) returns tsm_handler as 'MODULE_PATHNAME', 'tsm_system_time_handler' "
      "language c strict;",
      kTimeHandler);
  return kExtension;
}

}  // namespace indigo::types
