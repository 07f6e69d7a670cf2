// Whether a tree that was read fits together: each index into a list of its own, each node with as many parts as its kind has.
// Thread safety: pure functions.
#pragma once

#include "sql/query.h"

namespace indigo::sql::stored {

// One node, its parts already sound.
bool sound(const Expr& node);
// Every index in an expression outside of queries, over one entry or (OLD and NEW) two.
bool consistent(const ExprPtr& expression);
// The same in a query and those inside it.
bool consistent(const Query& query);

}  // namespace indigo::sql::stored
