#include "catalog/descriptor/catalog_view.h"

namespace indigo::catalog {

std::optional<std::vector<Oid>> CatalogView::hash_partition_types(Oid oid) {
  const auto table = relation(oid);
  if (table == nullptr || table->partition_key == nullptr || table->partition_key->strategy != 'h') return std::nullopt;
  const KeyLayout& layout = table->partition_key->layout;
  std::vector<Oid> types;
  for (size_t i = 0; i < layout.column_count(); i++) types.push_back(layout.column(i).type);
  return types;
}

}  // namespace indigo::catalog
