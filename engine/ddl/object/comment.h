// COMMENT ON, and the rows of pg_description and pg_shdescription.
#pragma once

#include "engine/ddl/drop/dependency.h"

namespace indigo::engine::ddl {

std::optional<std::string> comment_on(DdlContext& c, const Address& address);
// An empty text removes the comment.
Status set_comment(DdlContext& c, const Address& address, std::string_view text);
Result<std::string> execute_comment(DdlContext& c, const PgQuery__CommentStmt& s);

}  // namespace indigo::engine::ddl
