// A parse tree back to SQL text, by libpg_query. Runs on the stack it is called on: deep trees need a large one
// (base/fiber/stack.h).
// Thread safety: safe from any thread.
#pragma once

#include <string>

#include "base/error.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

Result<std::string> deparse_tree(const PgQuery__Node* statement);

}  // namespace indigo::sql
