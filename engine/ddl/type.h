// Enums, domains and composite types.
#pragma once

#include "engine/ddl/dependency.h"

namespace indigo::engine::ddl {

Result<std::string> execute_create_enum(DdlContext& c, const PgQuery__CreateEnumStmt& s);
Result<std::string> execute_alter_enum(DdlContext& c, const PgQuery__AlterEnumStmt& s);
Result<std::string> execute_create_domain(DdlContext& c, const PgQuery__CreateDomainStmt& s);
Result<std::string> execute_alter_domain(DdlContext& c, const PgQuery__AlterDomainStmt& s);
Result<std::string> execute_create_composite(DdlContext& c, const PgQuery__CompositeTypeStmt& s);
// DROP TYPE / DOMAIN: a composite type made by CREATE TYPE is dropped with its relation.
Result<std::optional<Address>> find_dropped_type(DdlContext& c, const PgQuery__TypeName* name, bool domain,
                                                 bool missing_ok);

}  // namespace indigo::engine::ddl
