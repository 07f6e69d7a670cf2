#include <algorithm>

#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "sql/analyze/type/coerce.h"
#include "types/oids.h"

namespace indigo::sql {

TypeRef base_type_ref(catalog::CatalogView& catalog, Oid type) {
  TypeRef ref{type, -1, kInvalidOid};
  for (;;) {
    // No type of PostgreSQL's hand-numbered ones is a domain.
    if (ref.oid < 10000) return ref;
    const auto info = catalog.type(ref.oid);
    if (!info || info->kind != 'd') return ref;
    ref.oid = info->base;
    ref.typmod = info->base_typmod;
    ref.collation = info->collation;
  }
}

Oid base_type(catalog::CatalogView& catalog, Oid type) { return base_type_ref(catalog, type).oid; }

char category_of(catalog::CatalogView& catalog, Oid type) {
  const auto info = catalog.type(type);
  return info ? info->category : 'X';
}

bool is_preferred(catalog::CatalogView& catalog, char category, Oid type) {
  const auto info = catalog.type(type);
  return info && info->category == category && info->preferred;
}

namespace {

// The usual types that are no arrays.
bool is_plain(Oid type) {
  switch (type) {
    case oid::kBool:
    case oid::kInt2:
    case oid::kInt4:
    case oid::kInt8:
    case oid::kFloat4:
    case oid::kFloat8:
    case oid::kNumeric:
    case oid::kText:
    case oid::kVarchar:
    case oid::kDate:
    case oid::kTimestamp:
    case oid::kTimestampTz:
    case oid::kUuid: return true;
    default: return false;
  }
}

}  // namespace

Oid element_of(catalog::CatalogView& catalog, Oid type) {
  if (is_plain(type)) return kInvalidOid;
  const auto info = catalog.type(type);
  return info && info->is_array() ? info->element : kInvalidOid;
}
Oid element_of_base(catalog::CatalogView& catalog, Oid type) { return element_of(catalog, base_type(catalog, type)); }

Oid array_of(catalog::CatalogView& catalog, Oid element) {
  if (element == oid::kRecord) return oid::kRecordArray;
  const auto info = catalog.type(element);
  return info ? info->array : kInvalidOid;
}

bool is_composite(catalog::CatalogView& catalog, Oid type) {
  const auto info = catalog.type(base_type(catalog, type));
  return info && info->relation != kInvalidOid;
}

bool is_row_of(catalog::CatalogView& catalog, Oid source, Oid target) {
  const auto from = catalog.type(base_type(catalog, source)), to = catalog.type(target);
  if (!from || !to || from->relation == kInvalidOid || to->relation == kInvalidOid) return false;
  std::vector<Oid> seen{from->relation};
  for (size_t i = 0; i < seen.size(); i++) {
    const auto relation = catalog.relation(seen[i]);
    if (relation == nullptr) continue;
    for (const Oid parent : relation->parents) {
      if (parent == to->relation) return true;
      if (std::find(seen.begin(), seen.end(), parent) == seen.end()) seen.push_back(parent);
    }
  }
  Oid made_of = kInvalidOid;
  const Datum key = Datum::of_oid(from->relation);
  catalog.system_table_rows(catalog::pg_class::kOid, -1, {&key, 1}, [&](const catalog::RowReader& row) {
    made_of = row.oid(catalog::pg_class::c_reloftype);
    return false;
  });
  return made_of == target;
}

bool is_polymorphic(Oid type) {
  switch (type) {
    case oid::kAnyElement:
    case oid::kAnyArray:
    case oid::kAnyNonArray:
    case oid::kAnyEnum:
    case oid::kAnyRange:
    case oid::kAnyMultirange:
    case oid::kAnyCompatible:
    case oid::kAnyCompatibleArray:
    case oid::kAnyCompatibleNonArray:
    case oid::kAnyCompatibleRange:
    case oid::kAnyCompatibleMultirange: return true;
    default: return false;
  }
}

bool binary_coercible(catalog::CatalogView& catalog, Oid source, Oid target) {
  if (source == target || target == oid::kAny || target == oid::kAnyElement || target == oid::kAnyCompatible)
    return true;
  source = base_type(catalog, source);
  if (source == target) return true;
  if (target == oid::kAnyArray || target == oid::kAnyCompatibleArray) return element_of(catalog, source) != kInvalidOid;
  if (target == oid::kAnyNonArray) return element_of(catalog, source) == kInvalidOid;
  if (target == oid::kAnyEnum) {
    const auto info = catalog.type(source);
    return info && info->kind == 'e';
  }
  if (target == oid::kAnyRange || target == oid::kAnyMultirange) {
    const auto info = catalog.type(source);
    return info && info->kind == (target == oid::kAnyRange ? 'r' : 'm');
  }
  if (target == oid::kRecord) return is_composite(catalog, source);
  const auto* cast = catalog.cast(source, target);
  return cast && cast->method == types::CastMethod::kBinary && cast->context == types::CastContext::kImplicit;
}

bool row_shape_of_type(catalog::CatalogView& catalog, Oid type, RowShape& out) {
  const auto info = catalog.type(base_type(catalog, type));
  if (!info || info->relation == kInvalidOid) return false;
  const auto relation = catalog.relation(info->relation);
  if (!relation) return false;
  for (const auto& column : relation->columns) {
    out.names.push_back(column.name);
    out.types.push_back(column.type);
    out.dropped.push_back(column.dropped);
  }
  return true;
}

bool row_shape(catalog::CatalogView& catalog, const ExprPtr& e, RowShape& out) {
  if (const auto* row = try_as<RowExpr>(e); row && row->type.oid == oid::kRecord) {
    for (size_t i = 0; i < row->fields.size(); i++) {
      out.names.push_back(i < row->names.size() ? row->names[i] : "f" + std::to_string(i + 1));
      out.types.push_back(row->fields[i]->type);
    }
    return true;
  }
  if (row_shape_of_type(catalog, e->type.oid, out)) return true;
  const auto* call = try_as<CallExpr>(e);
  if (call == nullptr) return false;
  const auto function = catalog.function(call->function);
  if (!function || function->all_argument_types.empty()) return false;
  std::vector<Oid> actual;
  for (const auto& argument : call->arguments) actual.push_back(argument->type.oid);
  for (size_t i = 0; i < function->all_argument_types.size(); i++) {
    const char mode = i < function->argument_modes.size() ? function->argument_modes[i] : 'i';
    if (mode != 'o' && mode != 'b' && mode != 't') continue;
    const Oid type = resolve_output(catalog, actual, function->arguments, function->all_argument_types[i]);
    const bool named = i < function->argument_names.size() && !function->argument_names[i].empty();
    out.names.push_back(named ? function->argument_names[i] : "column" + std::to_string(out.names.size() + 1));
    const auto info = catalog.type(type);
    out.types.push_back({type, -1, info ? info->collation : kInvalidOid});
  }
  // One OUT parameter of a function is its result itself.
  const bool itself = out.types.size() == 1 && out.types[0].oid == oid::kRecord;
  if (itself && function->kind != types::FunctionKind::kProcedure) out = {};
  return !out.names.empty();
}

}  // namespace indigo::sql
