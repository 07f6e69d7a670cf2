#include <algorithm>

#include "sql/analyze/change/assign_part.h"
#include "sql/analyze/change/change.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/from/cte.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/select.h"
#include "sql/analyze/select/targets.h"
#include "sql/analyze/type/coerce.h"
#include "sql/parse/node.h"
#include "sql/rule/rule_rows.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

// A column that a source value goes into.
struct Destination {
  int column = 0;
  NodeList indirection;
  int location = -1;
  std::string_view name;
};

class Inserter {
 public:
  Inserter(Scope& scope, const PgQuery__InsertStmt& node) : scope_(scope), node_(node), query_(*scope.query) {}

  Status run() {
    query_.command = CommandKind::kInsert;
    query_.overriding = overriding_of(node_.override);
    if (node_.with_clause) {
      INDIGO_TRY(transform_with(scope_, *node_.with_clause));
    }
    INDIGO_ASSIGN(NamespaceItem target, open_target(scope_, *node_.relation, "INSERT"));
    INDIGO_TRY(read_columns());
    INDIGO_TRY(read_source());
    if (query_.from != nullptr && !in_select_) INDIGO_TRY(add_rule_condition(scope_));
    INDIGO_ASSIGN(query_.assignments, remaining_defaults(scope_, given_columns()));
    INDIGO_TRY(add_generated_and_checks(scope_));
    scope_.names.clear();
    if (node_.on_conflict_clause && node_.on_conflict_clause->action != PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_NONE) {
      query_.on_conflict.emplace();
      if (scope_.a.changes != Analysis::Changes::kSource) {  // rules do not look at it
        auto analyzed = transform_on_conflict(scope_, *node_.on_conflict_clause, target);
        const bool understood = analyzed.ok() || analyzed.error().message == OnConflict::kNoArbiter;
        if (understood && has_update_rules(*query_.entries[0].relation)) return on_conflict_with_rules();
        INDIGO_ASSIGN(*query_.on_conflict, std::move(analyzed));
      }
    }
    scope_.names.clear();
    scope_.names.push_back(std::move(target));
    INDIGO_TRY(transform_returning(scope_, nodes(node_.n_returning_list, node_.returning_list)));
    return finish_rule_returning(scope_);
  }

 private:
  Status read_columns() {
    if (node_.n_cols == 0) {
      for (const int column : all_target_columns(scope_)) destinations_.push_back({column, {}, -1, {}});
      return {};
    }
    for (const PgQuery__Node* n : nodes(node_.n_cols, node_.cols)) {
      const PgQuery__ResTarget& item = *n->res_target;
      INDIGO_ASSIGN(const int column, target_column(scope_, item.name, item.location));
      const NodeList indirection = nodes(item.n_indirection, item.indirection);
      for (const Destination& d : destinations_) {
        if (d.column != column || (!indirection.empty() && !d.indirection.empty())) continue;
        if (d.name != item.name) return assigned_twice(column);
        return scope_.error(sqlstate::kDuplicateColumn,
                            "column \"" + std::string(item.name) + "\" specified more than once", item.location);
      }
      destinations_.push_back({column, indirection, item.location, item.name});
    }
    return {};
  }

  // Two columns of a view that are one of its table.
  Error assigned_twice(int column) const {
    return scope_.error(sqlstate::kSyntaxError,
                        "multiple assignments to same column \"" + target_of(scope_).columns[column].name + "\"");
  }

  std::vector<int> given_columns() const {
    std::vector<int> out = query_.insert_columns;
    return out;
  }

  Status read_source() {
    if (absent(node_.select_stmt)) return add_rule_rows(scope_);  // DEFAULT VALUES
    const PgQuery__SelectStmt& s = *node_.select_stmt->select_stmt;
    const bool values = s.n_values_lists > 0 && s.n_sort_clause == 0 && absent(s.limit_count) &&
                        absent(s.limit_offset) && s.n_locking_clause == 0 && s.with_clause == nullptr;
    in_select_ = !values;
    if (!values) return from_select(s);
    return s.n_values_lists == 1 ? from_row(*s.values_lists[0]->list) : from_rows(s);
  }

  Status check_count(size_t values, NodeList items, const ExprPtr& only) {
    if (values > destinations_.size()) {
      return scope_.error(sqlstate::kSyntaxError, "INSERT has more expressions than target columns",
                          items.size() > destinations_.size() ? location_of(items[destinations_.size()]) : -1);
    }
    if (node_.n_cols > 0 && values < destinations_.size()) {
      Error error = scope_.error(sqlstate::kSyntaxError, "INSERT has more target columns than expressions",
                                 destinations_[values].location);
      const auto* row = try_as<RowExpr>(only);
      if (row && row->fields.size() == destinations_.size()) {
        error.hint =
            "The insertion source is a row expression containing the same number of columns expected by the INSERT. "
            "Did you "
            "accidentally use extra parentheses?";
      }
      return error;
    }
    if (node_.n_cols > 0) return {};
    INDIGO_TRY(check_view_columns(scope_, values));
    for (size_t i = 1; scope_.target_view != nullptr && i < values; i++) {
      const auto same = [&](const Destination& d) { return d.column == destinations_[i].column; };
      const auto here = destinations_.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::any_of(destinations_.begin(), here, same)) return assigned_twice(destinations_[i].column);
    }
    return {};
  }

  bool user_value_ignored(int column) const {
    return node_.override == PG_QUERY__OVERRIDING_KIND__OVERRIDING_USER_VALUE &&
           scope_.a.changes != Analysis::Changes::kKept && target_of(scope_).columns[column].identity != 0;
  }

  // Items of one VALUES row, DEFAULT as null pointers.
  Result<ExprList> read_row(const PgQuery__List& row) {
    ExprList out;
    for (const PgQuery__Node* n : nodes(row.n_items, row.items)) {
      if (is_default(n)) {
        out.push_back(nullptr);
        continue;
      }
      PgQuery__Node* one[] = {const_cast<PgQuery__Node*>(n)};
      INDIGO_ASSIGN(ExprList part, expand_list(scope_, NodeList(one)));
      for (ExprPtr& e : part) out.push_back(std::move(e));
    }
    return out;
  }

  // `before`: the column's value from earlier parts of it, or null.
  Result<ExprPtr> stored(const ExprPtr& value, size_t i, const ExprPtr& before) {
    const Destination& d = destinations_[i];
    if (!value && !d.indirection.empty()) return default_of_part(scope_, d.indirection, d.location);
    if (!value || user_value_ignored(d.column)) return column_default(scope_, d.column);
    return assign_value(scope_, d.column, value, {d.indirection, d.location, before}, expr_location(value));
  }
  // The target that an earlier part of the column has made; null when this is the first.
  ExprPtr* target(int column) {
    for (size_t i = 0; i < query_.insert_columns.size(); i++) {
      if (query_.insert_columns[i] == column) return &query_.targets[i].expr;
    }
    return nullptr;
  }
  Status add_part(const ExprPtr& value, size_t i) {
    ExprPtr* before = target(destinations_[i].column);
    INDIGO_ASSIGN(ExprPtr whole, stored(value, i, before ? *before : nullptr));
    if (before) {
      *before = std::move(whole);
    } else {
      add_target(destinations_[i].column, std::move(whole));
    }
    return {};
  }

  // One row: its expressions are the targets.
  Status from_row(const PgQuery__List& row) {
    Setting<Clause> clause(scope_.clause, Clause::kValuesSingle);
    INDIGO_TRY(add_rule_rows(scope_));
    INDIGO_ASSIGN(const ExprList values, read_row(row));
    INDIGO_TRY(check_count(values.size(), nodes(row.n_items, row.items), values.empty() ? nullptr : values[0]));
    for (size_t i = 0; i < values.size(); i++) {
      const int column = destinations_[i].column;
      const bool computed = target_of(scope_).columns[column].generated != 0;
      if (values[i] && !user_value_ignored(column)) {
        INDIGO_TRY(check_assignable(scope_, column, true, node_.override));
      }
      if (computed) continue;
      INDIGO_TRY(add_part(values[i], i));
    }
    return {};
  }

  // Several rows: a VALUES entry whose cells have the columns' types already.
  Status from_rows(const PgQuery__SelectStmt& s) {
    Setting<Clause> clause(scope_.clause, Clause::kValues);
    INDIGO_TRY(add_rule_rows(scope_));
    const JoinNodePtr rule_rows = query_.from;
    Entry entry;
    entry.lateral = rule_rows != nullptr;
    entry.kind = EntryKind::kValues;
    entry.alias = "*VALUES*";
    std::vector<ExprList> rows;
    for (const PgQuery__Node* n : nodes(s.n_values_lists, s.values_lists)) {
      const NodeList items = nodes(n->list->n_items, n->list->items);
      INDIGO_ASSIGN(ExprList row, read_row(*n->list));
      if (!rows.empty() && row.size() != rows[0].size()) {
        return scope_.error(sqlstate::kSyntaxError, "VALUES lists must all be the same length",
                            items.empty() ? -1 : location_of(items[0]));
      }
      INDIGO_TRY(check_count(row.size(), items, row.empty() ? nullptr : row[0]));
      rows.push_back(std::move(row));
    }
    std::vector<size_t> used;  // positions that are stored
    for (size_t i = 0; i < rows[0].size(); i++) {
      const int column = destinations_[i].column;
      const bool given = std::any_of(rows.begin(), rows.end(), [&](const ExprList& row) { return row[i] != nullptr; });
      if (given && !user_value_ignored(column)) {
        INDIGO_TRY(check_assignable(scope_, column, true, node_.override));
      }
      if (target_of(scope_).columns[column].generated == 0) used.push_back(i);
    }
    std::vector<int> columns;  // of the cells; parts of one column share a cell
    for (const size_t i : used) {
      const int column = destinations_[i].column;
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    }
    for (ExprList& row : rows) {
      ExprList cells(columns.size());
      for (const size_t i : used) {
        const auto at = std::find(columns.begin(), columns.end(), destinations_[i].column) - columns.begin();
        ExprPtr& cell = cells[static_cast<size_t>(at)];
        INDIGO_ASSIGN(cell, stored(row[i], i, cell));
      }
      row.clear();
      entry.values.push_back(std::move(cells));
    }
    for (size_t i = 0; i < columns.size(); i++) {
      entry.column_names.push_back("column" + std::to_string(i + 1));
      entry.column_types.push_back(target_of(scope_).columns[columns[i]].type);
    }
    const int number = add_entry(scope_, std::move(entry));
    query_.from = make_leaf(number);
    if (rule_rows != nullptr) query_.from = make_cross_join(rule_rows, query_.from);
    for (size_t i = 0; i < columns.size(); i++) {
      add_target(columns[i], make_var(number, static_cast<int>(i), query_.entries[number].column_types[i]));
    }
    return {};
  }

  Status from_select(const PgQuery__SelectStmt& s) {
    SubqueryOptions options;
    options.resolve_unknown = false;
    options.rule_rows = scope_.rule_rows;
    INDIGO_ASSIGN(auto query, analyze_subselect(scope_, s, options));
    auto source = std::make_shared<Query>(*query);
    // Unknown literals are read as values of their columns, up here.
    ExprList values;
    const bool kept = scope_.a.changes == Analysis::Changes::kKept;
    int visible = 0;
    for (TargetEntry& t : source->targets) {
      if (t.hidden) continue;
      const bool literal = t.expr->type.oid == oid::kUnknown;
      values.push_back(literal ? t.expr : ExprPtr());
      if (literal && !kept)
        t.expr = make_null(scope_.catalog(), {oid::kText, -1, oid::kDefaultCollation}, expr_location(t.expr));
      visible++;
    }
    INDIGO_ASSIGN(Entry entry, subquery_entry(scope_, std::move(source), nullptr));
    entry.alias = "*SELECT*";
    const int number = add_entry(scope_, std::move(entry));
    query_.from = make_leaf(number);
    const Entry& added = query_.entries[number];
    int at = 0;
    for (const TargetEntry& t : added.subquery->targets) {
      if (t.hidden) continue;
      if (!values[at]) values[at] = make_var(number, at, added.column_types[at], 0, expr_location(t.expr));
      at++;
    }
    if (values.size() > destinations_.size()) {
      return scope_.error(sqlstate::kSyntaxError, "INSERT has more expressions than target columns",
                          expr_location(values[destinations_.size()]));
    }
    INDIGO_TRY(check_count(values.size(), {}, values.empty() ? nullptr : values[0]));
    for (size_t i = 0; i < values.size(); i++) {
      const int column = destinations_[i].column;
      if (!user_value_ignored(column)) {
        INDIGO_TRY(check_assignable(scope_, column, true, node_.override));
      }
      INDIGO_TRY(add_part(values[i], i));
    }
    return {};
  }

  void add_target(int column, ExprPtr value) {
    TargetEntry t;
    t.name = target_of(scope_).columns[column].name;
    t.expr = std::move(value);
    query_.targets.push_back(std::move(t));
    query_.insert_columns.push_back(column);
  }

  Scope& scope_;
  const PgQuery__InsertStmt& node_;
  Query& query_;
  std::vector<Destination> destinations_;
  bool in_select_ = false;  // the source is a query of its own, which has a rule's rows
};

}  // namespace

Status transform_insert(Scope& scope, const PgQuery__InsertStmt& node) { return Inserter(scope, node).run(); }

}  // namespace indigo::sql
