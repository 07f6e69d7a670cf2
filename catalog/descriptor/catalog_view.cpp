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
  const types::Collator* own = types::collator_of_own_order(ref.oid, [&](Oid oid) { return type(oid); });
  return own != nullptr ? own : collator(ref.collation);
}

}  // namespace indigo::catalog
