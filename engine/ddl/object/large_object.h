// ALTER, COMMENT ON, GRANT ON LARGE OBJECT and DROP OWNED: what definitions do to large objects. Addresses name them by
// pg_largeobject.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// A number as the statement has it; 22P02, 22003.
Result<Oid> large_object_number(const PgQuery__Node* node);
bool large_object_exists(DdlContext& c, Oid object);
Result<Oid> existing_large_object(DdlContext& c, const PgQuery__Node* node);  // 42704
// 42704, 42501 unless lo_compat_privileges is on.
Result<Address> find_own_large_object(DdlContext& c, const PgQuery__Node* node);
Status change_large_object_owner(DdlContext& c, Oid object, Oid owner);
Status remove_large_object(DdlContext& c, Oid object);

}  // namespace indigo::engine::ddl
