#include "types/io/domain_check.h"

#include "types/io/type_definition.h"

namespace indigo::types {

namespace {

bool is_constrained(CatalogContext& catalog, Oid type) {
  for (auto info = catalog.type(type); info != nullptr && info->kind == 'd'; info = catalog.type(info->base)) {
    if (info->not_null || !info->checks.empty()) return true;
  }
  return false;
}

}  // namespace

bool check_domain(FuncContext& context, const TypeRef& type, const Datum& value) {
  if (type_definition(type.oid) != nullptr || !is_constrained(context.session().catalog(), type.oid)) return true;
  // The engine evaluates the conditions.
  const Datum arguments[] = {Datum::of_oid(type.oid), value};
  auto checked = context.session().system_value("domain_check", arguments);
  if (checked.ok()) return true;
  context.fail(std::move(*checked.take_error()));
  return false;
}

TypeRef without_domain(CatalogContext& catalog, TypeRef type) {
  for (auto info = catalog.type(type.oid); info != nullptr && info->kind == 'd'; info = catalog.type(type.oid)) {
    if (type.typmod < 0) type.typmod = info->base_typmod;
    type.oid = info->base;
  }
  return type;
}

}  // namespace indigo::types
