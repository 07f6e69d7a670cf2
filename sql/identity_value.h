// The value of an identity column: a nextval that asks for no privilege on the sequence, since who may insert into the table
// may number its rows (PostgreSQL's NextValueExpr). It is never printed: what is kept has DefaultExpr instead.
// Thread safety: pure functions.
#pragma once

#include "sql/expr.h"

namespace indigo::sql {

bool is_identity_value(const CallExpr& call);

// `value`, a column's default, with its nextval made one.
ExprPtr as_identity_value(const ExprPtr& value);

}  // namespace indigo::sql
