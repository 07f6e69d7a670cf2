// pgrowlocks 1.2, whose rows the engine has (engine/system/row_locks.cpp).
#include "types/extension/extension.h"

#include "types/system/delegate.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function pgrowlocks(in relname text, out locked_row tid, out locker xid, out multi bool, out xids xid[],
  out modes text[], out pids integer[])
  returns setof record as 'MODULE_PATHNAME', 'pgrowlocks' language c strict parallel safe;
)sql";

constexpr SetEntry kSets[] = {{"pgrowlocks", system_rows<"pgrowlocks">}};

}  // namespace

const Extension& pgrowlocks_extension() {
  static constexpr Extension kExtension{.name = "pgrowlocks",
                                        .version = "1.2",
                                        .comment = "show row-level locking information",
                                        .trusted = false,
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = {},
                                        .sets = kSets};
  return kExtension;
}

}  // namespace indigo::types
