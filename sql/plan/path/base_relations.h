// The items of FROM as relations.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// Gives every FROM item its number; first of all, since conditions refer to the numbers.
Status number_relations(Level& level);

}  // namespace indigo::sql::planning
