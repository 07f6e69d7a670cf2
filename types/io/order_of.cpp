#include "types/io/order_of.h"

#include "base/sqlstate.h"
#include "types/system/type_name.h"

namespace indigo::types {

const TypeOrder* order_of(FuncContext& context, Oid type) {
  if (const TypeOrder* order = type_order(type)) return order;
  CatalogContext& catalog = context.session().catalog();
  auto info = catalog.type(type);
  while (info != nullptr && info->kind == 'd') info = catalog.type(info->base);
  return info == nullptr ? nullptr : type_order(*info);
}

void fail_no_comparison(FuncContext& context, Oid type) {
  context.fail(sqlstate::kUndefinedFunction,
               "could not identify a comparison function for type " + format_type(context, type));
}

void fail_no_equality(FuncContext& context, Oid type) {
  context.fail(sqlstate::kUndefinedFunction,
               "could not identify an equality operator for type " + format_type(context, type));
}

}  // namespace indigo::types
