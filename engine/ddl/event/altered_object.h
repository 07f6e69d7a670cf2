// Which object a statement changes that makes and drops none, as event triggers are told of it: ALTER, COMMENT, REFRESH.
// Thread safety: as the DdlContext.
#pragma once

#include <optional>

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine::ddl {

// By the names that it has before the statement. Nothing: the statement is none of these, or what it names is not there, which
// the statement says in its turn.
std::optional<Address> altered_object(DdlContext& c, const PgQuery__Node& statement);

}  // namespace indigo::engine::ddl
