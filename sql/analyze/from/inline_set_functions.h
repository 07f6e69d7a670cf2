// Functions in FROM that are written in SQL and return sets: the query that is their body takes their place, where nobody can
// see the difference. As in PostgreSQL: one SELECT, not volatile, not strict, without a role or settings of its own, with
// arguments that may stand in several places.
// Functions in views are left alone: a view's tables are read with the rights of its owner, its functions' are not.
// Thread safety: pure; uses the session's catalog view.
#pragma once

#include <memory>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/query.h"

namespace indigo::sql {

// Before privileges and row security are looked at: the tables of the body count as the query's. The same query where there
// is nothing to do.
Result<std::shared_ptr<const Query>> inline_set_functions(catalog::SessionContext& session,
                                                          const std::shared_ptr<const Query>& query);

}  // namespace indigo::sql
