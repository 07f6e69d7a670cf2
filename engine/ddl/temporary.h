// The session's temporary schema and what happens to temporary tables at COMMIT and at the session's end.
#pragma once

#include "engine/ddl/support.h"

namespace indigo::engine::ddl {

Status set_on_commit(DdlContext& c, Oid relation, PgQuery__OnCommitAction action);

}  // namespace indigo::engine::ddl
