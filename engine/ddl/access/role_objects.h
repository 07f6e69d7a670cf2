// What keeps a role from being dropped: what it owns, what it has been granted, the policies that name it.
// Thread safety: as the DdlContext.
#pragma once

#include <string>
#include <vector>

#include "engine/ddl/object_lookup.h"

namespace indigo::engine::ddl {

// In words, in the order of the objects' OIDs; empty when nothing.
std::vector<std::string> objects_of_role(DdlContext& c, Oid role);

}  // namespace indigo::engine::ddl
