// COMMENT ON, and the rows of pg_description and pg_shdescription.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine::ddl {

std::optional<std::string> comment_on(DdlContext& c, const Address& address);
// The object of a statement that is for its owner: 42501 for others, 0A000 for kinds that cannot be named so here.
Result<Address> find_own_object(DdlContext& c, PgQuery__ObjectType type, const PgQuery__Node* object);
// An empty text removes the comment.
Status set_comment(DdlContext& c, const Address& address, std::string_view text);
Status execute_comment(DdlContext& c, const PgQuery__CommentStmt& s);

}  // namespace indigo::engine::ddl
