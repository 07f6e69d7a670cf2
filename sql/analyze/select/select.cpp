#include "sql/analyze/select/select.h"

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/from/cte.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/sorting.h"
#include "sql/analyze/select/targets.h"
#include "sql/analyze/type/coerce.h"
#include "sql/parse/node.h"
#include "sql/rule/fire_rules.h"
#include "sql/rule/rule_rows.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

Status refuse_into(Scope& scope, const PgQuery__SelectStmt& node) {
  if (node.into_clause == nullptr) return {};
  return scope.error(sqlstate::kSyntaxError, "SELECT ... INTO is not allowed here",
                     node.into_clause->rel ? node.into_clause->rel->location : -1);
}

Status plain_select(Scope& scope, const PgQuery__SelectStmt& node) {
  Query& q = *scope.query;
  const bool lift = scope.lift;
  for (const PgQuery__Node* n : nodes(node.n_window_clause, node.window_clause)) {
    scope.window_definitions.push_back(n->window_def);
  }
  {
    Setting<Clause> clause(scope.clause, Clause::kOther);
    INDIGO_TRY(add_rule_rows(scope));
    INDIGO_TRY(transform_from(scope, nodes(node.n_from_clause, node.from_clause)));
  }
  {
    // Literals that are compared with grouping expressions must stay what they are.
    Setting<bool> here(scope.lift, lift && node.n_group_clause == 0 && node.n_distinct_clause == 0);
    Setting<Clause> clause(scope.clause, Clause::kSelectTarget);
    INDIGO_TRY(transform_targets(scope, nodes(node.n_target_list, node.target_list), q.targets));
  }
  if (scope.resolve_unknown) {
    INDIGO_TRY(resolve_unknown_targets(scope.a, q.targets));
  }
  if (!absent(node.where_clause)) {
    INDIGO_ASSIGN(q.where, transform_condition(scope, node.where_clause, Clause::kWhere, "WHERE"));
  }
  INDIGO_TRY(add_rule_condition(scope));
  if (!absent(node.having_clause)) {
    Setting<bool> here(scope.lift, lift && node.n_group_clause == 0);
    INDIGO_ASSIGN(q.having, transform_condition(scope, node.having_clause, Clause::kHaving, "HAVING"));
  }
  {
    Setting<bool> here(scope.lift, lift && node.n_group_clause == 0 && node.n_distinct_clause == 0);
    INDIGO_TRY(transform_order_by(scope, nodes(node.n_sort_clause, node.sort_clause)));
  }
  INDIGO_TRY(transform_group_by(scope, nodes(node.n_group_clause, node.group_clause), node.group_distinct));
  if (node.n_distinct_clause > 0) {
    INDIGO_TRY(transform_distinct(scope, nodes(node.n_distinct_clause, node.distinct_clause)));
  }
  INDIGO_TRY(transform_limit(scope, node));
  INDIGO_TRY(transform_windows(scope));
  for (const ExprPtr& e : q.group_by) {
    if (e->kind == ExprKind::kAggregate || e->kind == ExprKind::kWindowCall) {
      const bool window = e->kind == ExprKind::kWindowCall;
      return scope.error(
          window ? sqlstate::kWindowingError : sqlstate::kGroupingError,
          window ? "window functions are not allowed in GROUP BY" : "aggregate functions are not allowed in GROUP BY",
          expr_location(e));
    }
  }
  INDIGO_TRY(check_grouping(scope));
  return transform_locking(scope, nodes(node.n_locking_clause, node.locking_clause));
}

}  // namespace

Status transform_select(Scope& scope, const PgQuery__SelectStmt& node) {
  INDIGO_TRY(check_stack_depth());
  INDIGO_TRY(refuse_into(scope, node));
  if (node.with_clause) {
    INDIGO_TRY(transform_with(scope, *node.with_clause));
  }
  const bool operation = node.op != PG_QUERY__SET_OPERATION__SETOP_NONE && node.larg != nullptr;
  if (operation && scope.rule_rows != nullptr && scope.rule_rows->source != nullptr) {
    return scope.error(sqlstate::kFeatureNotSupported,
                       "conditional UNION/INTERSECT/EXCEPT statements are not implemented");
  }
  if (operation) {
    return transform_set_operation(scope, node, SubqueryOptions{});
  }
  if (node.n_values_lists > 0) return transform_values(scope, node);
  return plain_select(scope, node);
}

Result<std::shared_ptr<const Query>> analyze_subselect(Scope& parent, const PgQuery__SelectStmt& statement,
                                                       const SubqueryOptions& options) {
  Scope scope(parent.a, &parent);
  scope.lift = parent.lift;
  scope.resolve_unknown = options.resolve_unknown;
  scope.rule_rows = options.rule_rows;
  scope.recursive_cte = options.recursive_cte;
  if (options.set_operation_leaf) scope.lift = false;
  if (options.recursive_cte) {
    INDIGO_TRY(refuse_into(scope, statement));
    if (statement.with_clause) {
      INDIGO_TRY(transform_with(scope, *statement.with_clause));
    }
    INDIGO_TRY(transform_set_operation(scope, statement, options));
  } else {
    INDIGO_TRY(transform_select(scope, statement));
  }
  return std::shared_ptr<const Query>(std::move(scope.query));
}

Result<std::shared_ptr<const Query>> analyze_subquery(Scope& parent, const PgQuery__Node* statement,
                                                      const SubqueryOptions& options) {
  if (is(statement, PG_QUERY__NODE__NODE_SELECT_STMT))
    return analyze_subselect(parent, *statement->select_stmt, options);
  INDIGO_ASSIGN(auto rewritten, fire_rules_in_with(parent, *statement));
  if (rewritten != nullptr) return rewritten;
  Scope scope(parent.a, &parent);
  scope.lift = parent.lift;
  INDIGO_TRY(transform_change(scope, *statement));
  return std::shared_ptr<const Query>(std::move(scope.query));
}

Status transform_values(Scope& scope, const PgQuery__SelectStmt& node) {
  Query& q = *scope.query;
  INDIGO_TRY(add_rule_rows(scope));
  Entry entry;
  entry.kind = EntryKind::kValues;
  entry.alias = "*VALUES*";
  entry.lateral = q.from != nullptr;
  {
    Setting<Clause> clause(scope.clause, Clause::kValues);
    for (const PgQuery__Node* row : nodes(node.n_values_lists, node.values_lists)) {
      const NodeList items = nodes(row->list->n_items, row->list->items);
      INDIGO_ASSIGN(ExprList list, expand_list(scope, items));
      if (!entry.values.empty() && list.size() != entry.values[0].size()) {
        return scope.error(sqlstate::kSyntaxError, "VALUES lists must all be the same length",
                           items.empty() ? -1 : location_of(items[0]));
      }
      if (list.size() > kMaxTargets) return too_many_targets(scope);
      entry.values.push_back(std::move(list));
    }
  }
  const size_t columns = entry.values[0].size();
  for (size_t c = 0; c < columns; c++) {
    ExprList column;
    for (const ExprList& row : entry.values) column.push_back(row[c]);
    TypeRef type;
    // In INSERT ... SELECT-like places a column of unknown literals waits for its target's type.
    INDIGO_ASSIGN(type, unify(scope.a, column, "VALUES"));
    for (size_t r = 0; r < column.size(); r++) entry.values[r][c] = column[r];
    entry.column_names.push_back("column" + std::to_string(c + 1));
    entry.column_types.push_back(type);
  }
  FromItem item = leaf_of(scope, std::move(entry));
  q.from = q.from == nullptr ? item.node : make_cross_join(q.from, item.node);
  for (const NamespaceColumn& c : item.names[0].columns) {
    TargetEntry target;
    target.name = c.name;
    target.expr = c.expr;
    q.targets.push_back(std::move(target));
  }
  INDIGO_TRY(add_names(scope, std::move(item.names)));
  INDIGO_TRY(add_rule_condition(scope));
  INDIGO_TRY(transform_order_by(scope, nodes(node.n_sort_clause, node.sort_clause)));
  INDIGO_TRY(transform_limit(scope, node));
  if (node.n_locking_clause > 0) {
    return scope.error(sqlstate::kFeatureNotSupported, "FOR UPDATE cannot be applied to VALUES");
  }
  return {};
}

}  // namespace indigo::sql
