#include "catalog/descriptor/relation_info.h"

namespace indigo::catalog {

const ColumnInfo* RelationInfo::find_column(std::string_view wanted) const {
  for (const ColumnInfo& c : columns) {
    if (!c.dropped && c.name == wanted) return &c;
  }
  return nullptr;
}

const IndexInfo* RelationInfo::primary_index() const {
  return !indexes.empty() && indexes.front().primary ? &indexes.front() : nullptr;
}

}  // namespace indigo::catalog
