#include "sql/analyze/change/target_view.h"

#include <algorithm>
#include <numeric>

#include "catalog/descriptor/trigger_info.h"
#include "sql/analyze/change/change.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/leakproof.h"
#include "sql/query_walk.h"

namespace indigo::sql {

const char* view_obstacle(const Query& q, bool columns) {
  if (q.distinct || !q.distinct_on.empty()) return "Views containing DISTINCT are not automatically updatable.";
  if (!q.group_by.empty() || !q.grouping_sets.empty())
    return "Views containing GROUP BY are not automatically updatable.";
  if (q.having) return "Views containing HAVING are not automatically updatable.";
  if (q.set_operation) return "Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.";
  if (!q.ctes.empty()) return "Views containing WITH are not automatically updatable.";
  if (q.limit || q.offset) return "Views containing LIMIT or OFFSET are not automatically updatable.";
  if (q.has_aggregates) return "Views that return aggregate functions are not automatically updatable.";
  if (q.has_windows) return "Views that return window functions are not automatically updatable.";
  if (q.has_set_functions) return "Views that return set-returning functions are not automatically updatable.";
  const auto& source = q.from && q.from->leaf ? q.entries[static_cast<size_t>(q.from->entry)].relation : nullptr;
  const bool single = source != nullptr && (source->kind == catalog::RelationKind::kTable || source->is_partitioned() ||
                                            source->is_foreign() || source->kind == catalog::RelationKind::kView);
  if (!single) return "Views that do not select from a single table or view are not automatically updatable.";
  if (q.entries[static_cast<size_t>(q.from->entry)].sample)
    return "Views containing TABLESAMPLE are not automatically updatable.";
  const auto takes_values = [](const TargetEntry& t) {
    const auto* v = try_as<VarExpr>(t.expr);
    return !t.hidden && v != nullptr && v->levels_up == 0 && v->column >= 0;
  };
  if (columns && std::none_of(q.targets.begin(), q.targets.end(), takes_values))
    return "Views that have no updatable columns are not automatically updatable.";
  return nullptr;
}

namespace {

Error refused(const Scope& scope, const RelationInfo& view, std::string_view verb, const char* detail) {
  struct Words {
    std::string_view verb;
    const char *act, *acting;
  };
  static constexpr Words kWords[] = {{"INSERT", "insert into", "inserting into"},
                                     {"UPDATE", "update", "updating"},
                                     {"DELETE", "delete from", "deleting from"}};
  const Words* words = &kWords[0];
  for (const Words& w : kWords) {
    if (w.verb == verb) words = &w;
  }
  const std::string upper(verb);
  return scope
      .error(sqlstate::kObjectNotInPrerequisiteState,
             std::string("cannot ") + words->act + " view \"" + view.name + "\"")
      .with_detail(detail)
      .with_hint(std::string("To enable ") + words->acting + " the view, provide an INSTEAD OF " + upper +
                 " trigger or an unconditional ON " + upper + " DO INSTEAD rule.");
}

// Replaces what an expression reads of one entry, at any depth of subqueries.
class EntryReplacer {
 public:
  // What stands for a column, or for the row, seen from the query that has the entry.
  using Column = std::function<ExprPtr(const VarExpr&)>;
  using Row = std::function<ExprPtr(const WholeRowExpr&)>;

  EntryReplacer(int entry, Column column, Row row) : entry_(entry), column_(std::move(column)), row_(std::move(row)) {}

  ExprPtr operator()(const ExprPtr& e, int depth = 0) const {
    if (!e) return e;
    if (const auto* v = try_as<VarExpr>(e)) {
      return v->levels_up == depth && v->entry == entry_ ? raised(column_(*v), depth) : e;
    }
    if (const auto* w = try_as<WholeRowExpr>(e)) {
      return w->levels_up == depth && w->entry == entry_ ? raised(row_(*w), depth) : e;
    }
    if (const auto* link = try_as<SubLinkExpr>(e)) {
      auto copy = std::make_shared<SubLinkExpr>(*link);
      copy->test = (*this)(link->test, depth);
      copy->query = map_expressions(
          link->query, [&](const ExprPtr& x, int inner) { return (*this)(x, depth + 1 + inner); }, nullptr);
      return copy;
    }
    return map_children(e, [&](const ExprPtr& child) { return (*this)(child, depth); });
  }

 private:
  static ExprPtr raised(const ExprPtr& e, int depth) { return depth == 0 ? e : raise_levels(e, depth); }

  int entry_;
  Column column_;
  Row row_;
};

EntryReplacer to_entry(int from, int to) {
  return {from,
          [to](const VarExpr& v) {
            auto copy = std::make_shared<VarExpr>(v);
            copy->entry = to;
            copy->levels_up = 0;
            return copy;
          },
          [to](const WholeRowExpr& w) {
            auto copy = std::make_shared<WholeRowExpr>(w);
            copy->entry = to;
            copy->levels_up = 0;
            return copy;
          }};
}

// Columns of a view in the place of the entry that reads it.
EntryReplacer to_columns(int from, const TargetView& view) {
  return {from,
          [&view](const VarExpr& v) {
            const bool known = v.column >= 0 && static_cast<size_t>(v.column) < view.columns.size();
            return known ? view.columns[static_cast<size_t>(v.column)].expr : make_unknown_null();
          },
          [&view](const WholeRowExpr& w) {
            auto row = std::make_shared<RowExpr>();
            row->type = w.type;
            for (const NamespaceColumn& c : view.columns) {
              row->fields.push_back(c.expr);
              row->names.push_back(c.name);
            }
            return row;
          }};
}

// The way down from one view.
struct Descent {
  Scope& scope;
  std::string_view verb;
  const StopsAt& stops;
  RowsOf rows;

  // `cascaded`: WITH CASCADED CHECK OPTION of a view above.
  Result<std::shared_ptr<const TargetView>> of_query(std::shared_ptr<const RelationInfo> view, const Query& q,
                                                     bool cascaded) {
    if (const char* detail = view_obstacle(q, verb != "DELETE")) return refused(scope, *view, verb, detail);
    auto out = std::make_shared<TargetView>();
    const Entry& source = q.entries[static_cast<size_t>(q.from->entry)];
    cascaded |= view->check_option == 'c';
    out->source = q.from->entry;
    if (source.kind == EntryKind::kTable || stops(*source.relation)) {
      out->table = source.relation;
      out->only = source.only;
      const bool old_rows =
          rows == RowsOf::kTriggers && source.kind != EntryKind::kTable && triggers_take_rows(*source.relation, verb);
      out->entry = old_rows && verb != "INSERT" ? 1 : 0;
    } else {
      INDIGO_ASSIGN(out->below, of_query(source.relation, *source.subquery, cascaded));
      out->table = out->below->table;
      out->only = out->below->only;
      out->entry = out->below->entry;
      out->condition = out->below->condition;
      out->checks = out->below->checks;
    }
    const auto owned = [&](const ExprPtr& e) { return view->security_invoker ? e : with_rights_of(e, view->owner); };
    const EntryReplacer over = out->below ? to_columns(out->source, *out->below) : to_entry(out->source, out->entry);
    for (const TargetEntry& t : q.targets) {
      if (t.hidden) continue;
      out->columns.push_back({t.name, over(owned(t.expr))});
      out->own.push_back(t.expr);
    }
    if (q.where) {
      ExprPtr own = over(owned(q.where));
      out->condition = out->condition ? make_and({out->condition, own}) : own;
      if (cascaded || view->check_option != 0) out->checks.push_back({view->name, moved(own, out->entry, 0)});
    }
    // The view's own names for its columns.
    for (size_t i = 0; i < out->columns.size() && i < view->columns.size(); i++)
      out->columns[i].name = view->columns[i].name;
    out->view = std::move(view);
    return std::shared_ptr<const TargetView>(std::move(out));
  }
};

Error computed(const Scope& scope, const TargetView& view, size_t column, CommandKind command) {
  const char* act = command == CommandKind::kInsert ? "insert into" : "update";
  const ExprKind kind = view.own[column]->kind;
  return scope
      .error(sqlstate::kFeatureNotSupported, std::string("cannot ") + act + " column \"" + view.columns[column].name +
                                                 "\" of view \"" + view.view->name + "\"")
      .with_detail(kind == ExprKind::kWholeRow ? "View columns that return whole-row references are not updatable."
                   : kind == ExprKind::kVar    ? "View columns that refer to system columns are not updatable."
                                               : "View columns that are not columns of their base relation are not "
                                                 "updatable.");
}

bool is_barrier(const TargetView& view) {
  return view.view->security_barrier || (view.below != nullptr && is_barrier(*view.below));
}

// `wanted` only of rows that meet `first`, whatever the order that the planner chooses.
ExprPtr make_guarded(const ExprPtr& first, ExprPtr wanted) {
  auto guarded = std::make_shared<CaseExpr>();
  guarded->type = wanted->type;
  guarded->whens.push_back({first, std::move(wanted)});
  guarded->otherwise = make_bool(false);
  return guarded;
}

// The same for a conjunction: what is leakproof may be evaluated anywhere, and find its rows by an index.
ExprPtr guarded(catalog::CatalogView& catalog, const ExprPtr& first, const ExprPtr& wanted) {
  ExprList anywhere, behind;
  const std::function<void(const ExprPtr&)> sort = [&](const ExprPtr& e) {
    const auto* both = try_as<BoolExpr>(e);
    if (both != nullptr && both->op == BoolExpr::Op::kAnd) {
      for (const ExprPtr& part : both->arguments) sort(part);
    } else {
      (is_leakproof(catalog, e) ? anywhere : behind).push_back(e);
    }
  };
  sort(wanted);
  if (!behind.empty()) anywhere.push_back(make_guarded(first, make_and(std::move(behind))));
  return make_and(std::move(anywhere));
}

bool assigns(const Query& q, int column) {
  const auto sets = [&](const Assignment& a) { return a.column == column; };
  return std::find(q.insert_columns.begin(), q.insert_columns.end(), column) != q.insert_columns.end() ||
         std::any_of(q.assignments.begin(), q.assignments.end(), sets);
}

// The columns of a change of the view, as columns of what it leads to.
Status rename_columns(Scope& scope, Query& q, const TargetView& through) {
  std::vector<int> given;
  const auto rename = [&](int& column) -> Status {
    INDIGO_ASSIGN(column, column_behind(scope, through, static_cast<size_t>(column), q.command));
    if (std::find(given.begin(), given.end(), column) != given.end()) {
      return scope.error(sqlstate::kSyntaxError, "multiple assignments to same column \"" +
                                                     through.table->columns[static_cast<size_t>(column)].name + "\"");
    }
    given.push_back(column);
    return {};
  };
  for (int& column : q.insert_columns) INDIGO_TRY(rename(column));
  for (Assignment& a : q.assignments) INDIGO_TRY(rename(a.column));
  return {};
}

}  // namespace

ExprPtr moved(const ExprPtr& e, int from, int to) { return from == to ? e : to_entry(from, to)(e); }

int TargetView::source_column(size_t column) const {
  const auto* v = try_as<VarExpr>(own[column]);
  return v != nullptr && v->levels_up == 0 && v->entry == source && v->column >= 0 ? v->column : -1;
}

int TargetView::table_column(size_t column) const {
  const int behind = source_column(column);
  return behind < 0 || below == nullptr ? behind : below->table_column(static_cast<size_t>(behind));
}

bool triggers_take_rows(const RelationInfo& view, std::string_view verb) {
  int16_t event = 0;
  if (verb == "INSERT") event = catalog::kTriggerInsert;
  if (verb == "UPDATE") event = catalog::kTriggerUpdate;
  if (verb == "DELETE") event = catalog::kTriggerDelete;
  return event != 0 && view.triggers != nullptr &&
         view.triggers->any(catalog::kTriggerRow, catalog::kTriggerInstead, event);
}

Result<std::shared_ptr<const TargetView>> target_view(Scope& scope, std::shared_ptr<const RelationInfo> view,
                                                      std::string_view verb, const StopsAt& stops, RowsOf rows) {
  std::shared_ptr<const Query>& query = scope.a.changed_views[view->oid];
  if (query == nullptr) {
    INDIGO_ASSIGN(query, expand_view(scope, *view));
  }
  return Descent{scope, verb, stops, rows}.of_query(std::move(view), *query, false);
}

Result<int> column_behind(const Scope& scope, const TargetView& target, size_t column, CommandKind command) {
  size_t at = column;
  for (const TargetView* v = &target;; v = v->below.get()) {
    const int behind = v->source_column(at);
    if (behind < 0) return computed(scope, *v, at, command);
    if (v->below == nullptr) return behind;
    at = static_cast<size_t>(behind);
  }
}

Status check_columns_behind(const Scope& scope, const TargetView& target, std::vector<size_t> columns,
                            CommandKind command) {
  for (const TargetView* v = &target; v != nullptr; v = v->below.get()) {
    for (size_t& column : columns) {
      const int behind = v->source_column(column);
      if (behind < 0) return computed(scope, *v, column, command);
      column = static_cast<size_t>(behind);
    }
  }
  return {};
}

Status check_computed_defaults(const Scope& scope, const TargetView& target) {
  for (const TargetView* v = &target; v != nullptr; v = v->below.get()) {
    for (size_t i = 0; i < v->view->columns.size() && i < v->columns.size(); i++) {
      if (!v->view->columns[i].default_expr) continue;
      if (v->source_column(i) < 0) return computed(scope, *v, i, CommandKind::kInsert);
      const int column = v->table_column(i);
      if (column < 0 || !target.table->columns[static_cast<size_t>(column)].generated) continue;
      return generated_value_error(scope, target.table->columns[static_cast<size_t>(column)], true);
    }
  }
  return {};
}

void note_target_views(Query& q, const TargetView& target) {
  for (const TargetView* v = &target; v != nullptr; v = v->below.get()) {
    Query::TargetView through{v->view, {}, v->condition};
    for (size_t i = 0; i < v->columns.size(); i++) through.columns.push_back(v->table_column(i));
    q.target_views.push_back(std::move(through));
  }
}

ExprPtr restricted(catalog::CatalogView& catalog, const TargetView& target, ExprPtr where) {
  const ExprPtr& shown = target.condition;
  if (shown == nullptr) return where;
  if (where && is_barrier(target)) where = guarded(catalog, shown, where);
  return where ? make_and({shown, where}) : shown;
}

Result<std::shared_ptr<const Query>> change_behind(Scope& scope, const Query& change, const TargetView& through) {
  auto q = std::make_shared<Query>(change);
  INDIGO_ASSIGN(Entry entry, relation_entry(scope, through.table, nullptr));
  entry.only = through.only;
  q->entries[0] = std::move(entry);
  if (q->command == CommandKind::kInsert) INDIGO_TRY(check_computed_defaults(scope, through));
  INDIGO_TRY(rename_columns(scope, *q, through));
  const EntryReplacer over = to_columns(0, through);
  for (Assignment& a : q->assignments) a.value = over(a.value);
  for (TargetEntry& t : q->returning) t.expr = over(t.expr);
  q->where = over(q->where);
  if (q->command != CommandKind::kInsert) q->where = restricted(scope.catalog(), through, q->where);
  const auto& columns = through.table->columns;
  for (size_t i = 0; q->command == CommandKind::kInsert && i < columns.size(); i++) {
    if (columns[i].dropped || columns[i].generated || assigns(*q, static_cast<int>(i))) continue;
    INDIGO_ASSIGN(ExprPtr value, value_by_default(scope, columns[i]));
    if (!is_null_const(value)) q->assignments.push_back({static_cast<int>(i), std::move(value)});
  }
  note_target_views(*q, through);
  return std::shared_ptr<const Query>(std::move(q));
}

}  // namespace indigo::sql
