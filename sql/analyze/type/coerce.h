// Conversions between types: which exist (pg_cast, text, arrays, domains, row types), which of them a place allows, and the
// expression that performs one. Polymorphic signatures and the common type of several expressions.
// Source of the rules: PostgreSQL 15 documentation, chapter 10 (Type Conversion).
// Thread safety: part of one analysis.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sql/analyze/analysis.h"

namespace indigo::sql {

enum class Coercion : uint8_t { kImplicit, kAssignment, kExplicit };

enum class PathKind : uint8_t { kNone, kRelabel, kFunction, kArray, kIo };
struct CoercionPath {
  PathKind kind = PathKind::kNone;
  Oid function = kInvalidOid;  // kFunction
};
// From source to target (domains count as their base types).
CoercionPath find_path(catalog::CatalogView& catalog, Oid target, Oid source, Coercion context);

// ---- facts about types
Oid base_type(catalog::CatalogView& catalog, Oid type);
// The same with the modifier that the domain gives.
TypeRef base_type_ref(catalog::CatalogView& catalog, Oid type);
char category_of(catalog::CatalogView& catalog, Oid type);
bool is_preferred(catalog::CatalogView& catalog, char category, Oid type);
// Element of a true array type (domains over arrays: with element_of_base), else invalid.
Oid element_of(catalog::CatalogView& catalog, Oid type);
Oid element_of_base(catalog::CatalogView& catalog, Oid type);
Oid array_of(catalog::CatalogView& catalog, Oid element);
bool is_composite(catalog::CatalogView& catalog, Oid type);  // named row types; domains over them too
bool is_polymorphic(Oid type);
// A table's rows are rows of those that it inherits from, and of the composite type that it was made of.
bool is_row_of(catalog::CatalogView& catalog, Oid source, Oid target);
bool binary_coercible(catalog::CatalogView& catalog, Oid source, Oid target);

// ---- coercion
bool can_coerce(catalog::CatalogView& catalog, std::span<const Oid> from, std::span<const Oid> to, Coercion context);
bool can_coerce(catalog::CatalogView& catalog, Oid from, Oid to, Coercion context);

// Converts where can_coerce said yes. `type.typmod` is not applied, except where the input function wants it. `form` is how
// the conversion shows when deparsed.
Result<ExprPtr> coerce_type(Analysis& a, const ExprPtr& e, const TypeRef& type, Coercion context, CallExpr::Form form,
                            int location);
// Applies a type's modifier (length, precision).
Result<ExprPtr> coerce_typmod(Analysis& a, const ExprPtr& e, const TypeRef& type, Coercion context, CallExpr::Form form,
                              int location);
// Both; a null answer when the types cannot be converted here.
Result<ExprPtr> coerce_to_target(Analysis& a, const ExprPtr& e, const TypeRef& type, Coercion context,
                                 CallExpr::Form form, int location);
// `construct`: "WHERE", "AND" ... 42804 when not possible.
Result<ExprPtr> coerce_to_boolean(Analysis& a, const ExprPtr& e, const char* construct);
Result<ExprPtr> coerce_to_specific(Analysis& a, const ExprPtr& e, Oid type, const char* construct);
// The modifier of a domain's base type, and its checks, around a value that already has that base type.
Result<ExprPtr> coerce_to_domain(Analysis& a, const ExprPtr& e, Oid domain, Coercion context, int location);
// By the value's text, whatever the types: as programs assign where no cast converts.
Result<ExprPtr> coerce_through_text(Analysis& a, const ExprPtr& e, const TypeRef& to);
// The checks that a cast to a domain makes: of the domains below it, too.
Status add_domain_checks(Analysis& a, DomainCastExpr& cast);
// Unknown literals and parameters become text.
Result<ExprPtr> unknown_to_text(Analysis& a, const ExprPtr& e);

// ---- the common type of UNION, CASE, VALUES ...; `construct` null: no error, an invalid OID.
Result<Oid> select_common_type(Analysis& a, std::span<const ExprPtr> list, const char* construct);
Result<ExprPtr> coerce_to_common(Analysis& a, const ExprPtr& e, Oid type, const char* construct);
int32_t select_common_typmod(std::span<const ExprPtr> list, Oid type);
// select, then coerce each in place; answers the type.
Result<TypeRef> unify(Analysis& a, ExprList& list, const char* construct);

// ---- polymorphism (polymorphic.cpp)
bool generic_types_consistent(catalog::CatalogView& catalog, std::span<const Oid> actual,
                              std::span<const Oid> declared);
// Replaces polymorphic types in `declared` by what the actual types make of them; the answer is the result type.
// `allow_polymorphic`: actual types may be polymorphic themselves.
Result<Oid> resolve_polymorphic(Analysis& a, std::span<const Oid> actual, std::vector<Oid>& declared, Oid result,
                                bool allow_polymorphic = false);
// The result's polymorphic type for one of several output columns, after resolve_polymorphic's input types are known.
Oid resolve_output(catalog::CatalogView& catalog, std::span<const Oid> actual, std::span<const Oid> declared,
                   Oid output);

// ---- row types
struct RowShape {
  std::vector<std::string> names;
  std::vector<TypeRef> types;
  std::vector<bool> dropped;  // empty: none
};
// The columns of a composite or record-valued expression; false when they are not known.
bool row_shape(catalog::CatalogView& catalog, const ExprPtr& e, RowShape& out);
bool row_shape_of_type(catalog::CatalogView& catalog, Oid type, RowShape& out);

}  // namespace indigo::sql
