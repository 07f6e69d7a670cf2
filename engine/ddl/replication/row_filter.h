// WHERE of a published table: which of its rows subscribers get.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/expression.h"

namespace indigo::engine::ddl {

// 0A000 for anything but columns, constants and what is built in and immutable: it is evaluated where users' own functions
// cannot be called.
Result<StoredExpression> read_row_filter(DdlContext& c, const PgQuery__Node* node, const RelationPtr& relation);

}  // namespace indigo::engine::ddl
