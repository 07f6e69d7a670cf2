#include "sql/analyze/type/coerce.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

bool allows(Coercion place, types::CastContext cast) {
  switch (cast) {
    case types::CastContext::kImplicit: return true;
    case types::CastContext::kAssignment: return place != Coercion::kImplicit;
    case types::CastContext::kExplicit: return place == Coercion::kExplicit;
  }
  return false;
}

}  // namespace

CoercionPath find_path(catalog::CatalogView& catalog, Oid target, Oid source, Coercion context) {
  source = base_type(catalog, source);
  target = base_type(catalog, target);
  if (source == target) return {PathKind::kRelabel, kInvalidOid};
  if (const auto* cast = catalog.cast(source, target)) {
    if (!allows(context, cast->context)) return {};
    switch (cast->method) {
      case types::CastMethod::kFunction: return {PathKind::kFunction, cast->function};
      case types::CastMethod::kInOut: return {PathKind::kIo, kInvalidOid};
      case types::CastMethod::kBinary: return {PathKind::kRelabel, kInvalidOid};
    }
  }
  if (target != oid::kOidVector && target != oid::kInt2Vector) {
    const Oid from = element_of(catalog, source), to = from ? element_of(catalog, target) : kInvalidOid;
    if (to != kInvalidOid && from != kInvalidOid) {
      const CoercionPath element = find_path(catalog, to, from, context);
      if (element.kind == PathKind::kIo) return element;
      if (element.kind != PathKind::kNone) return {PathKind::kArray, kInvalidOid};
    }
  }
  // Anything is text on demand.
  if (context != Coercion::kImplicit && category_of(catalog, target) == 'S') return {PathKind::kIo, kInvalidOid};
  if (context == Coercion::kExplicit && category_of(catalog, source) == 'S') return {PathKind::kIo, kInvalidOid};
  return {};
}

bool can_coerce(catalog::CatalogView& catalog, Oid from, Oid to, Coercion context) {
  return can_coerce(catalog, {&from, 1}, {&to, 1}, context);
}

bool can_coerce(catalog::CatalogView& catalog, std::span<const Oid> from, std::span<const Oid> to, Coercion context) {
  bool generic = false;
  for (size_t i = 0; i < from.size(); i++) {
    const Oid source = from[i], target = to[i];
    if (source == target || target == oid::kAny) continue;
    if (is_polymorphic(target)) {
      generic = true;
      continue;
    }
    if (source == oid::kUnknown) continue;
    if (find_path(catalog, target, source, context).kind != PathKind::kNone) continue;
    if (source == oid::kRecord && is_composite(catalog, target)) continue;
    if (target == oid::kRecord && is_composite(catalog, source)) continue;
    if (is_row_of(catalog, source, target)) continue;
    if (target == oid::kRecordArray && is_composite(catalog, element_of(catalog, source))) continue;
    return false;
  }
  return !generic || generic_types_consistent(catalog, from, to);
}

}  // namespace indigo::sql
