// ALTER DEFAULT PRIVILEGES: what others may do with the objects that a role will make (pg_default_acl).
// Thread safety: as the DdlContext.
#pragma once

#include <optional>

#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"
#include "types/value/acl.h"

namespace indigo::engine::ddl {

Status execute_alter_default_privileges(DdlContext& c, const PgQuery__AlterDefaultPrivilegesStmt& s);

// The access list of a new object; none: what applies to objects without one. `kind` as pg_default_acl's letters.
std::optional<types::Acl> default_privileges(DdlContext& c, char kind, Oid owner, Oid schema);
// Forgets what others' lists grant to a role.
Status forget_in_default_privileges(DdlContext& c, Oid role);
// Forgets what a role or a schema that goes away had.
Status forget_default_privileges(DdlContext& c, Oid role, Oid schema);

}  // namespace indigo::engine::ddl
