// ALTER TABLE's commands on identity columns are in alter_table.h; here is what other commands need of such columns.
#pragma once

#include "engine/ddl/table/create_table.h"

namespace indigo::engine::ddl {

// 22023 for a type that an identity column cannot have.
Status check_identity_type(Oid type);
// An identity column's sequence goes with its type.
Status retype_identity(DdlContext& c, Oid relation, const ColumnInfo& column, Oid type);

}  // namespace indigo::engine::ddl
