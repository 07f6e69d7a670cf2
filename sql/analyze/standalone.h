// analyze_expression for a given place, so that messages about what it may not contain are right.
// Thread safety: one analysis belongs to one session.
#pragma once

#include <memory>
#include <string_view>

#include "sql/analyze/scope.h"

namespace indigo::sql {

// `text` belongs to the catalog, not to the statement that `outer` analyzes.
Result<ExprPtr> analyze_nested(const Analysis& outer, std::string_view text,
                               const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target,
                               Clause clause);

}  // namespace indigo::sql
