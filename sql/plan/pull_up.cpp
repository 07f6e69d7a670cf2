#include "sql/plan/level.h"

namespace indigo::sql::planning {

Status pull_up(Level& level) {
  static_cast<void>(level);
  return {};
}
void reduce_outer_joins(Level& level) { static_cast<void>(level); }

}  // namespace indigo::sql::planning
