// Enums and composite types; what all new types share. Domains: domain.h.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/rows.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

struct NewTypeName {
  Oid schema = kInvalidOid;
  std::string name;
};
// Where a new type goes; 42710 when its name is taken.
Result<NewTypeName> new_type_name(DdlContext& c, NodeList parts);
// The type, its array type, and the dependencies of both.
Status insert_with_array(DdlContext& c, NewType& t);

Status execute_create_enum(DdlContext& c, const PgQuery__CreateEnumStmt& s);
Status execute_alter_enum(DdlContext& c, const PgQuery__AlterEnumStmt& s);
Status execute_create_composite(DdlContext& c, const PgQuery__CompositeTypeStmt& s);
// DROP TYPE / DOMAIN: a composite type made by CREATE TYPE is dropped with its relation.
Result<std::optional<Address>> find_dropped_type(DdlContext& c, const PgQuery__TypeName* name, bool domain,
                                                 bool missing_ok);

}  // namespace indigo::engine::ddl
