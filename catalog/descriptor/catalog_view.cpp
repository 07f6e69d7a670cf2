#include "catalog/descriptor/catalog_view.h"

#include "storage/table.h"
#include "types/extension/extension.h"

namespace indigo::catalog {

std::optional<std::vector<types::HashKeyPart>> CatalogView::hash_partition_key(Oid oid) {
  const auto table = relation(oid);
  if (table == nullptr || table->partition_key == nullptr || table->partition_key->strategy != 'h') return std::nullopt;
  return table->partition_key->hash_parts();
}

const types::Collator* CatalogView::collator_of_type(const types::TypeRef& ref) {
  auto info = ref.oid < oid::kFirstUserOid ? nullptr : type(ref.oid);
  while (info != nullptr && (info->kind == 'd' || info->is_array())) {
    const Oid inner = info->kind == 'd' ? info->base : info->element;
    info = inner < oid::kFirstUserOid ? nullptr : type(inner);
  }
  if (info == nullptr || info->comparison.empty()) return collator(ref.collation);
  return types::collator_of_comparison(info->comparison);
}

}  // namespace indigo::catalog
