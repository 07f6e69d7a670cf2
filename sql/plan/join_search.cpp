#include "base/sqlstate.h"
#include "sql/plan/level.h"

namespace indigo::sql::planning {

Status search_joins(Level& level) {
  if (level.rels.empty()) return {};
  if (level.rels.size() == 1) {
    level.final_rel = &level.rels[0];
    return {};
  }
  return Error(sqlstate::kFeatureNotSupported, "joins are not supported");
}

}  // namespace indigo::sql::planning
