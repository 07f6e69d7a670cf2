// How wide columns are.
#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/selectivity.h"
#include "types/function/registry.h"

namespace indigo::sql::planning {
namespace {

int type_width(Oid type) {
  switch (types::physical_of(type)) {
    case Phys::kBool: return 1;
    case Phys::kI16: return 2;
    case Phys::kI32:
    case Phys::kF32: return 4;
    case Phys::kI64:
    case Phys::kF64: return 8;
    case Phys::kB16: return 16;
    case Phys::kStr: return 32;
  }
  return 8;
}

}  // namespace

int average_width(const Level& level, int entry, int column) {
  const Entry& e = level.entry(entry);
  if (column < 0) return 8;
  if (e.kind == EntryKind::kTable) {
    if (static_cast<size_t>(column) < e.relation->statistics.size()) {
      const int w = e.relation->statistics[static_cast<size_t>(column)].average_width;
      if (w > 0) return w;
    }
  }
  if (static_cast<size_t>(column) >= e.column_types.size()) return 8;
  return type_width(e.column_types[static_cast<size_t>(column)].oid);
}

int average_width(const Level& level, const ExprPtr& e) {
  const auto* v = var_of(e);
  return v != nullptr ? average_width(level, v->entry, v->column) : type_width(e->type.oid);
}

}  // namespace indigo::sql::planning
