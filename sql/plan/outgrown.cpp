#include "sql/plan/outgrown.h"

#include <algorithm>

#include "storage/table.h"

namespace indigo::sql {

namespace {

constexpr double kGrownTimes = 4, kGrownRows = 256;
constexpr double kShrunkTimes = 16, kShrunkRows = 4096;

}  // namespace

bool outgrown(const PlannedStatement::Dependency& table) {
  if (table.planned_rows < 0) return false;
  const auto now = static_cast<double>(table.relation->table->rows());
  return now > kGrownTimes * table.planned_rows + kGrownRows || table.planned_rows > kShrunkTimes * now + kShrunkRows;
}

bool outgrown(const PlannedStatement& statement) {
  const auto begin = statement.relations.begin();
  return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(statement.always_locked),
                     [](const auto& table) { return outgrown(table); });
}

}  // namespace indigo::sql
