#include "catalog/descriptor/range_part.h"

#include "catalog/descriptor/class_order.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/generated/columns.h"
#include "types/function/registry.h"
#include "types/io/held_order.h"

namespace indigo::catalog {

bool RangePart::plain() const {
  return canonical == kInvalidOid && order.collator == nullptr &&
         order.order == types::order_of_held(subtype, element.phys);
}

std::optional<RangePart> range_part(CatalogView& catalog, const types::TypeInfo& type) {
  const Datum range = Datum::of_oid(type.kind == 'r' ? type.oid : type.range_partner);
  Oid opclass = kInvalidOid;
  types::TypeRef of{kInvalidOid, -1, kInvalidOid};
  RangePart out;
  catalog.system_table_rows(pg_range::kOid, -1, {&range, 1}, [&](const RowReader& row) {
    of.oid = row.oid(pg_range::c_rngsubtype);
    of.collation = row.oid(pg_range::c_rngcollation);
    opclass = row.oid(pg_range::c_rngsubopc);
    out.canonical = row.oid(pg_range::c_rngcanonical);
    return false;
  });
  if (of.oid == kInvalidOid) return std::nullopt;
  out.subtype = of.oid;
  out.element = key_column_of(of, catalog);
  out.element.nullable = false;
  auto info = catalog.type(of.oid);
  while (info != nullptr && info->kind == 'd') info = catalog.type(of.oid = info->base);
  if (const types::Collator* keys = keys_of_class(catalog, opclass)) {
    out.order = {&types::defined_order(), keys};
    out.element.collator = keys;
  } else {
    out.order = {catalog.order_of_type(of), catalog.collator_of_type(of)};
    if (out.order.collator != nullptr) out.element.collator = out.order.collator;
  }
  if (out.order.order == nullptr) return std::nullopt;
  return out;
}

}  // namespace indigo::catalog
