#include "sql/rule/rule_rows.h"

#include <algorithm>

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/analyze/standalone.h"
#include "sql/analyze/type/coerce.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"
#include "types/oids.h"

namespace indigo::sql {

namespace {

// The tree without the statement's target.
JoinNodePtr without_target(const JoinNodePtr& n) {
  if (n == nullptr) return n;
  if (n->leaf) return n->entry == 0 ? nullptr : n;
  JoinNodePtr left = without_target(n->left), right = without_target(n->right);
  if (left == nullptr) return right;
  if (right == nullptr) return left;
  auto copy = std::make_shared<JoinNode>(*n);
  copy->left = std::move(left);
  copy->right = std::move(right);
  return copy;
}

ExprPtr assigned(const std::vector<Assignment>& list, int column) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const Assignment& a) { return a.column == column; });
  return at == list.end() ? nullptr : at->value;
}

bool changes_in_with(const Query& q) {
  return std::any_of(q.ctes.begin(), q.ctes.end(),
                     [](const CommonTable& t) { return t.query->command != CommandKind::kSelect; });
}

NamespaceItem row_item(const RuleRows& rows, const char* name) {
  NamespaceItem item;
  item.name = name;
  item.relation = rows.relation->oid;
  item.columns_visible = false;
  return item;
}

// A generated column's expression over the new row's values, which has neither subqueries nor whole rows.
ExprPtr over_new_row(const ExprPtr& e, const RelationInfo& relation, const ExprList& values) {
  if (const auto* v = try_as<VarExpr>(e); v != nullptr && v->levels_up == 0 && v->entry == 0) {
    return v->column >= 0 ? values[static_cast<size_t>(v->column)]
                          : make_const(v->type, Datum::of_oid(relation.oid));  // tableoid: no other is allowed
  }
  return map_children(e, [&](const ExprPtr& child) { return over_new_row(child, relation, values); });
}

// RETURNING's expressions with what the action returns in the place of the table's columns.
class ReturningMapper {
 public:
  ReturningMapper(const RelationInfo& relation, const std::vector<TargetEntry>& action) {
    size_t next = 0;
    for (const auto& column : relation.columns) {
      const bool shown = !column.dropped && next < action.size();
      values_.push_back(shown ? action[next++].expr : nullptr);
      names_.push_back(column.name);
    }
    row_type_ = {relation.row_type, -1, kInvalidOid};
  }

  ExprPtr expression(const ExprPtr& e, int depth) {
    if (!e) return e;
    if (const auto* v = try_as<VarExpr>(e)) {
      if (v->levels_up != depth) return e;
      const bool known = v->entry == 0 && v->column >= 0 && static_cast<size_t>(v->column) < values_.size();
      const ExprPtr value = known ? values_[static_cast<size_t>(v->column)] : nullptr;
      failed_ |= value == nullptr;
      return value == nullptr ? e : raise_levels(value, depth);
    }
    if (const auto* w = try_as<WholeRowExpr>(e); w != nullptr && w->levels_up == depth) {
      failed_ |= w->entry != 0;
      auto row = std::make_shared<RowExpr>();
      row->type = row_type_;
      for (size_t i = 0; i < values_.size(); i++) {
        row->fields.push_back(values_[i] != nullptr
                                  ? raise_levels(values_[i], depth)
                                  : make_const({oid::kInt4, -1, kInvalidOid}, Datum::make_null(Phys::kI32)));
        row->names.push_back(names_[i]);
      }
      return row;
    }
    if (const auto* link = try_as<SubLinkExpr>(e)) {
      auto copy = std::make_shared<SubLinkExpr>(*link);
      copy->test = expression(link->test, depth);
      copy->query = map_expressions(
          link->query, [&](const ExprPtr& x, int inner) { return expression(x, depth + 1 + inner); }, nullptr);
      return copy;
    }
    return map_children(e, [&](const ExprPtr& child) { return expression(child, depth); });
  }

  bool failed() const { return failed_; }

 private:
  ExprList values_;
  std::vector<std::string> names_;
  TypeRef row_type_;
  bool failed_ = false;
};

}  // namespace

ExprPtr rule_new_value(const Query& q, int column) {
  for (size_t i = 0; q.command == CommandKind::kInsert && i < q.insert_columns.size(); i++) {
    if (q.insert_columns[i] == column) return q.targets[i].expr;
  }
  return assigned(q.assignments, column);
}

Result<RuleRows> make_rule_rows(Analysis& analysis, const std::shared_ptr<const RelationInfo>& relation,
                                const std::shared_ptr<const Query>& statement, bool with_target) {
  RuleRows out;
  out.relation = relation;
  out.statement = statement.get();
  const Query& q = *statement;
  if (!q.current_of.empty()) {
    return Error(sqlstate::kFeatureNotSupported, "WHERE CURRENT OF is not supported on tables with rules");
  }
  if (changes_in_with(q)) {
    return Error(sqlstate::kFeatureNotSupported,
                 "rule actions are not supported for queries having data-modifying statements in WITH");
  }
  auto source = std::make_shared<Query>();
  source->entries = q.entries;
  source->where = q.where;
  source->ctes = q.ctes;
  source->has_set_functions = q.has_set_functions;
  const bool inserts = q.command == CommandKind::kInsert;
  source->from = inserts || with_target ? q.from : without_target(q.from);
  if (source->from == nullptr && source->where == nullptr && !with_target) return out;
  const auto add = [&](ExprPtr e, const std::string& name) {
    TargetEntry t;
    t.name = name;
    t.expr = std::move(e);
    source->targets.push_back(std::move(t));
  };
  if (with_target || inserts) {
    const int columns = static_cast<int>(relation->columns.size());
    const auto old_value = [&](int i) -> ExprPtr {
      const auto& column = relation->columns[static_cast<size_t>(i)];
      if (column.dropped) return make_const({oid::kInt4, -1, kInvalidOid}, Datum::make_null(Phys::kI32));
      return make_var(0, i, column.type);
    };
    if (!inserts) {
      out.old_columns = 0;
      for (int i = 0; i < columns; i++) add(old_value(i), "old_" + std::to_string(i));
    }
    if (q.command != CommandKind::kDelete) {
      out.new_columns = inserts ? 0 : columns;
      ExprList values;
      for (int i = 0; i < columns; i++) {
        const auto& column = relation->columns[static_cast<size_t>(i)];
        ExprPtr value = rule_new_value(q, i);
        if (value == nullptr && !inserts) value = old_value(i);
        if (value == nullptr && column.dropped) value = old_value(i);
        if (value == nullptr) value = make_null(analysis.catalog, column.type);
        values.push_back(std::move(value));
      }
      for (int i = 0; i < columns; i++) {
        const auto& column = relation->columns[static_cast<size_t>(i)];
        ExprPtr value = values[static_cast<size_t>(i)];
        if (column.generated && column.default_expr && !column.dropped) {
          INDIGO_ASSIGN(const ExprPtr made,
                        analyze_nested(analysis, *column.default_expr, relation, column.type, Clause::kGenerated));
          value = over_new_row(made, *relation, values);
        }
        add(std::move(value), "new_" + std::to_string(i));
      }
    }
  }
  if (source->from == nullptr && inserts && source->where == nullptr && !with_target) return out;
  out.source = std::move(source);
  return out;
}

Status add_rule_rows(Scope& scope) {
  const RuleRows* rows = scope.rule_rows;
  if (rows == nullptr) return {};
  int number = -1;
  if (rows->source != nullptr) {
    INDIGO_ASSIGN(Entry entry, subquery_entry(scope, rows->source, nullptr));
    entry.alias = "*RULE*";
    entry.granted = true;
    number = add_entry(scope, std::move(entry));
    scope.query->from =
        scope.query->from == nullptr ? make_leaf(number) : make_cross_join(scope.query->from, make_leaf(number));
  }
  const auto add = [&](const char* name, int first) {
    if (first < 0 || number < 0) return;
    NamespaceItem item = row_item(*rows, name);
    const Entry& entry = scope.query->entries[static_cast<size_t>(number)];
    for (size_t i = 0; i < rows->relation->columns.size(); i++) {
      const auto& column = rows->relation->columns[i];
      const int at = first + static_cast<int>(i);
      item.columns.push_back({column.dropped ? std::string() : column.name,
                              make_var(number, at, entry.column_types[static_cast<size_t>(at)])});
    }
    scope.names.push_back(std::move(item));
  };
  add("old", rows->old_columns);
  add("new", rows->new_columns);
  return {};
}

bool reads_rule_rows(const Scope& scope, const Query& subquery) {
  if (scope.rule_rows == nullptr || scope.rule_rows->source == nullptr) return false;
  const auto& entries = scope.query->entries;
  bool found = false;
  visit_query(
      subquery,
      [&](const Expr& e, int depth) {
        if (e.kind == ExprKind::kVar && as<VarExpr>(e).levels_up == depth) {
          const auto entry = static_cast<size_t>(as<VarExpr>(e).entry);
          found |= entry < entries.size() && entries[entry].subquery == scope.rule_rows->source;
        }
        return !found;
      },
      1);
  return found;
}

Status add_rule_condition(Scope& scope) {
  if (scope.rule_rows == nullptr || scope.rule_rows->condition.empty()) return {};
  INDIGO_ASSIGN(const ExprPtr condition, rule_condition(scope, scope.rule_rows->condition));
  ExprPtr& where = scope.query->where;
  where = where == nullptr ? condition : make_and({where, condition});
  return {};
}

Result<ExprPtr> rule_condition(Scope& scope, std::string_view text) {
  INDIGO_ASSIGN(const auto parsed, parse("SELECT " + std::string(text)));
  const PgQuery__SelectStmt& select = *parsed->statements()[0].node->select_stmt;
  return transform_condition(scope, select.target_list[0]->res_target->val, Clause::kWhere, "WHERE");
}

Status finish_rule_returning(Scope& scope) {
  const RuleRows* rows = scope.rule_rows;
  if (rows == nullptr) return {};
  std::vector<TargetEntry> action = std::move(scope.query->returning);
  scope.query->returning.clear();
  if (!rows->returns) return {};
  ReturningMapper mapper(*rows->relation, action);
  for (TargetEntry t : rows->statement->returning) {
    t.expr = mapper.expression(t.expr, 0);
    scope.query->returning.push_back(std::move(t));
  }
  if (mapper.failed()) {
    return Error(sqlstate::kFeatureNotSupported,
                 "RETURNING of a rule's statement can only name columns of \"" + rows->relation->name + "\"");
  }
  return {};
}

}  // namespace indigo::sql
