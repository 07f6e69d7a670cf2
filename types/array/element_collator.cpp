#include "types/array/element_collator.h"

#include "types/extension/extension.h"
#include "types/function/collation.h"
#include "types/oids.h"

namespace indigo::types {

const Collator* element_collator(FuncContext& context, const CallInfo& call) {
  CatalogContext& catalog = context.session().catalog();
  for (const TypeRef& argument : call.arguments) {
    if (argument.oid < oid::kFirstUserOid) continue;
    auto info = catalog.type(argument.oid);
    while (info != nullptr && (info->kind == 'd' || info->is_array())) {
      info = catalog.type(info->kind == 'd' ? info->base : info->element);
    }
    if (info != nullptr && !info->comparison.empty()) return collator_of_comparison(info->comparison);
  }
  return collator_of(context, call);
}

}  // namespace indigo::types
