#include "catalog/descriptor/catalog_view.h"

#include "storage/table.h"
#include "types/extension/extension.h"

namespace indigo::catalog {

std::optional<std::vector<Oid>> CatalogView::hash_partition_types(Oid oid) {
  const auto table = relation(oid);
  if (table == nullptr || table->partition_key == nullptr || table->partition_key->strategy != 'h') return std::nullopt;
  const KeyLayout& layout = table->partition_key->layout;
  std::vector<Oid> types;
  for (size_t i = 0; i < layout.column_count(); i++) types.push_back(layout.column(i).type);
  return types;
}

const types::Collator* CatalogView::collator_of_type(const types::TypeRef& ref) {
  auto info = ref.oid < oid::kFirstUserOid ? nullptr : type(ref.oid);
  while (info != nullptr && info->kind == 'd' && info->base >= oid::kFirstUserOid) info = type(info->base);
  if (info == nullptr || info->comparison.empty()) return collator(ref.collation);
  return types::collator_of_comparison(info->comparison);
}

}  // namespace indigo::catalog
