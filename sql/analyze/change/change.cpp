#include "sql/analyze/change/change.h"

#include <algorithm>
#include <numeric>

#include "catalog/descriptor/trigger_info.h"
#include "catalog/tables/system_columns.h"
#include "sql/analyze/change/assign_part.h"
#include "sql/analyze/change/target_view.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/sublink.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/select.h"
#include "sql/analyze/select/targets.h"
#include "sql/analyze/standalone.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/identity_value.h"
#include "sql/parse/node.h"
#include "sql/query_walk.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using catalog::RelationKind;
using types::ColumnInfo;

Error not_needed(Scope& scope, const ColumnInfo& column, const ExprPtr& value, int location) {
  return scope
      .error(sqlstate::kDatatypeMismatch,
             "column \"" + column.name + "\" is of type " + format_type(scope.catalog(), column.type.oid) +
                 " but expression is of type " + format_type(scope.catalog(), value->type.oid),
             location)
      .with_hint("You will need to rewrite or cast the expression.");
}

const char* generated_detail(const ColumnInfo& column) {
  return column.generated ? " is a generated column." : " is an identity column defined as GENERATED ALWAYS.";
}

}  // namespace

Status transform_change(Scope& scope, const PgQuery__Node& statement) {
  switch (statement.node_case) {
    case PG_QUERY__NODE__NODE_INSERT_STMT: return transform_insert(scope, *statement.insert_stmt);
    case PG_QUERY__NODE__NODE_UPDATE_STMT: return transform_update(scope, *statement.update_stmt);
    case PG_QUERY__NODE__NODE_DELETE_STMT: return transform_delete(scope, *statement.delete_stmt);
    case PG_QUERY__NODE__NODE_MERGE_STMT: return transform_merge(scope, *statement.merge_stmt);
    default: return scope.error(sqlstate::kFeatureNotSupported, "this kind of statement is not supported here");
  }
}

const RelationInfo& target_of(const Scope& scope) { return *scope.query->entries[0].relation; }

namespace {

int16_t event_of(std::string_view verb) {
  if (verb == "INSERT") return catalog::kTriggerInsert;
  return verb == "UPDATE" ? catalog::kTriggerUpdate : catalog::kTriggerDelete;
}

// A view whose INSTEAD OF triggers take the rows: entry 0 stands for the new row; UPDATE and DELETE find the old ones in
// entry 1, which the statement's names mean.
Result<NamespaceItem> open_triggered_view(Scope& scope, const std::shared_ptr<const RelationInfo>& view,
                                          const PgQuery__Alias* alias, int16_t event) {
  Entry row;
  row.kind = EntryKind::kTable;
  row.alias = view->name;
  row.relation = view;
  row.only = true;
  for (const auto& column : view->columns) {
    row.column_names.push_back(column.name);
    row.column_types.push_back(column.type);
  }
  INDIGO_TRY(apply_alias(scope, row, alias));
  scope.query->target = add_entry(scope, std::move(row));
  scope.query->instead_event = event;
  NamespaceItem item = names_of(scope, 0);
  if (event != catalog::kTriggerInsert) {
    INDIGO_ASSIGN(Entry rows, relation_entry(scope, view, alias));
    item = names_of(scope, add_entry(scope, std::move(rows)));
  }
  if (alias == nullptr) item.schema = view->schema_name;
  return item;
}

Result<NamespaceItem> open_view_target(Scope& scope, const std::shared_ptr<const RelationInfo>& view,
                                       const PgQuery__RangeVar& name, std::string_view verb) {
  if (triggers_take_rows(*view, verb)) return open_triggered_view(scope, view, name.alias, event_of(verb));
  if (verb == "MERGE") {
    return scope.error(sqlstate::kFeatureNotSupported, "cannot execute MERGE on relation \"" + view->name + "\"")
        .with_detail("This operation is not supported for views.");
  }
  const auto takes_rows = [&](const RelationInfo& below) { return triggers_take_rows(below, verb); };
  INDIGO_ASSIGN(scope.target_view, target_view(scope, view, verb, takes_rows, RowsOf::kTriggers));
  const TargetView& target = *scope.target_view;
  // The alias may rename the view's columns.
  Entry named;
  named.kind = EntryKind::kSubquery;
  named.alias = view->name;
  for (const NamespaceColumn& c : target.columns) named.column_names.push_back(c.name);
  if (target.table->kind == RelationKind::kView) {
    INDIGO_TRY(open_triggered_view(scope, target.table, nullptr, event_of(verb)));
    INDIGO_TRY(apply_alias(scope, named, name.alias));
  } else {
    INDIGO_ASSIGN(Entry entry, relation_entry(scope, target.table, nullptr));
    entry.only = target.only;
    INDIGO_TRY(apply_alias(scope, named, name.alias));
    entry.alias = named.alias;
    scope.query->target = add_entry(scope, std::move(entry));
  }
  note_target_views(*scope.query, target);
  NamespaceItem item;
  item.name = named.alias;
  item.relation_name = view->name;
  if (name.alias == nullptr) item.schema = view->schema_name;
  for (size_t i = 0; i < target.columns.size(); i++) {
    item.columns.push_back({named.column_names[i], target.columns[i].expr});
  }
  return item;
}

}  // namespace

std::vector<int> all_target_columns(const Scope& scope) {
  std::vector<int> out;
  if (scope.target_view == nullptr) {
    const RelationInfo& r = target_of(scope);
    for (size_t i = 0; i < r.columns.size(); i++) {
      if (!r.columns[i].dropped) out.push_back(static_cast<int>(i));
    }
    return out;
  }
  for (size_t i = 0; i < scope.target_view->columns.size(); i++) out.push_back(scope.target_view->table_column(i));
  return out;
}

Status check_view_columns(const Scope& scope, size_t columns) {
  if (scope.target_view == nullptr) return {};
  std::vector<size_t> list(columns);
  std::iota(list.begin(), list.end(), size_t{0});
  return check_columns_behind(scope, *scope.target_view, std::move(list), scope.query->command);
}

void add_view_condition(Scope& scope) {
  if (scope.target_view == nullptr) return;
  scope.query->where = restricted(scope.catalog(), *scope.target_view, scope.query->where);
}

Result<NamespaceItem> open_target(Scope& scope, const PgQuery__RangeVar& name, const char* verb) {
  INDIGO_ASSIGN(auto relation, open_relation(scope, name));
  if (relation->rules != nullptr && std::string_view(verb) == "MERGE" && relation->kind != RelationKind::kView) {
    return scope.error(sqlstate::kFeatureNotSupported, "cannot execute MERGE on relation \"" + relation->name + "\"")
        .with_detail("MERGE is not supported for relations with rules.");
  }
  switch (relation->kind) {
    case RelationKind::kTable:
    case RelationKind::kPartitionedTable: break;
    case RelationKind::kForeignTable:
      if (std::string_view(verb) != "MERGE") break;
      return scope.error(sqlstate::kFeatureNotSupported, "cannot execute MERGE on relation \"" + relation->name + "\"")
          .with_detail("This operation is not supported for foreign tables.");
    case RelationKind::kView:
      if (scope.a.changes == Analysis::Changes::kComplete) return open_view_target(scope, relation, name, verb);
      break;
    case RelationKind::kMaterializedView:
      if (std::string_view(verb) == "MERGE") {
        return scope
            .error(sqlstate::kFeatureNotSupported, "cannot execute MERGE on relation \"" + relation->name + "\"")
            .with_detail("This operation is not supported for materialized views.");
      }
      return scope.error(sqlstate::kWrongObjectType, "cannot change materialized view \"" + relation->name + "\"");
    case RelationKind::kSequence:
      if (std::string_view(verb) == "MERGE") {
        return scope
            .error(sqlstate::kFeatureNotSupported, "cannot execute MERGE on relation \"" + relation->name + "\"")
            .with_detail("This operation is not supported for sequences.");
      }
      return scope.error(sqlstate::kWrongObjectType, "cannot change sequence \"" + relation->name + "\"");
    default: return scope.error(sqlstate::kWrongObjectType, "cannot change relation \"" + relation->name + "\"");
  }
  INDIGO_ASSIGN(Entry entry, relation_entry(scope, std::move(relation), name.alias));
  entry.only = !name.inh;
  scope.query->target = add_entry(scope, std::move(entry));
  NamespaceItem item = names_of(scope, 0);
  if (name.alias == nullptr) item.schema = target_of(scope).schema_name;
  return item;
}

Result<int> target_column(const Scope& scope, std::string_view name, int location) {
  if (scope.target_view != nullptr) {
    const TargetView& target = *scope.target_view;
    for (size_t i = 0; i < target.columns.size(); i++) {
      if (target.columns[i].name == name) return column_behind(scope, target, i, scope.query->command);
    }
  }
  const RelationInfo& r = scope.target_view != nullptr ? *scope.target_view->view : target_of(scope);
  for (size_t i = 0; i < r.columns.size() && scope.target_view == nullptr; i++) {
    if (!r.columns[i].dropped && r.columns[i].name == name) return static_cast<int>(i);
  }
  if (scope.query->command != CommandKind::kInsert && catalog::find_system_column(name) != nullptr) {
    return scope.error(sqlstate::kFeatureNotSupported, "cannot assign to system column \"" + std::string(name) + "\"",
                       location);
  }
  return scope.error(sqlstate::kUndefinedColumn,
                     "column \"" + std::string(name) + "\" of relation \"" + r.name + "\" does not exist", location);
}

bool is_default(const PgQuery__Node* node) { return is(node, PG_QUERY__NODE__NODE_SET_TO_DEFAULT); }

Result<ExprPtr> assign_value(Scope& scope, int number, const ExprPtr& value, const PartOfColumn& part, int location) {
  const ColumnInfo& column = target_of(scope).columns[number];
  if (!part.indirection.empty()) {
    const ExprPtr old = part.before ? part.before : make_null(scope.catalog(), column.type);
    return assign_part(scope, column.name, column.type, old, value, part.indirection, part.location);
  }
  INDIGO_ASSIGN(ExprPtr out, coerce_to_target(scope.a, value, column.type, Coercion::kAssignment,
                                              CallExpr::Form::kImplicitCast, -1));
  if (!out) return not_needed(scope, column, value, location);
  return out;
}

Result<ExprPtr> value_by_default(Scope& scope, const ColumnInfo& column) {
  if (column.default_expr && !column.generated) {
    INDIGO_ASSIGN(const ExprPtr value,
                  analyze_nested(scope.a, *column.default_expr, nullptr, column.type, Clause::kDefault));
    return column.identity ? as_identity_value(value) : value;
  }
  if (column.identity) {
    return scope.error(sqlstate::kInternalError, "no owned sequence found for column \"" + column.name + "\"");
  }
  auto type = scope.catalog().type(column.type.oid);
  for (auto domain = type; domain && domain->kind == 'd'; domain = scope.catalog().type(domain->base)) {
    if (!domain->default_expr.empty()) {
      return analyze_nested(scope.a, domain->default_expr, nullptr, column.type, Clause::kDefault);
    }
  }
  if (type && type->kind == 'd') {
    const TypeRef base = type_with_collation(scope.catalog(), base_type_ref(scope.catalog(), column.type.oid));
    return coerce_to_domain(scope.a, make_null(scope.catalog(), base), column.type.oid, Coercion::kImplicit, -1);
  }
  return make_null(scope.catalog(), column.type);
}

Result<ExprPtr> column_default(Scope& scope, int number) {
  const ColumnInfo& column = target_of(scope).columns[number];
  for (const TargetView* v = scope.target_view.get(); v != nullptr; v = v->below.get()) {
    for (size_t i = 0; i < v->columns.size() && i < v->view->columns.size(); i++) {
      if (v->view->columns[i].default_expr && v->table_column(i) == number)
        return value_by_default(scope, v->view->columns[i]);
    }
  }
  if (scope.a.changes != Analysis::Changes::kKept) return value_by_default(scope, column);
  auto out = std::make_shared<DefaultExpr>();  // what it is when the statement runs
  out->type = column.type;
  return ExprPtr(std::move(out));
}

Overriding overriding_of(PgQuery__OverridingKind kind) {
  switch (kind) {
    case PG_QUERY__OVERRIDING_KIND__OVERRIDING_USER_VALUE: return Overriding::kUserValue;
    case PG_QUERY__OVERRIDING_KIND__OVERRIDING_SYSTEM_VALUE: return Overriding::kSystemValue;
    default: return Overriding::kNothing;
  }
}

Status check_assignable(const Scope& scope, int number, bool inserting, PgQuery__OverridingKind overriding) {
  const ColumnInfo& column = target_of(scope).columns[number];
  const bool overrides = inserting && overriding_of(overriding) != Overriding::kNothing;
  if (!column.generated && (column.identity != 'a' || overrides)) return {};
  return generated_value_error(scope, column, inserting);
}

Error generated_value_error(const Scope& scope, const ColumnInfo& column, bool inserting) {
  Error error = scope.error(sqlstate::kGeneratedAlways,
                            inserting ? "cannot insert a non-DEFAULT value into column \"" + column.name + "\""
                                      : "column \"" + column.name + "\" can only be updated to DEFAULT");
  error.detail = "Column \"" + column.name + "\"" + generated_detail(column);
  if (inserting && !column.generated) error.hint = "Use OVERRIDING SYSTEM VALUE to override.";
  return error;
}

namespace {

// The parts of SET (a, b) = source; the source is analyzed once, at its first column.
class MultiAssign {
 public:
  Result<ExprPtr> value(Scope& scope, const PgQuery__MultiAssignRef& ref, int location) {
    if (ref.colno == 1) {
      INDIGO_TRY(read(scope, ref));
    }
    if (link_) {
      auto field = std::make_shared<FieldExpr>();
      field->argument = link_;
      field->field = ref.colno - 1;
      int visible = 0;
      for (const TargetEntry& t : as<SubLinkExpr>(*link_).query->targets) {
        if (!t.hidden && visible++ == field->field) field->type = t.expr->type;
      }
      field->location = location;
      return ExprPtr(field);
    }
    return row_[ref.colno - 1];
  }
  // The row's item, for DEFAULT.
  const PgQuery__Node* item(const PgQuery__MultiAssignRef& ref) const {
    if (!is(ref.source, PG_QUERY__NODE__NODE_ROW_EXPR)) return nullptr;
    return items_[static_cast<size_t>(ref.colno) - 1];
  }

 private:
  Status read(Scope& scope, const PgQuery__MultiAssignRef& ref) {
    link_ = nullptr;
    row_.clear();
    if (is(ref.source, PG_QUERY__NODE__NODE_SUB_LINK) &&
        ref.source->sub_link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK) {
      INDIGO_ASSIGN(
          link_, transform_assign_sublink(scope, *ref.source->sub_link, ref.ncolumns, ref.source->sub_link->location));
      return {};
    }
    if (!is(ref.source, PG_QUERY__NODE__NODE_ROW_EXPR)) {
      return scope.error(sqlstate::kFeatureNotSupported,
                         "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
                         location_of(ref.source));
    }
    const auto& row = *ref.source->row_expr;
    items_.clear();
    for (PgQuery__Node* n : std::span(row.args, row.n_args)) {
      ExprList parts(1);
      if (!is_default(n)) {
        INDIGO_ASSIGN(parts, expand_list(scope, NodeList(&n, 1)));
      }
      for (ExprPtr& e : parts) {
        row_.push_back(std::move(e));
        items_.push_back(n);
      }
    }
    if (row_.size() != static_cast<size_t>(ref.ncolumns)) {
      return scope.error(sqlstate::kSyntaxError, "number of columns does not match number of values", row.location);
    }
    return {};
  }

  ExprPtr link_;
  ExprList row_;
  std::vector<const PgQuery__Node*> items_;  // where row_ comes from
};

// SET column = DEFAULT: of a view's column it is the view's own, not the table's.
Result<ExprPtr> set_default(Scope& scope, int column, std::string_view name) {
  if (scope.target_view != nullptr) {
    for (const ColumnInfo& c : scope.target_view->view->columns) {
      if (c.name == name) return value_by_default(scope, c);
    }
  }
  return column_default(scope, column);
}

// A default of the view's own is a value, which a generated column does not take.
Status check_no_default_of_view(Scope& scope, int column, std::string_view name) {
  if (scope.target_view == nullptr) return {};
  for (const ColumnInfo& c : scope.target_view->view->columns) {
    if (c.name == name && c.default_expr) return generated_value_error(scope, target_of(scope).columns[column], false);
  }
  return {};
}

}  // namespace

Result<std::vector<Assignment>> transform_set_list(Scope& scope, NodeList list) {
  Setting<Clause> clause(scope.clause, Clause::kUpdateSource);
  std::vector<Assignment> out;
  std::vector<bool> in_part;            // of out: assigned by parts
  std::vector<std::string_view> names;  // of out: as the statement names them
  MultiAssign multi;
  for (const PgQuery__Node* n : list) {
    const PgQuery__ResTarget& item = *n->res_target;
    const NodeList indirection = nodes(item.n_indirection, item.indirection);
    const PgQuery__Node* source = item.val;
    const PgQuery__MultiAssignRef* part =
        is(source, PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF) ? source->multi_assign_ref : nullptr;
    ExprPtr value;
    if (part) {
      INDIGO_ASSIGN(value, multi.value(scope, *part, item.location));
      if (multi.item(*part)) source = multi.item(*part);
    } else if (!is_default(source)) {
      INDIGO_ASSIGN(value, transform(scope, source));
    }
    INDIGO_ASSIGN(const int column, target_column(scope, item.name, item.location));
    const auto same = std::find_if(out.begin(), out.end(), [&](const Assignment& s) { return s.column == column; });
    PartOfColumn place{indirection, item.location, nullptr};
    if (same != out.end()) {
      // Several parts of one column: the later assignment works on the earlier one's result.
      if (indirection.empty() || !in_part[static_cast<size_t>(same - out.begin())]) {
        // Two columns of a view may be one of its table.
        const bool one = names[static_cast<size_t>(same - out.begin())] == item.name;
        return scope.error(sqlstate::kSyntaxError,
                           "multiple assignments to same column \"" +
                               (one ? std::string(item.name) : target_of(scope).columns[column].name) + "\"");
      }
      place.before = same->value;
    } else if (!indirection.empty()) {
      place.before = make_var(0, column, target_of(scope).columns[column].type);
    }
    if (is_default(source)) {
      if (!indirection.empty()) return default_of_part(scope, indirection, item.location);
      if (target_of(scope).columns[column].generated) {
        INDIGO_TRY(check_no_default_of_view(scope, column, item.name));
        continue;  // computed anyway
      }
      INDIGO_ASSIGN(value, set_default(scope, column, item.name));
    } else {
      INDIGO_TRY(check_assignable(scope, column, false, PG_QUERY__OVERRIDING_KIND__OVERRIDING_NOT_SET));
      INDIGO_ASSIGN(value, assign_value(scope, column, value, place,
                                        location_of(source) >= 0 ? location_of(source) : item.location));
    }
    if (same != out.end()) {
      same->value = std::move(value);
      continue;
    }
    out.push_back({column, std::move(value)});
    in_part.push_back(!indirection.empty());
    names.emplace_back(item.name);
  }
  return out;
}

Result<std::vector<Assignment>> remaining_defaults(Scope& scope, const std::vector<int>& given) {
  std::vector<Assignment> out;
  if (scope.a.changes == Analysis::Changes::kKept) return out;
  if (scope.target_view != nullptr) INDIGO_TRY(check_computed_defaults(scope, *scope.target_view));
  const RelationInfo& r = target_of(scope);
  for (int i = 0; i < static_cast<int>(r.columns.size()); i++) {
    if (r.columns[i].dropped || r.columns[i].generated || std::find(given.begin(), given.end(), i) != given.end())
      continue;
    INDIGO_ASSIGN(ExprPtr value, column_default(scope, i));
    if (!is_null_const(value)) out.push_back({i, std::move(value)});
  }
  return out;
}

namespace {

// A new row's tableoid is its table's: it is not written yet where this is asked.
ExprPtr with_table_oid(const ExprPtr& e, Oid relation) {
  if (const auto* v = try_as<VarExpr>(e); v && v->levels_up == 0 && v->entry == 0 && v->column == kTableOidColumn) {
    return make_const(v->type, Datum::of_oid(relation));
  }
  return map_children(e, [&](const ExprPtr& c) { return with_table_oid(c, relation); });
}

}  // namespace

Status add_generated_and_checks(Scope& scope) {
  if (scope.a.changes != Analysis::Changes::kComplete) return {};
  Query& q = *scope.query;
  const std::shared_ptr<const RelationInfo> r = q.entries[0].relation;
  for (int i = 0; i < static_cast<int>(r->columns.size()); i++) {
    const ColumnInfo& column = r->columns[i];
    if (column.dropped || !column.generated || !column.default_expr) continue;
    INDIGO_ASSIGN(ExprPtr value, analyze_nested(scope.a, *column.default_expr, r, column.type, Clause::kGenerated));
    q.generated.push_back({i, with_table_oid(value, r->oid)});
  }
  for (const auto& constraint : r->constraints) {
    if (constraint.kind != 'c') continue;
    INDIGO_ASSIGN(ExprPtr check,
                  analyze_nested(scope.a, constraint.expression, r, {oid::kBool, -1, kInvalidOid}, Clause::kCheck));
    q.checks.push_back(with_table_oid(check, r->oid));
    q.check_names.push_back(constraint.name);
  }
  if (scope.target_view != nullptr) {
    for (const TargetView::Check& check : scope.target_view->checks) {
      q.view_checks.push_back(with_table_oid(check.condition, r->oid));
      q.view_check_names.push_back(check.view);
    }
  }
  return {};
}

Status finish_triggered_view(Scope& scope) {
  Query& q = *scope.query;
  const bool updates = q.instead_event == catalog::kTriggerUpdate;
  const RelationInfo& view = target_of(scope);
  const auto add = [&](ExprPtr e, const std::string& name) {
    TargetEntry t;
    t.expr = std::move(e);
    t.name = name;
    q.targets.push_back(std::move(t));
  };
  const auto old_column = [&](size_t i) { return make_var(1, static_cast<int>(i), view.columns[i].type); };
  for (Assignment& a : q.assignments) a.value = moved(a.value, 0, 1);
  for (size_t i = 0; i < view.columns.size(); i++) add(old_column(i), view.columns[i].name);
  for (size_t i = 0; updates && i < view.columns.size(); i++) {
    ExprPtr value = old_column(i);
    for (const Assignment& a : q.assignments) {
      if (a.column == static_cast<int>(i)) value = a.value;
    }
    add(std::move(value), view.columns[i].name);
  }
  const size_t shown = q.targets.size();
  for (const TargetEntry& t : q.returning) {
    std::vector<ExprPtr> read;
    visit_expressions(t.expr, [&](const Expr& e, int depth) {
      if (e.kind != ExprKind::kVar) return true;
      const auto& v = as<VarExpr>(e);
      if (v.levels_up == depth && v.entry != 0) read.push_back(make_var(v.entry, v.column, v.type));
      return true;
    });
    for (const ExprPtr& e : read) {
      const auto& wanted = as<VarExpr>(*e);
      const bool known = std::any_of(q.targets.begin() + static_cast<std::ptrdiff_t>(shown), q.targets.end(),
                                     [&](const TargetEntry& o) {
                                       const auto& v = as<VarExpr>(*o.expr);
                                       return v.entry == wanted.entry && v.column == wanted.column;
                                     });
      if (!known) add(e, "");
    }
  }
  for (size_t i = 0; i < q.targets.size(); i++) q.insert_columns.push_back(static_cast<int>(i));
  if (updates) INDIGO_TRY(add_generated_and_checks(scope));
  q.command = CommandKind::kInsert;
  return {};
}

Status transform_returning(Scope& scope, NodeList list) {
  if (list.empty()) return {};
  Setting<Clause> clause(scope.clause, Clause::kReturning);
  INDIGO_TRY(transform_targets(scope, list, scope.query->returning));
  return resolve_unknown_targets(scope.a, scope.query->returning);
}

}  // namespace indigo::sql
