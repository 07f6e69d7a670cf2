#include "sql/analyze/expression/expressions.h"

#include "sql/analyze/expression/function_call.h"
#include "sql/analyze/from/names.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/coerce.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using Handler = Result<ExprPtr> (*)(Scope& scope, const PgQuery__Node& node);

struct KindHandler {
  PgQuery__Node__NodeCase kind;
  Handler handler;
};
// A new kind of expression is a function and a line here.
constexpr KindHandler kExpressionsHandlers[] = {
    {PG_QUERY__NODE__NODE_COLUMN_REF, transform_column_ref},
    {PG_QUERY__NODE__NODE_A_CONST, transform_const},
    {PG_QUERY__NODE__NODE_A_EXPR, transform_operator},
    {PG_QUERY__NODE__NODE_FUNC_CALL, transform_func_call},
    {PG_QUERY__NODE__NODE_PARAM_REF, transform_param},
    {PG_QUERY__NODE__NODE_BOOL_EXPR, transform_bool},
    {PG_QUERY__NODE__NODE_TYPE_CAST, transform_type_cast},
    {PG_QUERY__NODE__NODE_COLLATE_CLAUSE, transform_collate},
    {PG_QUERY__NODE__NODE_SUB_LINK, transform_sublink},
    {PG_QUERY__NODE__NODE_CASE_EXPR, transform_case},
    {PG_QUERY__NODE__NODE_COALESCE_EXPR, transform_coalesce},
    {PG_QUERY__NODE__NODE_MIN_MAX_EXPR, transform_min_max},
    {PG_QUERY__NODE__NODE_NULL_TEST, transform_null_test},
    {PG_QUERY__NODE__NODE_BOOLEAN_TEST, transform_boolean_test},
    {PG_QUERY__NODE__NODE_A_ARRAY_EXPR, transform_array},
    {PG_QUERY__NODE__NODE_ROW_EXPR, transform_row},
    {PG_QUERY__NODE__NODE_A_INDIRECTION, transform_indirection},
    {PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION, transform_session_value},
    {PG_QUERY__NODE__NODE_GROUPING_FUNC, transform_grouping_func},
    {PG_QUERY__NODE__NODE_SET_TO_DEFAULT, transform_set_to_default},
    {PG_QUERY__NODE__NODE_XML_EXPR, transform_xml},
    {PG_QUERY__NODE__NODE_XML_SERIALIZE, transform_xml_serialize},
};

struct Unsupported {
  PgQuery__Node__NodeCase kind;
  const char* name;
};
constexpr Unsupported kUnsupported[] = {
    {PG_QUERY__NODE__NODE_CURRENT_OF_EXPR, "WHERE CURRENT OF"},
    {PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF, "this form of multiple assignment"},
};

}  // namespace

Result<ExprPtr> transform(Scope& scope, const PgQuery__Node* node) {
  INDIGO_TRY(check_stack_depth());
  if (node == nullptr) return scope.error(sqlstate::kInternalError, "an expression is missing in the parse tree");
  for (const KindHandler& h : kExpressionsHandlers) {
    if (h.kind == node->node_case) return h.handler(scope, *node);
  }
  for (const Unsupported& u : kUnsupported) {
    if (u.kind == node->node_case) {
      return scope.error(sqlstate::kFeatureNotSupported, std::string(u.name) + " is not supported", location_of(node));
    }
  }
  return scope.error(sqlstate::kFeatureNotSupported,
                     "this kind of expression (" + std::to_string(node->node_case) + ") is not supported",
                     location_of(node));
}

Result<ExprList> transform_list(Scope& scope, NodeList list) {
  ExprList out;
  out.reserve(list.size());
  for (const PgQuery__Node* n : list) {
    INDIGO_ASSIGN(ExprPtr e, transform(scope, n));
    out.push_back(std::move(e));
  }
  return out;
}

Result<ExprPtr> transform_condition(Scope& scope, const PgQuery__Node* node, Clause clause, const char* construct) {
  Setting<Clause> here(scope.clause, clause);
  INDIGO_ASSIGN(const ExprPtr e, transform(scope, node));
  return coerce_to_boolean(scope.a, e, construct);
}

Result<ExprPtr> transform_set_to_default(Scope& scope, const PgQuery__Node& node) {
  return scope.error(sqlstate::kSyntaxError, "DEFAULT is not allowed in this context", node.set_to_default->location);
}

}  // namespace indigo::sql
