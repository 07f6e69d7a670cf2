// One type for several expressions: UNION, CASE, COALESCE, ARRAY, VALUES, IN (documentation, section 10.5).
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "types/oids.h"

namespace indigo::sql {

Result<Oid> select_common_type(Analysis& a, std::span<const ExprPtr> list, const char* construct) {
  catalog::CatalogView& catalog = a.catalog;
  Oid type = list[0]->type.oid;
  bool all_same = type != oid::kUnknown;
  for (const ExprPtr& e : list.subspan(1)) all_same = all_same && e->type.oid == type;
  if (all_same) return type;
  type = base_type(catalog, type);
  char category = category_of(catalog, type);
  bool preferred = is_preferred(catalog, category, type);
  for (const ExprPtr& e : list.subspan(1)) {
    const Oid other = base_type(catalog, e->type.oid);
    if (other == oid::kUnknown || other == type) continue;
    const char other_category = category_of(catalog, other);
    if (type == oid::kUnknown) {
      // The first known type.
    } else if (other_category != category) {
      if (construct == nullptr) return Oid{kInvalidOid};
      return a.error(sqlstate::kDatatypeMismatch,
                     std::string(construct) + " types " + format_type(catalog, type) + " and " +
                         format_type(catalog, other) + " cannot be matched",
                     expr_location(e));
    } else if (preferred || !can_coerce(catalog, type, other, Coercion::kImplicit) ||
               can_coerce(catalog, other, type, Coercion::kImplicit)) {
      continue;
    }
    type = other;
    category = other_category;
    preferred = is_preferred(catalog, category, type);
  }
  return type == oid::kUnknown ? oid::kText : type;
}

Result<ExprPtr> coerce_to_common(Analysis& a, const ExprPtr& e, Oid type, const char* construct) {
  if (e->type.oid == type) return e;
  const TypeRef target = type_with_collation(a.catalog, {type, -1, kInvalidOid});
  if (can_coerce(a.catalog, e->type.oid, type, Coercion::kImplicit)) {
    return coerce_type(a, e, target, Coercion::kImplicit, CallExpr::Form::kImplicitCast, -1);
  }
  return a.error(sqlstate::kCannotCoerce,
                 std::string(construct) + " could not convert type " + format_type(a.catalog, e->type.oid) + " to " +
                     format_type(a.catalog, type),
                 expr_location(e));
}

int32_t select_common_typmod(std::span<const ExprPtr> list, Oid type) {
  const int32_t first = list[0]->type.typmod;
  for (const ExprPtr& e : list) {
    if (e->type.oid != type || e->type.typmod != first) return -1;
  }
  return first;
}

Result<TypeRef> unify(Analysis& a, ExprList& list, const char* construct) {
  INDIGO_ASSIGN(const Oid type, select_common_type(a, list, construct));
  const bool of_case = std::string_view(construct) == "CASE";  // then the first of the list is what ELSE gives
  for (ExprPtr& e : list) {
    const char* part = !of_case ? construct : &e == list.data() ? "CASE/ELSE" : "CASE/WHEN";
    INDIGO_ASSIGN(e, coerce_to_common(a, e, type, part));
  }
  TypeRef out = type_with_collation(a.catalog, {type, select_common_typmod(list, type), kInvalidOid});
  if (out.collation != kInvalidOid) {
    INDIGO_ASSIGN(const Oid collation, input_collation(a, list));
    if (collation != kInvalidOid) out.collation = collation;
  }
  return out;
}

}  // namespace indigo::sql
