#include "catalog/descriptor/catalog_view.h"

#include "storage/table.h"
#include "types/extension/extension.h"
#include "types/function/registry.h"
#include "types/value/collator.h"

namespace indigo::catalog {

std::optional<std::vector<types::HashKeyPart>> CatalogView::hash_partition_key(Oid oid) {
  const auto table = relation(oid);
  if (table == nullptr || table->partition_key == nullptr || table->partition_key->strategy != 'h') return std::nullopt;
  return table->partition_key->hash_parts();
}

const types::Collator* CatalogView::collator_of_type(const types::TypeRef& ref) {
  if (const types::Collator* defined = defined_order(ref.oid)) return defined;
  const types::Collator* own = types::collator_of_own_order(ref.oid, [&](Oid oid) { return type(oid); });
  if (own != nullptr) return in_database(own);
  const types::Collator* by_collation = collator(ref.collation);
  const bool by_members = by_collation == nullptr || ref.collation == oid::kDefaultCollation;
  return by_members && types::holds_members(ref.oid, [&](Oid oid) { return type(oid); }) ? member_orders()
                                                                                         : by_collation;
}

const types::TypeOrder* CatalogView::order_of_type(const types::TypeRef& ref) {
  if (const types::Collator* c = collator_of_type(ref); c != nullptr && c->values() != nullptr)
    return &types::defined_order();
  if (const types::TypeOrder* order = types::type_order(ref.oid)) return order;
  auto info = type(ref.oid);
  while (info != nullptr && info->kind == 'd') info = type(info->base);
  return info != nullptr ? types::type_order(*info) : nullptr;
}

}  // namespace indigo::catalog
