#include "sql/analyze/expression/sublink.h"

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/clauses.h"
#include "sql/analyze/select/select.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using Form = SubLinkExpr::Form;

Result<std::shared_ptr<SubLinkExpr>> make_link(Scope& scope, const PgQuery__SubLink& node, Form form) {
  INDIGO_TRY(check_subquery_allowed(scope, node.location));
  auto link = std::make_shared<SubLinkExpr>();
  link->form = form;
  link->location = node.location;
  INDIGO_ASSIGN(link->query, analyze_subquery(scope, node.subselect, SubqueryOptions{}));
  scope.has_sublinks = true;
  return link;
}

ExprList result_columns(const Query& q) {
  ExprList out;
  for (const TargetEntry& t : q.targets) {
    if (t.hidden) continue;
    auto slot = std::make_shared<RuntimeParamExpr>();
    slot->slot = static_cast<int>(out.size());
    slot->type = t.expr->type;
    slot->location = t.expr->location;
    out.push_back(std::move(slot));
  }
  return out;
}

// The comparison of the left side with each row of the subquery.
Status add_test(Scope& scope, SubLinkExpr& link, const ExprPtr& left, NodeList op, int location) {
  const ExprList columns = result_columns(*link.query);
  const auto* row = try_as<RowExpr>(left);
  const ExprList values = row ? row->fields : ExprList{left};
  if (values.size() < columns.size()) {
    return scope.error(sqlstate::kSyntaxError, "subquery has too many columns", location);
  }
  if (values.size() > columns.size()) {
    return scope.error(sqlstate::kSyntaxError, "subquery has too few columns", location);
  }
  INDIGO_ASSIGN(link.test, make_row_comparison(scope, op, values, columns, location));
  link.type.oid = oid::kBool;
  return {};
}

Result<ExprPtr> comparing(Scope& scope, const PgQuery__SubLink& node, Form form) {
  INDIGO_ASSIGN(auto link, make_link(scope, node, form));
  Setting<bool> lift(scope.lift, false);
  INDIGO_ASSIGN(const ExprPtr left, transform(scope, node.testexpr));
  if (node.n_oper_name > 0) {
    INDIGO_TRY(add_test(scope, *link, left, nodes(node.n_oper_name, node.oper_name), node.location));
    return ExprPtr(link);
  }
  // IN is = ANY.
  PgQuery__String string = PG_QUERY__STRING__INIT;
  char equals[] = "=";
  string.sval = equals;
  PgQuery__Node op = PG_QUERY__NODE__INIT;
  op.node_case = PG_QUERY__NODE__NODE_STRING;
  op.string = &string;
  PgQuery__Node* name[] = {&op};
  INDIGO_TRY(add_test(scope, *link, left, NodeList(name), node.location));
  return ExprPtr(link);
}

Result<ExprPtr> single_column(Scope& scope, const PgQuery__SubLink& node, Form form) {
  INDIGO_ASSIGN(auto link, make_link(scope, node, form));
  const ExprList columns = result_columns(*link->query);
  if (columns.size() != 1) {
    return scope.error(sqlstate::kSyntaxError, "subquery must return only one column", node.location);
  }
  link->type = columns[0]->type;
  if (form == Form::kArray) {
    // A column of arrays makes one array with one dimension more.
    const Oid of_elements = array_of(scope.catalog(), link->type.oid);
    const bool of_arrays = of_elements == kInvalidOid && element_of(scope.catalog(), link->type.oid) != kInvalidOid;
    const Oid own = of_arrays ? link->type.oid : of_elements;
    if (own == kInvalidOid) {
      return scope.error(sqlstate::kUndefinedObject,
                         "could not find array type for data type " + format_type(scope.catalog(), link->type.oid),
                         node.location);
    }
    link->type.oid = own;
    link->type.typmod = -1;
  }
  return ExprPtr(link);
}

}  // namespace

Result<ExprPtr> transform_sublink(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__SubLink& s = *node.sub_link;
  switch (s.sub_link_type) {
    case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK: {
      INDIGO_ASSIGN(auto link, make_link(scope, s, Form::kExists));
      link->type.oid = oid::kBool;
      return ExprPtr(link);
    }
    case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK: return single_column(scope, s, Form::kScalar);
    case PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK: return single_column(scope, s, Form::kArray);
    case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK: return comparing(scope, s, Form::kAny);
    case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK: return comparing(scope, s, Form::kAll);
    default: return scope.error(sqlstate::kFeatureNotSupported, "this kind of subquery is not supported", s.location);
  }
}

Result<ExprPtr> transform_row_sublink(Scope& scope, const PgQuery__Node* row, NodeList op, const PgQuery__SubLink& node,
                                      int location) {
  INDIGO_ASSIGN(auto link, make_link(scope, node, Form::kRowCompare));
  Setting<bool> lift(scope.lift, false);
  INDIGO_ASSIGN(const ExprPtr left, transform(scope, row));
  INDIGO_TRY(add_test(scope, *link, left, op, location));
  return ExprPtr(link);
}

Result<ExprPtr> transform_assign_sublink(Scope& scope, const PgQuery__SubLink& node, int columns, int location) {
  INDIGO_ASSIGN(auto link, make_link(scope, node, Form::kMultiAssign));
  if (result_columns(*link->query).size() != static_cast<size_t>(columns)) {
    return scope.error(sqlstate::kSyntaxError, "number of columns does not match number of values", location);
  }
  link->type.oid = oid::kRecord;
  return ExprPtr(link);
}

}  // namespace indigo::sql
