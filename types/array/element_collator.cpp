#include "types/array/element_collator.h"

#include <algorithm>

#include "types/extension/extension.h"
#include "types/function/collation.h"

namespace indigo::types {

const Collator* element_collator(FuncContext& context, const CallInfo& call) {
  CatalogContext& catalog = context.session().catalog();
  const FindType find = [&](Oid oid) { return catalog.type(oid); };
  for (const TypeRef& argument : call.arguments) {
    if (const Collator* own = collator_of_own_order(argument.oid, find)) return catalog.in_database(own);
    const auto info = catalog.type(argument.oid);
    const Collator* defined = info == nullptr || !info->is_array() ? nullptr : catalog.defined_order(info->element);
    if (defined != nullptr) return defined;
  }
  const Collator* by_collation = collator_of(context, call);
  if (by_collation != nullptr && call.collation != oid::kDefaultCollation) return by_collation;
  const bool members = std::any_of(call.arguments.begin(), call.arguments.end(),
                                   [&](const TypeRef& argument) { return holds_members(argument.oid, find); });
  return members ? catalog.member_orders() : by_collation;
}

}  // namespace indigo::types
