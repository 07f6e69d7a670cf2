// What GRANT and REVOKE name: privileges and grantees; and their effect on one access list.
// Thread safety: as the DdlContext.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"
#include "types/value/acl.h"

namespace indigo::engine::ddl {

struct Wanted {
  uint32_t privileges = 0;
  bool all = false;
  std::map<uint32_t, std::vector<std::string>> columns;  // by privilege
};

inline constexpr uint32_t kColumnPrivileges =
    types::kPrivilegeSelect | types::kPrivilegeInsert | types::kPrivilegeUpdate | types::kPrivilegeReferences;

// `all`: every privilege of such an object, whose kind errors call `kind`. 0LP01 for others.
Result<Wanted> wanted_privileges(const PgQuery__GrantStmt& s, uint32_t all, std::string_view kind);
// kInvalidOid: PUBLIC.
Result<std::vector<Oid>> grantees_of(DdlContext& c, const PgQuery__GrantStmt& s);
// Gives or takes `privileges`, as granted by `grantor`. 2BP01 when others hold what would be lost with a grant option.
Status change_list(const PgQuery__GrantStmt& s, types::Acl& acl, Oid owner, Oid grantor, uint32_t privileges,
                   std::span<const Oid> grantees);

}  // namespace indigo::engine::ddl
