// amcheck 1.3, whose checks the engine has (engine/system/relation_checks.cpp).
#include "types/extension/extension.h"

#include "types/system/delegate.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function bt_index_check(index regclass) returns void
  as 'MODULE_PATHNAME', 'bt_index_check' language c strict parallel restricted;
create function bt_index_parent_check(index regclass) returns void
  as 'MODULE_PATHNAME', 'bt_index_parent_check' language c strict parallel restricted;
create function bt_index_check(index regclass, heapallindexed boolean) returns void
  as 'MODULE_PATHNAME', 'bt_index_check' language c strict parallel restricted;
create function bt_index_parent_check(index regclass, heapallindexed boolean) returns void
  as 'MODULE_PATHNAME', 'bt_index_parent_check' language c strict parallel restricted;
create function bt_index_parent_check(index regclass, heapallindexed boolean, rootdescend boolean) returns void
  as 'MODULE_PATHNAME', 'bt_index_parent_check' language c strict parallel restricted;
create function verify_heapam(relation regclass, on_error_stop boolean default false,
  check_toast boolean default false, skip text default 'none', startblock bigint default null,
  endblock bigint default null, blkno out bigint, offnum out integer, attnum out integer, msg out text)
  returns setof record as 'MODULE_PATHNAME', 'verify_heapam' language c;
revoke all on function bt_index_check(regclass) from public;
revoke all on function bt_index_parent_check(regclass) from public;
revoke all on function bt_index_check(regclass, boolean) from public;
revoke all on function bt_index_parent_check(regclass, boolean) from public;
revoke all on function bt_index_parent_check(regclass, boolean, boolean) from public;
revoke all on function verify_heapam(regclass, boolean, boolean, text, bigint, bigint) from public;
)sql";

constexpr ScalarEntry kFunctions[] = {{"bt_index_check", system_value<"bt_index_check">},
                                      {"bt_index_parent_check", system_value<"bt_index_parent_check">}};
constexpr SetEntry kSets[] = {{"verify_heapam", system_rows<"verify_heapam">}};

}  // namespace

const Extension& amcheck_extension() {
  static constexpr Extension kExtension{.name = "amcheck",
                                        .version = "1.3",
                                        .comment = "functions for verifying relation integrity",
                                        .trusted = false,
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = kFunctions,
                                        .sets = kSets};
  return kExtension;
}

}  // namespace indigo::types
