// Whole-row references to FROM items that an outer join may leave without a row: there the reference is null, not a row of
// nulls (count(t), to_json(t), t::text over LEFT JOIN t).
// References to WITH have become subqueries or the statement's before: they need not be raised.
// Thread safety: pure functions.
#pragma once

#include <memory>

#include "sql/query.h"

namespace indigo::sql::planning {

// The query with such references at its own level, and to it from below, made to test a column that is never null in a row
// of the item: a table's tableoid, or a column added to what is no table. The same pointer if there are none.
std::shared_ptr<const Query> with_null_rows(const std::shared_ptr<const Query>& query);

}  // namespace indigo::sql::planning
