// Whether ALTER COLUMN ... TYPE leaves the values as they are held: then PostgreSQL does not write the table again, and event
// triggers on table_rewrite do not fire. (Indigo may write it all the same.)
// Thread safety: as the DdlContext.
#pragma once

#include "catalog/descriptor/relation_info.h"
#include "engine/ddl/object_lookup.h"

struct PgQuery__Node;

namespace indigo::engine::ddl {

// `expression`: of USING; absent: the column itself.
Result<bool> keeps_values(DdlContext& c, const ColumnInfo& column, const PgQuery__Node* expression,
                          const TypeRef& type);

}  // namespace indigo::engine::ddl
