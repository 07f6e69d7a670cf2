// Operators and the constructs that are written like them: ANY, IN, BETWEEN, LIKE, DISTINCT, NULLIF, AND, OR, NOT.
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/expression/sublink.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

bool is_row(const PgQuery__Node* n) { return is(n, PG_QUERY__NODE__NODE_ROW_EXPR); }

Result<ExprPtr> plain_operator(Scope& scope, const PgQuery__AExpr& e) {
  const NodeList name = nodes(e.n_name, e.name);
  if (is_row(e.lexpr) && is(e.rexpr, PG_QUERY__NODE__NODE_SUB_LINK) &&
      e.rexpr->sub_link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK) {
    return transform_row_sublink(scope, e.lexpr, name, *e.rexpr->sub_link, e.location);
  }
  if (is_row(e.lexpr) && is_row(e.rexpr)) {
    INDIGO_ASSIGN(const ExprPtr left, transform(scope, e.lexpr));
    INDIGO_ASSIGN(const ExprPtr right, transform(scope, e.rexpr));
    return make_row_comparison(scope, name, as<RowExpr>(*left).fields, as<RowExpr>(*right).fields, e.location);
  }
  ExprPtr left;
  if (!absent(e.lexpr)) {
    INDIGO_ASSIGN(left, transform(scope, e.lexpr));
  }
  INDIGO_ASSIGN(const ExprPtr right, transform(scope, e.rexpr));
  return make_operator(scope.a, name, left, right, e.location);
}

Result<ExprPtr> array_operator(Scope& scope, const PgQuery__AExpr& e) {
  INDIGO_ASSIGN(const ExprPtr left, transform(scope, e.lexpr));
  INDIGO_ASSIGN(const ExprPtr right, transform(scope, e.rexpr));
  const bool any = e.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY;
  return make_array_operator(scope.a, nodes(e.n_name, e.name), left, right, any, e.location);
}

Result<ExprPtr> distinct(Scope& scope, const PgQuery__AExpr& e) {
  const bool negated = e.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT;
  const auto null_constant = [](const PgQuery__Node* n) {
    return is(n, PG_QUERY__NODE__NODE_A_CONST) && n->a_const->isnull;
  };
  if (null_constant(e.rexpr) || null_constant(e.lexpr)) {
    INDIGO_ASSIGN(ExprPtr value, transform(scope, null_constant(e.rexpr) ? e.lexpr : e.rexpr));
    return make_null_test(std::move(value), negated, e.location);
  }
  Setting<bool> lift(scope.lift, false);
  INDIGO_ASSIGN(const ExprPtr left, transform(scope, e.lexpr));
  INDIGO_ASSIGN(const ExprPtr right, transform(scope, e.rexpr));
  return make_distinct(scope, nodes(e.n_name, e.name), left, right, negated, e.location);
}

Result<ExprPtr> null_if(Scope& scope, const PgQuery__AExpr& e) {
  Setting<bool> lift(scope.lift, false);
  INDIGO_ASSIGN(const ExprPtr left, transform(scope, e.lexpr));
  INDIGO_ASSIGN(const ExprPtr right, transform(scope, e.rexpr));
  INDIGO_ASSIGN(const auto same, make_operator_call(scope.a, nodes(e.n_name, e.name), left, right, e.location));
  if (same->type.oid != oid::kBool) {
    return scope.error(sqlstate::kDatatypeMismatch, "NULLIF requires = operator to yield boolean", e.location);
  }
  auto out = std::make_shared<NullIfExpr>();
  out->equal = same;
  out->type = same->arguments[0]->type;
  out->location = e.location;
  return ExprPtr(out);
}

// One comparison of an IN list; rows compare column by column.
Result<ExprPtr> compare_item(Scope& scope, NodeList name, const ExprPtr& left, const ExprPtr& item, int location) {
  const auto *left_row = try_as<RowExpr>(left), *item_row = try_as<RowExpr>(item);
  ExprPtr out;
  if (left_row && item_row) {
    INDIGO_ASSIGN(out, make_row_comparison(scope, name, left_row->fields, item_row->fields, location));
  } else {
    INDIGO_ASSIGN(out, make_operator(scope.a, name, left, item, location));
  }
  return coerce_to_boolean(scope.a, out, "IN");
}

Result<ExprPtr> in_list(Scope& scope, const PgQuery__AExpr& e) {
  const NodeList name = nodes(e.n_name, e.name);
  const bool any = string_of(name[0]) != "<>";
  ExprPtr left;
  {
    Setting<bool> lift(scope.lift, false);
    INDIGO_ASSIGN(left, transform(scope, e.lexpr));
  }
  ExprList items, plain, with_vars, all{left};  // `items`: those that are compared one by one
  bool rows = left->kind == ExprKind::kRow;
  for (const PgQuery__Node* n : nodes(e.rexpr->list->n_items, e.rexpr->list->items)) {
    INDIGO_ASSIGN(ExprPtr item, transform(scope, n));
    rows = rows || item->kind == ExprKind::kRow;
    items.push_back(item);
    if (contains_vars(item)) {
      with_vars.push_back(std::move(item));
    } else {
      all.push_back(item);
      plain.push_back(std::move(item));
    }
  }
  ExprList parts;
  if (plain.size() > 1 && !rows) {
    INDIGO_ASSIGN(const Oid common, select_common_type(scope.a, all, nullptr));
    const bool fits =
        common != kInvalidOid && common != oid::kRecord && std::all_of(all.begin(), all.end(), [&](const ExprPtr& e) {
          return e->type.oid == common || can_coerce(scope.catalog(), e->type.oid, common, Coercion::kImplicit);
        });
    const Oid array_type = fits ? array_of(scope.catalog(), common) : Oid{kInvalidOid};
    if (array_type != kInvalidOid) {
      auto array = std::make_shared<ArrayExpr>();
      for (const ExprPtr& item : plain) {
        INDIGO_ASSIGN(ExprPtr converted, coerce_to_common(scope.a, item, common, "IN"));
        array->elements.push_back(std::move(converted));
      }
      array->element = type_with_collation(scope.catalog(), {common, -1, kInvalidOid});
      array->type = type_with_collation(scope.catalog(), {array_type, -1, kInvalidOid});
      if (array->type.collation != kInvalidOid) {
        INDIGO_ASSIGN(array->type.collation, input_collation(scope.a, array->elements));
        array->element.collation = array->type.collation;
      }
      array->location = location_of(e.rexpr);
      INDIGO_ASSIGN(ExprPtr compare, make_array_operator(scope.a, name, left, array, any, e.location));
      parts.push_back(std::move(compare));
      items = std::move(with_vars);
    }
  }
  for (const ExprPtr& item : items) {
    INDIGO_ASSIGN(ExprPtr compare, compare_item(scope, name, left, item, e.location));
    parts.push_back(std::move(compare));
  }
  return any ? make_or(std::move(parts), e.location) : make_and(std::move(parts), e.location);
}

Result<ExprPtr> between(Scope& scope, const PgQuery__AExpr& e) {
  const bool symmetric =
      e.kind == PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM || e.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM;
  const bool negated =
      e.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN || e.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM;
  ExprPtr value, low, high;
  {
    Setting<bool> lift(scope.lift, false);
    INDIGO_ASSIGN(value, transform(scope, e.lexpr));
  }
  {
    Setting<bool> lift(scope.lift, scope.lift && !symmetric);
    INDIGO_ASSIGN(low, transform(scope, e.rexpr->list->items[0]));
    INDIGO_ASSIGN(high, transform(scope, e.rexpr->list->items[1]));
  }
  const auto range = [&](const ExprPtr& from, const ExprPtr& to) -> Result<ExprPtr> {
    INDIGO_ASSIGN(ExprPtr first, make_operator(scope.a, negated ? "<" : ">=", value, from, e.location));
    INDIGO_ASSIGN(ExprPtr second, make_operator(scope.a, negated ? ">" : "<=", value, to, e.location));
    ExprList both{std::move(first), std::move(second)};
    return negated ? make_or(std::move(both), e.location) : make_and(std::move(both), e.location);
  };
  INDIGO_ASSIGN(ExprPtr forward, range(low, high));
  if (!symmetric) return forward;
  INDIGO_ASSIGN(ExprPtr backward, range(high, low));
  ExprList both{std::move(forward), std::move(backward)};
  return negated ? make_and(std::move(both), e.location) : make_or(std::move(both), e.location);
}

}  // namespace

Result<ExprPtr> transform_operator(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__AExpr& e = *node.a_expr;
  switch (e.kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR: return plain_operator(scope, e);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL: return array_operator(scope, e);
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT: return distinct(scope, e);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF: return null_if(scope, e);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN: return in_list(scope, e);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM: return between(scope, e);
    default: return scope.error(sqlstate::kFeatureNotSupported, "this kind of operator is not supported", e.location);
  }
}

Result<ExprPtr> transform_bool(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__BoolExpr& e = *node.bool_expr;
  const bool is_not = e.boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR;
  const bool is_and = e.boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR;
  const char* name = is_not ? "NOT" : is_and ? "AND" : "OR";
  ExprList list;
  for (const PgQuery__Node* n : nodes(e.n_args, e.args)) {
    INDIGO_ASSIGN(const ExprPtr argument, transform(scope, n));
    INDIGO_ASSIGN(ExprPtr condition, coerce_to_boolean(scope.a, argument, name));
    list.push_back(std::move(condition));
  }
  if (is_not) return make_not(std::move(list[0]), e.location);
  return is_and ? make_and(std::move(list), e.location) : make_or(std::move(list), e.location);
}

Result<ExprPtr> make_distinct(Scope& scope, NodeList name, const ExprPtr& left, const ExprPtr& right, bool negated,
                              int location) {
  const auto *left_row = try_as<RowExpr>(left), *right_row = try_as<RowExpr>(right);
  if (left_row && right_row) {
    if (left_row->fields.size() != right_row->fields.size()) {
      return scope.error(sqlstate::kSyntaxError, "unequal number of entries in row expressions", location);
    }
    ExprList parts;
    for (size_t i = 0; i < left_row->fields.size(); i++) {
      INDIGO_ASSIGN(ExprPtr part,
                    make_distinct(scope, name, left_row->fields[i], right_row->fields[i], negated, location));
      parts.push_back(std::move(part));
    }
    return negated ? make_and(std::move(parts), location) : make_or(std::move(parts), location);
  }
  INDIGO_ASSIGN(const auto same, make_operator_call(scope.a, name, left, right, location));
  if (same->type.oid != oid::kBool) {
    return scope.error(sqlstate::kDatatypeMismatch, "IS DISTINCT FROM requires = operator to yield boolean", location);
  }
  if (same->returns_set) {
    return scope.error(sqlstate::kFeatureNotSupported, "IS DISTINCT FROM must not return a set", location);
  }
  auto out = std::make_shared<DistinctExpr>();
  out->equal = same;
  out->left = same->arguments[0];
  out->right = same->arguments[1];
  out->negated = negated;
  out->type.oid = oid::kBool;
  out->location = location;
  return ExprPtr(out);
}

Result<ExprPtr> make_row_comparison(Scope& scope, NodeList name, const ExprList& left, const ExprList& right,
                                    int location) {
  if (left.size() != right.size()) {
    return scope.error(sqlstate::kSyntaxError, "unequal number of entries in row expressions", location);
  }
  if (left.empty()) {
    return scope.error(sqlstate::kFeatureNotSupported, "cannot compare rows of zero length", location);
  }
  const std::string_view op_name = string_of(name.back());
  const bool by_order = left.size() > 1 && op_name != "=" && op_name != "<>";
  ExprList comparisons;
  for (size_t i = 0; i < left.size(); i++) {
    ExprPtr one;
    if (by_order) {
      INDIGO_ASSIGN(one, make_operator_call(scope.a, name, left[i], right[i], location));
    } else {
      INDIGO_ASSIGN(one, make_operator(scope.a, name, left[i], right[i], location));
    }
    if (one->type.oid != oid::kBool) {
      return scope.error(
          sqlstate::kDatatypeMismatch,
          "row comparison operator must yield type boolean, not type " + format_type(scope.catalog(), one->type.oid),
          location);
    }
    if (returns_set(one)) {
      return scope.error(sqlstate::kDatatypeMismatch, "row comparison operator must not return a set", location);
    }
    comparisons.push_back(std::move(one));
  }
  if (comparisons.size() == 1) return comparisons[0];
  if (op_name == "=") return make_and(std::move(comparisons), location);
  if (op_name == "<>") return make_or(std::move(comparisons), location);
  auto out = std::make_shared<RowCompareExpr>();
  out->strategy = scope.catalog().btree_strategy(as<CallExpr>(*comparisons[0]).op);
  out->type.oid = oid::kBool;
  out->location = location;
  for (const ExprPtr& one : comparisons) {
    const auto& call = as<CallExpr>(*one);
    if (out->strategy == 0 || scope.catalog().btree_strategy(call.op) != out->strategy) {
      return scope
          .error(sqlstate::kFeatureNotSupported,
                 "could not determine interpretation of row comparison operator " + std::string(op_name), location)
          .with_hint("Row comparison operators must be associated with btree operator families.");
    }
    const Oid from = call.arguments[0]->type.oid, to = call.arguments[1]->type.oid;
    const auto* less = find_operator_quietly(scope.catalog(), "", "<", from, to);
    const auto* same = find_operator_quietly(scope.catalog(), "", "=", from, to);
    if (!less || !same) {
      return scope.error(sqlstate::kFeatureNotSupported, "row comparison of these types is not supported", location);
    }
    out->left.push_back(call.arguments[0]);
    out->right.push_back(call.arguments[1]);
    out->less_functions.push_back(less->function);
    out->equal_functions.push_back(same->function);
  }
  return ExprPtr(out);
}

}  // namespace indigo::sql
