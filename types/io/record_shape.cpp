#include "types/io/record_shape.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "types/oids.h"
#include "types/system/type_name.h"

namespace indigo::types {

namespace {

Oid without_domains(CatalogContext& catalog, Oid type) {
  auto info = catalog.type(type);
  while (info != nullptr && info->kind == 'd') {
    type = info->base;
    info = catalog.type(type);
  }
  return type;
}

Error row_mismatch(std::string detail) {
  return Error(sqlstate::kDatatypeMismatch, "function return row and query-specified return row do not match")
      .with_detail(std::move(detail));
}

}  // namespace

bool stands_for(CatalogContext& catalog, Oid from, Oid to) {
  if (from == to) return true;
  from = without_domains(catalog, from);
  if (from == to) return true;
  if (to == oid::kRecord) return fields_relation(catalog, from) != nullptr;
  const auto* cast = catalog.cast(from, to);
  return cast != nullptr && cast->method == types::CastMethod::kBinary &&
         cast->context == types::CastContext::kImplicit;
}

bool check_row_shape(FuncContext& context, std::span<const types::TypeRef> types,
                     std::span<const types::TypeRef> expected) {
  if (types.size() != expected.size()) {
    const std::string has = std::to_string(types.size());
    context.fail(row_mismatch("Returned row contains " + has + (types.size() == 1 ? " attribute" : " attributes") +
                              ", but query expects " + std::to_string(expected.size()) + "."));
    return false;
  }
  CatalogContext& catalog = context.session().catalog();
  for (size_t i = 0; i < types.size(); i++) {
    // Dropped, maybe since the query was written: then nothing reads it.
    if (types[i].oid == kInvalidOid || expected[i].oid == kInvalidOid) continue;
    if (stands_for(catalog, types[i].oid, expected[i].oid)) continue;
    context.fail(row_mismatch("Returned type " + format_type(context, types[i].oid) + " at ordinal position " +
                              std::to_string(i + 1) + ", but query expects " + format_type(context, expected[i].oid) +
                              "."));
    return false;
  }
  return true;
}

bool expand_row(FuncContext& context, Str image, bool named, std::span<const types::TypeRef> expected,
                std::span<const Phys> phys, std::vector<Datum>& out) {
  RecordFields fields = numbered_fields(context.session().catalog(), image);
  if (named && fields.types.size() > expected.size()) fields.types.resize(expected.size());
  if (!check_row_shape(context, fields.types, expected)) return false;
  out.clear();
  for (size_t i = 0; i < phys.size(); i++) {
    const Datum& value = fields.values[i];
    out.push_back(expected[i].oid != kInvalidOid && value.phys == phys[i] ? value : Datum::make_null(phys[i]));
  }
  return true;
}

bool same_shape(CatalogContext& catalog, Str a, Str b) {
  const RecordFields x = numbered_fields(catalog, a), y = numbered_fields(catalog, b);
  return std::equal(x.types.begin(), x.types.end(), y.types.begin(), y.types.end(),
                    [](const auto& l, const auto& r) { return l.oid == r.oid; });
}

Datum read_field(FuncContext& context, Str image, size_t field, const types::TypeRef& expected, Phys phys) {
  const Datum null = Datum::make_null(phys);
  TypeRef type;
  const std::optional<Datum> value = field_at(image, field, type);
  if (!value) {
    // A composite type's value that is older than the attribute.
    if (record_type(image) != oid::kRecord) return null;
    context.fail(sqlstate::kInternalError, "attribute number " + std::to_string(field + 1) +
                                               " exceeds number of columns " + std::to_string(field_count(image)));
    return null;
  }
  if (type.oid == kInvalidOid) return null;
  if (value->phys == phys &&
      (type.oid == expected.oid || stands_for(context.session().catalog(), type.oid, expected.oid)))
    return *value;
  context.fail(Error(sqlstate::kDatatypeMismatch, "attribute " + std::to_string(field + 1) + " has wrong type")
                   .with_detail("Table has type " + format_type(context, type.oid) + ", but query expects " +
                                format_type(context, expected.oid) + "."));
  return null;
}

}  // namespace indigo::types
