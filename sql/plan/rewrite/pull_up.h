// Subqueries merged into the query around them: FROM items that only select and join, views included, and EXISTS, IN and
// NOT EXISTS conditions, which become semi and anti joins.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Takes the query's entries into the level. The answer is the query as seen from the level: its own Vars refer to the new
// entries, those of the query around it to the level's.
std::shared_ptr<const Query> adopt(Level& level, const std::shared_ptr<const Query>& query);
// Turns conditions of an inner join list into semi and anti joins where possible.
Status pull_up_sublinks(Level& level, FromNode& node);  // pull_up_sublinks.cpp
// The list becomes the left side of a join, which is answered; its conditions stay.
FromNode& wrap_in_join(FromNode& list, JoinType type, std::unique_ptr<FromNode> right);  // pull_up_sublinks.cpp

}  // namespace indigo::sql::planning
