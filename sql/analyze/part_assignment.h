// Assignment to a part of a program's variable (x[1] := v, x[1].f := v): an expression of what the variable becomes.
// Thread safety: one analysis belongs to one session.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/analyze/variables.h"
#include "sql/expr.h"

namespace indigo::sql {

// `place` and `value` as they are written; both name `variables`. With a `value_type` the value has been computed: it is the
// parameter behind those of `variables`. Null: the value needs a plan (a subquery, an aggregate), so it must be computed first.
// With `subscripts`, the types of all that stand in brackets, those have been computed, too: further parameters.
Result<ExprPtr> analyze_part_assignment(catalog::SessionContext& session, std::string_view place,
                                        std::string_view value, const VariableScope& variables,
                                        const TypeRef& value_type, std::span<const TypeRef> subscripts = {});
// What stands in the brackets of `place`, in that order.
Result<std::vector<std::string>> subscript_texts(std::string_view place);

}  // namespace indigo::sql
