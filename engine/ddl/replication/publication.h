// CREATE, ALTER and DROP PUBLICATION: rows of pg_publication. Which tables and schemas it has: publication_members.h.
// Thread safety: as the DdlContext.
#pragma once

#include <optional>
#include <string_view>

#include "engine/ddl/drop/dependency.h"

struct PgQuery__AlterPublicationStmt;
struct PgQuery__CreatePublicationStmt;

namespace indigo::engine::ddl {

Status execute_create_publication(DdlContext& c, const PgQuery__CreatePublicationStmt& s);
Status execute_alter_publication(DdlContext& c, const PgQuery__AlterPublicationStmt& s);

// By name, for its owner: 42704 when there is none, unless missing_ok (nothing then, after a notice).
Result<std::optional<Address>> find_own_publication(DdlContext& c, std::string_view name, bool missing_ok);
Status rename_publication(DdlContext& c, std::string_view name, std::string_view to);
Status change_publication_owner(DdlContext& c, std::string_view name, Oid owner);
std::string publication_name(DdlContext& c, Oid oid);

}  // namespace indigo::engine::ddl
