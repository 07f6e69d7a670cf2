// pg_shdepend: which roles an object of some database needs. Kept for policies; what else a role owns or has been granted is
// found in the objects' own rows (engine/ddl/access/role_objects.h).
// Thread safety: as the DdlContext.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "engine/ddl/drop/dependency.h"

namespace indigo::engine::ddl {

// Roles of the system itself are not noted.
Status record_roles(DdlContext& c, const Address& depender, std::span<const Oid> roles, char type);
Status forget_roles(DdlContext& c, const Address& depender);
// The objects of one system table that need a role, here; and how many elsewhere, by database.
std::vector<Oid> objects_needing_role(DdlContext& c, Oid class_id, Oid role, std::map<Oid, int>* elsewhere);

// A database that is made as another's copy, and one that is dropped.
Status copy_role_needs(DdlContext& c, Oid from, Oid to);
Status forget_role_needs(DdlContext& c, Oid database);

}  // namespace indigo::engine::ddl
