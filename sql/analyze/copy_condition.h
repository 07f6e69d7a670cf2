// COPY FROM's WHERE.
// Thread safety: one call belongs to one session.
#pragma once

#include <memory>
#include <string_view>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/session_context.h"
#include "sql/expr.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// The condition on a row of the relation. An error for what does not look at that row alone.
Result<ExprPtr> analyze_copy_condition(catalog::SessionContext& session, const PgQuery__Node* node,
                                       std::string_view text,
                                       const std::shared_ptr<const catalog::RelationInfo>& relation);

}  // namespace indigo::sql
