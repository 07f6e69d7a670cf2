// Expressions by kind of parse node. Each kind has one function; expressions.cpp holds the table of them.
// Thread safety: part of one analysis.
#pragma once

#include "sql/analyze/scope.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

Result<ExprPtr> transform(Scope& scope, const PgQuery__Node* node);
Result<ExprList> transform_list(Scope& scope, NodeList list);

// transform, then boolean; `construct` as in coerce_to_boolean.
Result<ExprPtr> transform_condition(Scope& scope, const PgQuery__Node* node, Clause clause, const char* construct);

// ---- the kinds
Result<ExprPtr> transform_const(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_param(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_type_cast(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_collate(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_operator(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_bool(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_case(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_coalesce(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_min_max(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_null_test(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_boolean_test(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_array(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_row(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_indirection(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_sublink(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_session_value(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_set_to_default(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_xml(Scope& scope, const PgQuery__Node& node);
Result<ExprPtr> transform_xml_serialize(Scope& scope, const PgQuery__Node& node);

// ---- pieces that several kinds share
// ARRAY[...] whose elements may be wanted in a type (ARRAY[...]::type[]); `element` invalid: find the common one.
Result<ExprPtr> transform_array_of(Scope& scope, const PgQuery__AArrayExpr& node, const TypeRef& array, int location);
// A subscript of jsonb as text.
struct JsonbStep {
  ExprPtr text;
  bool integer = false;
};
Result<std::vector<JsonbStep>> jsonb_path(Scope& scope, NodeList subscripts);
// container[...] and container[a:b]; `indexes` are A_Indices nodes.
Result<ExprPtr> transform_subscripts(Scope& scope, const ExprPtr& container, NodeList indexes, int location);
// (a, b) op (c, d); already transformed and of equal length.
Result<ExprPtr> make_row_comparison(Scope& scope, NodeList name, const ExprList& left, const ExprList& right,
                                    int location);
Result<ExprPtr> make_distinct(Scope& scope, NodeList name, const ExprPtr& left, const ExprPtr& right, bool negated,
                              int location);
// An explicit cast of any expression.
Result<ExprPtr> cast_to(Scope& scope, const ExprPtr& e, const TypeRef& type, int location);

}  // namespace indigo::sql
