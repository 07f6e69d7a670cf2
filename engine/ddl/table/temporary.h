// The session's temporary schema and what happens to temporary tables at COMMIT and at the session's end.
#pragma once

#include "engine/ddl/object_lookup.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine::ddl {

// The temporary schemas of all sessions with all that is in them, without a notice; the caller knows that no session is there.
Status drop_temporary_schemas(DdlContext& c);
Status set_on_commit(DdlContext& c, Oid relation, PgQuery__OnCommitAction action);

}  // namespace indigo::engine::ddl
