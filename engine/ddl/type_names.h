// Names of types in a schema. A type's array has a name that was made for it; where another object wants that name, the array
// takes another one, as in PostgreSQL.
// Thread safety: as the DdlContext.
#pragma once

#include <string>
#include <string_view>

#include "engine/ddl/object_lookup.h"

namespace indigo::engine::ddl {

// "_name" with as many underscores as make it free.
std::string array_type_name(DdlContext& c, std::string_view element_name, Oid schema);

// Makes the name free for a new type or relation; 42710 when what has it is no array.
Status free_type_name(DdlContext& c, std::string_view name, Oid schema);

// The row of a type and its array's.
Status rename_type(DdlContext& c, Oid type, std::string_view name);

// 42710 when the schema has a type of that name.
Status check_type_may_move(DdlContext& c, Oid type, Oid schema);

// 42P16 when a column of `type` would make the row type a part of itself.
Status check_not_in_itself(DdlContext& c, Oid row_type, Oid type);

}  // namespace indigo::engine::ddl
