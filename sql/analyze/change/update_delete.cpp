// UPDATE ... FROM, DELETE ... USING and MERGE.
#include <algorithm>

#include "sql/analyze/change/assign_part.h"
#include "sql/analyze/change/change.h"
#include "sql/analyze/change/target_view.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/from/cte.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/select.h"
#include "sql/analyze/select/targets.h"
#include "sql/analyze/variables.h"
#include "sql/parse/node.h"
#include "sql/rule/rule_rows.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

// The target first, then FROM's or USING's items, which cannot see it.
Status read_sources(Scope& scope, NamespaceItem target, NodeList list) {
  scope.query->from = make_leaf(scope.query->instead_event != 0 ? 1 : 0);
  target.lateral_only = true;
  target.lateral_ok = false;
  scope.names.push_back(std::move(target));
  INDIGO_TRY(add_rule_rows(scope));
  return transform_from(scope, list);
}

// WHERE's condition, or the cursor whose row is meant.
Status read_where(Scope& scope, const PgQuery__Node* where) {
  Query& q = *scope.query;
  if (is(where, PG_QUERY__NODE__NODE_CURRENT_OF_EXPR)) {
    if (scope.target_view != nullptr) {
      return scope.error(sqlstate::kFeatureNotSupported, "WHERE CURRENT OF on a view is not implemented");
    }
    q.current_of = where->current_of_expr->cursor_name;
    if (scope.a.variables == nullptr) return {};
    const std::string_view name = q.current_of;
    INDIGO_ASSIGN(const VariableScope::Found variable, scope.a.variables->find({&name, 1}, -1));
    const auto* parameter = variable.value == nullptr ? nullptr : try_as<ParamExpr>(variable.value);
    if (parameter != nullptr && parameter->type.oid == oid::kRefcursor) q.current_of_parameter = parameter->index;
    return {};
  }
  if (!absent(where)) {
    INDIGO_ASSIGN(q.where, transform_condition(scope, where, Clause::kWhere, "WHERE"));
  }
  INDIGO_TRY(add_rule_condition(scope));
  add_view_condition(scope);
  return {};
}

// RETURNING of a view whose triggers take the rows names what they make of them, not what was found.
Status read_returning(Scope& scope, NodeList list) {
  if (scope.query->instead_event == 0) return transform_returning(scope, list);
  const NamespaceItem found = scope.names[0];
  for (size_t i = 0; i < found.columns.size(); i++) {
    scope.names[0].columns[i].expr = moved(found.columns[i].expr, 1, 0);
  }
  if (found.entry >= 0) scope.names[0].entry = 0;
  INDIGO_TRY(transform_returning(scope, list));
  scope.names[0] = found;
  return {};
}

}  // namespace

Status transform_update(Scope& scope, const PgQuery__UpdateStmt& node) {
  Query& q = *scope.query;
  q.command = CommandKind::kUpdate;
  if (node.with_clause) {
    INDIGO_TRY(transform_with(scope, *node.with_clause));
  }
  INDIGO_ASSIGN(NamespaceItem target, open_target(scope, *node.relation, "UPDATE"));
  INDIGO_TRY(read_sources(scope, std::move(target), nodes(node.n_from_clause, node.from_clause)));
  INDIGO_TRY(read_where(scope, node.where_clause));
  INDIGO_TRY(read_returning(scope, nodes(node.n_returning_list, node.returning_list)));
  INDIGO_TRY(finish_rule_returning(scope));
  INDIGO_ASSIGN(q.assignments, transform_set_list(scope, nodes(node.n_target_list, node.target_list)));
  if (q.instead_event != 0) return finish_triggered_view(scope);
  return add_generated_and_checks(scope);
}

Status transform_delete(Scope& scope, const PgQuery__DeleteStmt& node) {
  Query& q = *scope.query;
  q.command = CommandKind::kDelete;
  if (node.with_clause) {
    INDIGO_TRY(transform_with(scope, *node.with_clause));
  }
  INDIGO_ASSIGN(NamespaceItem target, open_target(scope, *node.relation, "DELETE"));
  INDIGO_TRY(read_sources(scope, std::move(target), nodes(node.n_using_clause, node.using_clause)));
  INDIGO_TRY(read_where(scope, node.where_clause));
  INDIGO_TRY(read_returning(scope, nodes(node.n_returning_list, node.returning_list)));
  INDIGO_TRY(finish_rule_returning(scope));
  return q.instead_event != 0 ? finish_triggered_view(scope) : Status();
}

namespace {

class Merger {
 public:
  Merger(Scope& scope, const PgQuery__MergeStmt& node) : scope_(scope), node_(node), query_(*scope.query) {}

  Status run() {
    query_.command = CommandKind::kMerge;
    if (node_.with_clause && node_.with_clause->recursive) {
      return scope_.error(sqlstate::kSyntaxError, "WITH RECURSIVE is not supported for MERGE statement");
    }
    if (node_.with_clause) {
      INDIGO_TRY(transform_with(scope_, *node_.with_clause));
    }
    INDIGO_TRY(check_reachable());
    INDIGO_ASSIGN(target_, open_target(scope_, *node_.relation, "MERGE"));
    INDIGO_ASSIGN(FromItem source, transform_from_item(scope_, node_.source_relation));
    set_lateral(source.names, false, true);
    source_ = source.names;
    for (const NamespaceItem& item : source_) {
      if (item.name != target_.name || !item.table_visible) continue;
      return scope_.error(sqlstate::kDuplicateAlias, "name \"" + item.name + "\" specified more than once")
          .with_detail("The name is used both as MERGE target table and data source.");
    }
    INDIGO_TRY(show(true));
    auto join = std::make_shared<JoinNode>();
    join->leaf = false;
    join->type = JoinType::kInner;
    join->left = make_leaf(0);
    join->right = source.node;
    INDIGO_ASSIGN(join->condition, transform_condition(scope_, node_.join_condition, Clause::kJoinOn, "JOIN/ON"));
    for (const PgQuery__Node* n : nodes(node_.n_merge_when_clauses, node_.merge_when_clauses)) {
      const PgQuery__MergeWhenClause& when = *n->merge_when_clause;
      // Sources without a match are needed only where something happens to them.
      if (!when.matched) join->type = JoinType::kRight;
      INDIGO_ASSIGN(MergeAction action, read_action(when));
      query_.merge_actions.push_back(std::move(action));
    }
    query_.from = std::move(join);
    return add_generated_and_checks(scope_);
  }

 private:
  // WHEN clauses behind one without a condition never apply.
  Status check_reachable() {
    bool closed[2] = {false, false};
    for (const PgQuery__Node* n : nodes(node_.n_merge_when_clauses, node_.merge_when_clauses)) {
      const PgQuery__MergeWhenClause& when = *n->merge_when_clause;
      const bool matched = when.matched;
      if (closed[matched]) {
        return scope_.error(sqlstate::kSyntaxError,
                            "unreachable WHEN clause specified after unconditional WHEN clause");
      }
      closed[matched] = absent(when.condition);
    }
    return {};
  }

  Status show(bool with_target) {
    scope_.names.clear();
    if (with_target) scope_.names.push_back(target_);
    return add_names(scope_, source_);
  }

  Result<MergeAction> read_action(const PgQuery__MergeWhenClause& when) {
    MergeAction out;
    out.match = when.matched ? MergeAction::Match::kMatched : MergeAction::Match::kNotMatched;
    INDIGO_TRY(show(when.matched));
    if (!absent(when.condition)) {
      INDIGO_ASSIGN(out.condition, transform_condition(scope_, when.condition, Clause::kMergeWhen, "WHEN"));
    }
    switch (when.command_type) {
      case PG_QUERY__CMD_TYPE__CMD_INSERT: {
        out.command = CommandKind::kInsert;
        INDIGO_TRY(read_insert(when, out));
        return out;
      }
      case PG_QUERY__CMD_TYPE__CMD_UPDATE: {
        out.command = CommandKind::kUpdate;
        INDIGO_ASSIGN(out.assignments, transform_set_list(scope_, nodes(when.n_target_list, when.target_list)));
        return out;
      }
      case PG_QUERY__CMD_TYPE__CMD_DELETE: out.command = CommandKind::kDelete; return out;
      default: out.command = CommandKind::kSelect; return out;
    }
  }

  Status read_insert(const PgQuery__MergeWhenClause& when, MergeAction& action) {
    std::vector<int> columns;
    std::vector<PartOfColumn> parts;
    const RelationInfo& r = target_of(scope_);
    for (const PgQuery__Node* n : nodes(when.n_target_list, when.target_list)) {
      const PgQuery__ResTarget& item = *n->res_target;
      INDIGO_ASSIGN(const int column, target_column(scope_, item.name, item.location));
      const NodeList indirection = nodes(item.n_indirection, item.indirection);
      for (size_t i = 0; i < columns.size(); i++) {
        if (columns[i] != column || (!indirection.empty() && !parts[i].indirection.empty())) continue;
        return scope_.error(sqlstate::kDuplicateColumn,
                            "column \"" + std::string(item.name) + "\" specified more than once", item.location);
      }
      columns.push_back(column);
      parts.push_back({indirection, item.location, nullptr});
    }
    if (columns.empty()) {
      for (int i = 0; i < static_cast<int>(r.columns.size()); i++) {
        if (!r.columns[i].dropped) columns.push_back(i);
      }
      parts.resize(columns.size());
    }
    Setting<Clause> clause(scope_.clause, Clause::kValuesSingle);
    ExprList values;  // null: DEFAULT
    std::vector<int> locations;
    for (PgQuery__Node* n : nodes(when.n_values, when.values)) {
      ExprList part(1);
      if (!is_default(n)) {
        INDIGO_ASSIGN(part, expand_list(scope_, NodeList(&n, 1)));
      }
      for (ExprPtr& e : part) {
        values.push_back(std::move(e));
        locations.push_back(location_of(n));
      }
    }
    if (values.size() > columns.size()) {
      return scope_.error(sqlstate::kSyntaxError, "INSERT has more expressions than target columns",
                          locations[columns.size()]);
    }
    if (when.n_target_list > 0 && values.size() < columns.size()) {
      return scope_.error(sqlstate::kSyntaxError, "INSERT has more target columns than expressions",
                          when.target_list[values.size()]->res_target->location);
    }
    std::vector<Assignment>& out = action.assignments;
    const bool kept = scope_.a.changes == Analysis::Changes::kKept;
    action.overriding = overriding_of(when.override);
    std::vector<int> given;
    for (size_t i = 0; i < values.size(); i++) {
      ExprPtr value;
      const auto same =
          std::find_if(out.begin(), out.end(), [&](const Assignment& a) { return a.column == columns[i]; });
      if (same != out.end()) parts[i].before = same->value;
      const bool user =
          !kept && when.override == PG_QUERY__OVERRIDING_KIND__OVERRIDING_USER_VALUE && r.columns[columns[i]].identity;
      if (values[i] != nullptr && !user) {
        INDIGO_TRY(check_assignable(scope_, columns[i], true, when.override));
        INDIGO_ASSIGN(value, assign_value(scope_, columns[i], values[i], parts[i], locations[i]));
      } else if (!parts[i].indirection.empty()) {
        return default_of_part(scope_, parts[i].indirection, parts[i].location);
      } else {
        if (r.columns[columns[i]].generated) continue;
        INDIGO_ASSIGN(value, column_default(scope_, columns[i]));
      }
      if (same != out.end()) {
        same->value = std::move(value);
        continue;
      }
      given.push_back(columns[i]);
      out.push_back({columns[i], std::move(value)});
    }
    action.named = out.size();
    INDIGO_ASSIGN(std::vector<Assignment> rest, remaining_defaults(scope_, given));
    for (Assignment& a : rest) out.push_back(std::move(a));
    return {};
  }

  Scope& scope_;
  const PgQuery__MergeStmt& node_;
  Query& query_;
  NamespaceItem target_;
  std::vector<NamespaceItem> source_;
};

}  // namespace

Status transform_merge(Scope& scope, const PgQuery__MergeStmt& node) { return Merger(scope, node).run(); }

}  // namespace indigo::sql
