#include "sql/functional_dependency.h"

#include <algorithm>

namespace indigo::sql {

const RelationInfo* determining_relation(const Query& query, size_t index) {
  const auto* v = try_as<VarExpr>(query.group_by[index]);
  if (v == nullptr || v->levels_up != 0) return nullptr;
  const Entry& entry = query.entries[static_cast<size_t>(v->entry)];
  if (entry.kind != EntryKind::kTable || entry.relation->primary_index() == nullptr) return nullptr;
  for (const auto& key : entry.relation->primary_index()->columns) {
    const bool grouped = std::any_of(query.group_by.begin(), query.group_by.begin() + static_cast<ptrdiff_t>(index),
                                     [&](const ExprPtr& e) {
                                       const auto* g = try_as<VarExpr>(e);
                                       return g != nullptr && g->entry == v->entry && g->column + 1 == key.column;
                                     });
    if (!grouped) return nullptr;
  }
  return entry.relation.get();
}

}  // namespace indigo::sql
