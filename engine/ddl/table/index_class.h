// Operator classes that the keys of an index have where none is named.
// Thread safety: as the DdlContext.
#pragma once

#include <string>

#include "catalog/access_method.h"
#include "engine/ddl/object_lookup.h"

namespace indigo::engine::ddl {

// 42704 when the type, or what it is made of, has none for the method.
Result<Oid> default_class(DdlContext& c, const catalog::AccessMethod& method, Oid type);
// Empty: there is no such class.
std::string class_name(DdlContext& c, Oid opclass);

}  // namespace indigo::engine::ddl
