// Assignment to a part of a column: SET c.field = v, SET a[1] = v, SET a[1:2] = v, SET j['key'] = v, in any depth.
//
// The answer is an expression of the column's whole new value over its old one: fields become a row with one field replaced,
// subscripts a SubscriptExpr with `assign`. Several parts of one column nest: the second works on what the first gives.
// Thread safety: part of one analysis.
#pragma once

#include <string>

#include "sql/analyze/scope.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// `old`: the column's value before, of type `type`; `location`: the target's, for messages. `through_text`: values that no cast
// converts go by their texts, as programs assign.
Result<ExprPtr> assign_part(Scope& scope, const std::string& column, const TypeRef& type, const ExprPtr& old,
                            const ExprPtr& value, NodeList indirection, int location, bool through_text = false);

// 0A000 for DEFAULT as the value of a part.
Error default_of_part(const Scope& scope, NodeList indirection, int location);

}  // namespace indigo::sql
