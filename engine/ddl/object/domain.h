// Domains: CREATE, ALTER, and their constraints. A new condition on stored values is checked in every column of the
// domain's type and of domains over it; columns of arrays and rows of the domain make such an ALTER 0A000, as in PostgreSQL.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_create_domain(DdlContext& c, const PgQuery__CreateDomainStmt& s);
Status execute_alter_domain(DdlContext& c, const PgQuery__AlterDomainStmt& s);
Status rename_domain_constraint(DdlContext& c, NodeList domain, std::string_view from, std::string_view wanted);

}  // namespace indigo::engine::ddl
