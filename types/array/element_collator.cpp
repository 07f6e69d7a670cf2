#include "types/array/element_collator.h"

#include "types/extension/extension.h"
#include "types/function/collation.h"

namespace indigo::types {

const Collator* element_collator(FuncContext& context, const CallInfo& call) {
  CatalogContext& catalog = context.session().catalog();
  const FindType find = [&](Oid oid) { return catalog.type(oid); };
  for (const TypeRef& argument : call.arguments) {
    if (const Collator* own = collator_of_own_order(argument.oid, find)) return own;
  }
  return collator_of(context, call);
}

}  // namespace indigo::types
