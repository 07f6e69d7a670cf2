// SEARCH and CYCLE as PostgreSQL computes them: both terms of the recursion become subqueries of terms that add the columns.
//
//   SEARCH DEPTH FIRST BY a    ARRAY[ROW(a)], then sequence || ARRAY[ROW(a)]
//   SEARCH BREADTH FIRST BY a  ROW(0, a), then ROW(first field of sequence + 1, a)
//   CYCLE a                    mark: the default, then CASE WHEN ROW(a) = ANY (path) THEN value ELSE default END;
//                              path as with DEPTH; rows with the mark are not gone on from
// Thread safety: pure functions.
#pragma once

#include <memory>

#include "sql/query.h"

namespace indigo::sql::planning {

// `query`: the item's, whose references to itself have the statement's number already.
std::shared_ptr<const Query> with_search_and_cycle(const CommonTable& item, const std::shared_ptr<const Query>& query);

}  // namespace indigo::sql::planning
