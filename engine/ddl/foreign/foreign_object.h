// Foreign-data wrappers and servers: objects in no schema, with an owner, an access list and options.
// Thread safety: as the DdlContext.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

struct ForeignKind {
  Oid table;
  int oid_column, name_column, owner_column, acl_column, options_column;
  std::string_view name;   // as messages call one that is missing: "server"
  std::string_view owned;  // and one that the role has no right to: "foreign server"
};
extern const ForeignKind kWrapperKind;
extern const ForeignKind kServerKind;

// kInvalidOid: there is none.
Oid foreign_named(DdlContext& c, const ForeignKind& kind, std::string_view name);
Result<Oid> existing_foreign(DdlContext& c, const ForeignKind& kind, std::string_view name);  // 42704
std::string foreign_name(DdlContext& c, const ForeignKind& kind, Oid oid);
Oid foreign_owner(DdlContext& c, const ForeignKind& kind, Oid oid);
// 42710
Status check_foreign_name_free(DdlContext& c, const ForeignKind& kind, std::string_view name);
// 42501 "permission denied for foreign server s".
Status check_foreign_usage(DdlContext& c, const ForeignKind& kind, Oid oid, Oid role);

// By name, for its owner: 42704 when there is none, unless missing_ok (nothing then, after a notice).
Result<std::optional<Address>> find_own_foreign(DdlContext& c, const ForeignKind& kind, std::string_view name,
                                                bool missing_ok);
Status rename_foreign(DdlContext& c, const ForeignKind& kind, std::string_view name, std::string_view to);
// Writes the new owner, and what the one before had and gave.
Status set_foreign_owner(DdlContext& c, const ForeignKind& kind, Oid oid, Oid owner);

}  // namespace indigo::engine::ddl
