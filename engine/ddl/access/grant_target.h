// One object that GRANT or REVOKE changes: the row that holds its access list.
// Thread safety: as the DdlContext.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

struct Target {
  Oid table;                     // system table with the acl
  std::string key;               // of the row
  int acl_column, owner_column;  // owner_column < 0: a column's table's owner, or a parameter's
  char kind;                     // as types::default_acl
  uint32_t all;                  // every privilege of such an object
  std::string name;
  Oid changed;  // whose descriptor to refresh
};

// 42501 when the role may grant nothing of it, a warning (01007, 01006) when it may not grant all of it.
Status apply_grant(DdlContext& c, const PgQuery__GrantStmt& s, const Target& t, uint32_t wanted,
                   std::span<const Oid> grantees);
// The roles that the statement names, held until the transaction ends. They are looked up after the objects.
Result<std::vector<Oid>> held_grantees(DdlContext& c, const PgQuery__GrantStmt& s);
// On every object of the statement. `kind` as errors call such objects.
Status grant_on_each(DdlContext& c, const PgQuery__GrantStmt& s, std::string_view kind,
                     Result<Target> (*target_of)(DdlContext&, const PgQuery__Node*),
                     Status (*check_target)(DdlContext&, const Target&) = nullptr);

// On languages, large objects, tablespaces, foreign-data wrappers, servers and parameters.
Status grant_on_server_objects(DdlContext& c, const PgQuery__GrantStmt& s);

}  // namespace indigo::engine::ddl
