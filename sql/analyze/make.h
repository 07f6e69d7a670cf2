// Constructors of expression nodes.
// Thread safety: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "catalog/descriptor/catalog_view.h"
#include "sql/expr.h"

namespace indigo::sql {

ExprPtr make_const(const TypeRef& type, const Datum& value, int location = -1);
ExprPtr make_null(catalog::CatalogView& catalog, const TypeRef& type, int location = -1);
ExprPtr make_bool(bool value, int location = -1);
ExprPtr make_int4(int32_t value, int location = -1);
ExprPtr make_unknown(std::string_view text, int location = -1);
ExprPtr make_unknown_null(int location = -1);
// AND / OR; one argument stays as it is, none is true / false.
ExprPtr make_and(ExprList list, int location = -1);
ExprPtr make_or(ExprList list, int location = -1);
ExprPtr make_not(ExprPtr e, int location = -1);
ExprPtr make_var(int entry, int column, const TypeRef& type, int levels_up = 0, int location = -1);
ExprPtr make_relabel(ExprPtr e, const TypeRef& type, bool implicit, int location = -1);
ExprPtr make_null_test(ExprPtr e, bool is_null, int location = -1);

// Where an expression begins in the text: the leftmost of its own location and its operands'; -1 unknown.
int expr_location(const ExprPtr& e);

// A string constant of unknown type (not null), else null.
const ConstExpr* unknown_literal(const ExprPtr& e);
bool is_null_const(const ExprPtr& e);

// `type` with the type's own collation filled in where it has one and none is given.
TypeRef type_with_collation(catalog::CatalogView& catalog, TypeRef type);

// The expression seen from a query `levels` deeper: Vars, aggregates and whole rows of its level move up.
ExprPtr raise_levels(const ExprPtr& e, int levels);

// Set-returning calls inside (not in subqueries).
bool returns_set(const ExprPtr& e);
// Vars of the running level inside (aggregates' arguments included; subqueries' references too).
bool contains_vars(const ExprPtr& e);

}  // namespace indigo::sql
