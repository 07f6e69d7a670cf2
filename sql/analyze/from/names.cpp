#include "sql/analyze/from/names.h"

#include <functional>

#include "catalog/catalog.h"
#include "catalog/tables/system_columns.h"
#include "sql/analyze/expression/function_call.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/dropped_columns.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

ExprPtr located(const ExprPtr& e, int levels_up, int location) {
  if (const auto* v = try_as<VarExpr>(e)) {
    return make_var(v->entry, v->column, v->type, v->levels_up + levels_up, location);
  }
  return raise_levels(e, levels_up);
}

bool visible_now(const Scope& scope, const NamespaceItem& item) { return !item.lateral_only || scope.lateral_active; }

Status check_lateral(const Scope& scope, const NamespaceItem& item, int location) {
  if (!item.lateral_only || item.lateral_ok) return {};
  Error error = scope.error(sqlstate::kInvalidColumnReference,
                            "invalid reference to FROM-clause entry for table \"" + item.name + "\"", location);
  if (scope.query->command != CommandKind::kSelect && item.entry == scope.query->target) {
    return std::move(error).with_hint("There is an entry for table \"" + item.name +
                                      "\", but it cannot be referenced from this part of the query.");
  }
  return std::move(error).with_detail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.");
}

// The places where only tableoid may be read.
const char* without_system_columns(Clause clause) {
  if (clause == Clause::kMergeWhen) return "MERGE WHEN condition";
  if (clause == Clause::kGenerated) return "column generation expression";
  return nullptr;
}

bool scalar_function(const Entry& entry) {
  if (entry.kind != EntryKind::kFunction || entry.functions.size() != 1 || entry.with_ordinality) return false;
  return entry.functions[0].column_count == 1 && entry.functions[0].call->type.oid == entry.column_types[0].oid;
}

}  // namespace

Result<const NamespaceItem*> find_table(Scope& scope, std::string_view schema, std::string_view name, int location,
                                        int* levels_up) {
  *levels_up = 0;
  for (Scope* level = &scope; level != nullptr; level = level->parent, ++*levels_up) {
    const NamespaceItem* found = nullptr;
    for (const NamespaceItem& item : level->names) {
      if (!item.table_visible || !visible_now(*level, item)) continue;
      const bool matches = schema.empty() ? item.name == name : (item.schema == schema && item.relation_name == name);
      if (!matches || (schema.empty() && item.name.empty())) continue;
      if (found) {
        return scope.error(SqlState("42P09"), "table reference \"" + std::string(name) + "\" is ambiguous", location);
      }
      found = &item;
      INDIGO_TRY(check_lateral(*level, item, location));
    }
    if (found) return found;
  }
  return static_cast<const NamespaceItem*>(nullptr);
}

Result<ExprPtr> item_column(Scope& scope, const NamespaceItem& item, std::string_view name, int levels_up,
                            int location) {
  const NamespaceColumn* found = nullptr;
  for (const NamespaceColumn& column : item.columns) {
    if (column.name != name || column.name.empty()) continue;
    if (found) {
      return scope.error(sqlstate::kAmbiguousColumn, "column reference \"" + std::string(name) + "\" is ambiguous",
                         location);
    }
    found = &column;
  }
  if (found) return located(found->expr, levels_up, location);
  if (item.relation == kInvalidOid || item.entry < 0) return ExprPtr();
  const Entry* entry = entry_of(scope, item.entry, levels_up);
  if (entry == nullptr || entry->kind != EntryKind::kTable) return ExprPtr();
  if (entry->relation->kind == catalog::RelationKind::kView) return ExprPtr();  // that triggers or rules change
  const auto* system = catalog::find_system_column(name);
  if (system == nullptr) return ExprPtr();
  if (const char* place = system->number == kTableOidColumn ? nullptr : without_system_columns(scope.clause)) {
    return scope.error(sqlstate::kInvalidColumnReference,
                       "cannot use system column \"" + std::string(name) + "\" in " + place, location);
  }
  return make_var(item.entry, system->number, {system->type, -1, kInvalidOid}, levels_up, location);
}

Result<ExprPtr> find_column(Scope& scope, std::string_view name, int location, bool local_only) {
  int levels_up = 0;
  for (Scope* level = &scope; level != nullptr; level = level->parent, levels_up++) {
    ExprPtr found;
    for (const NamespaceItem& item : level->names) {
      if (!item.columns_visible || !visible_now(*level, item)) continue;
      INDIGO_ASSIGN(ExprPtr column, item_column(scope, item, name, levels_up, location));
      if (!column) continue;
      if (found) {
        return scope.error(sqlstate::kAmbiguousColumn, "column reference \"" + std::string(name) + "\" is ambiguous",
                           location);
      }
      INDIGO_TRY(check_lateral(*level, item, location));
      found = std::move(column);
    }
    if (found) return found;
    if (local_only) break;
  }
  return ExprPtr();
}

const Entry* entry_of(const Scope& scope, int entry, int levels_up) {
  const Scope* level = &scope;
  while (levels_up-- > 0 && level) level = level->parent;
  if (!level || entry < 0 || static_cast<size_t>(entry) >= level->query->entries.size()) return nullptr;
  return &level->query->entries[entry];
}

ExprPtr whole_row(Scope& scope, const NamespaceItem& item, int levels_up, int location) {
  const Entry* entry = item.entry >= 0 ? entry_of(scope, item.entry, levels_up) : nullptr;
  if (entry == nullptr) {
    auto row = std::make_shared<RowExpr>();
    row->type.oid = oid::kRecord;
    row->location = location;
    // OLD and NEW of a rule are rows of their relation.
    const auto relation = item.relation == kInvalidOid ? nullptr : scope.catalog().relation(item.relation);
    if (relation != nullptr) row->type.oid = relation->row_type;
    for (const NamespaceColumn& column : item.columns) {
      row->fields.push_back(located(column.expr, levels_up, location));
      row->names.push_back(column.name);
    }
    return row;
  }
  if (scalar_function(*entry)) return make_var(item.entry, 0, entry->column_types[0], levels_up, location);
  auto row = std::make_shared<WholeRowExpr>();
  row->entry = item.entry;
  row->levels_up = levels_up;
  row->location = location;
  row->type.oid = oid::kRecord;
  if (entry->relation) {
    row->type.oid = entry->relation->row_type ? entry->relation->row_type : oid::kRecord;
  } else if (entry->kind == EntryKind::kFunction && entry->functions.size() == 1 && !entry->with_ordinality &&
             is_composite(scope.catalog(), entry->functions[0].call->type.oid)) {
    row->type.oid = entry->functions[0].call->type.oid;
  }
  if (row->type.oid == oid::kRecord) row->columns = entry->column_types;
  return row;
}

namespace {

Result<ExprPtr> find_variable(Scope& scope, NodeList fields, bool star, int location) {
  std::vector<std::string_view> name;
  for (const PgQuery__Node* field : fields) name.push_back(string_of(field));
  if (star) name.pop_back();
  INDIGO_ASSIGN(VariableScope::Found found, scope.a.variables->find(name, location));
  if (!found.value) return ExprPtr();
  for (size_t i = found.parts; i < name.size(); i++) {
    INDIGO_ASSIGN(found.value, select_field(scope, found.value, name[i], location));
    if (!found.value) return ExprPtr();
  }
  return std::move(found.value);
}

// An error that nobody may want: its hint measures how like the name is to every other one.
using Missing = std::function<Error()>;
// A null expression when the name is no column's and no table's; `missing` is then the error.
Result<ExprPtr> column_or_row(Scope& scope, const PgQuery__ColumnRef& ref, Missing& missing);

}  // namespace

Result<ExprPtr> transform_column_ref(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__ColumnRef& ref = *node.column_ref;
  const NodeList fields = nodes(ref.n_fields, ref.fields);
  const bool star = is(fields.back(), PG_QUERY__NODE__NODE_A_STAR);
  const VariableScope* variables = fields.size() > 1 || !star ? scope.a.variables : nullptr;
  using Conflict = VariableScope::Conflict;
  if (variables != nullptr && variables->conflict() == Conflict::kVariable) {
    INDIGO_ASSIGN(ExprPtr found, find_variable(scope, fields, star, ref.location));
    if (found) return found;
  }
  Missing missing;
  INDIGO_ASSIGN(ExprPtr column, column_or_row(scope, ref, missing));
  if (variables != nullptr && (!column || variables->conflict() == Conflict::kError)) {
    INDIGO_ASSIGN(ExprPtr found, find_variable(scope, fields, star, ref.location));
    if (found && !column) return found;
    if (found) {
      return scope
          .error(sqlstate::kAmbiguousColumn, "column reference \"" + name_list_text(fields) + "\" is ambiguous",
                 ref.location)
          .with_detail("It could refer to either a PL/pgSQL variable or a table column.");
    }
  }
  if (!column) return missing();
  return column;
}

namespace {

Result<ExprPtr> column_or_row(Scope& scope, const PgQuery__ColumnRef& ref, Missing& missing) {
  const NodeList fields = nodes(ref.n_fields, ref.fields);
  const int location = ref.location;
  if (scope.clause == Clause::kDefault) {
    return scope.error(sqlstate::kFeatureNotSupported, "cannot use column reference in DEFAULT expression", location);
  }
  const bool star = is(fields.back(), PG_QUERY__NODE__NODE_A_STAR);
  if (star && fields.size() == 1) {
    return scope.error(sqlstate::kFeatureNotSupported, "row expansion via \"*\" is not supported here", location);
  }
  if (fields.size() > 4) {
    return scope.error(sqlstate::kSyntaxError,
                       "improper qualified name (too many dotted names): " + name_list_text(fields), location);
  }
  const std::string_view column = star ? std::string_view() : string_of(fields.back());
  int levels_up = 0;
  if (fields.size() == 1) {
    if (scope.domain_value && column == "value") return scope.domain_value;
    INDIGO_ASSIGN(ExprPtr found, find_column(scope, column, location));
    if (found) return found;
    INDIGO_ASSIGN(const NamespaceItem* item, find_table(scope, "", column, location, &levels_up));
    if (item) return whole_row(scope, *item, levels_up, location);
    const auto& arguments = scope.a.argument_names;
    for (size_t i = 0; i < arguments.size(); i++) {
      if (arguments[i] == column) return scope.a.parameter(static_cast<int>(i + 1), location);
    }
    missing = [&scope, column, location] { return missing_column(scope, "", column, location); };
    return ExprPtr();
  }
  std::string_view schema, table = string_of(fields[fields.size() - 2]);
  if (fields.size() >= 3) schema = string_of(fields[fields.size() - 3]);
  if (fields.size() == 4 && string_of(fields[0]) != scope.catalog().database_name()) {
    return scope.error(sqlstate::kFeatureNotSupported,
                       "cross-database references are not implemented: " + name_list_text(fields), location);
  }
  INDIGO_ASSIGN(const NamespaceItem* item, find_table(scope, schema, table, location, &levels_up));
  if (!item) {
    missing = [&scope, schema, table, location] { return missing_table(scope, schema, table, location); };
    return ExprPtr();
  }
  if (star) return whole_row(scope, *item, levels_up, location);
  INDIGO_ASSIGN(ExprPtr found, item_column(scope, *item, column, levels_up, location));
  if (found) return found;
  // table.function: the function of the table's row.
  INDIGO_ASSIGN(found, call_on_row(scope, column, whole_row(scope, *item, levels_up, location), location));
  if (found) return found;
  missing = [&scope, table, column, location] { return missing_column(scope, table, column, location); };
  return ExprPtr();
}

}  // namespace

Status add_names(Scope& scope, std::vector<NamespaceItem> items) {
  for (NamespaceItem& item : items) {
    for (const NamespaceItem& other : scope.names) {
      if (item.name.empty() || item.name != other.name || !item.table_visible || !other.table_visible) continue;
      // Two tables of one name and no alias differ by their schemas.
      if (!item.schema.empty() && !other.schema.empty() && item.relation != other.relation) continue;
      return scope.error(sqlstate::kDuplicateAlias, "table name \"" + item.name + "\" specified more than once");
    }
    scope.names.push_back(std::move(item));
  }
  return {};
}

ExprPtr field_at(const ExprPtr& row, int field, const TypeRef& type, int location) {
  if (const auto* whole = try_as<WholeRowExpr>(row)) {
    return make_var(whole->entry, field, type, whole->levels_up, location);
  }
  if (const auto* made = try_as<RowExpr>(row); made && static_cast<size_t>(field) < made->fields.size()) {
    return made->fields[field];
  }
  auto e = std::make_shared<FieldExpr>();
  e->argument = row;
  e->field = field;
  e->type = type;
  e->location = location;
  return e;
}

namespace {

// The query whose rows an entry has, and the scope around it; null for other kinds.
struct RowsOf {
  const Query* query = nullptr;
  Scope* around = nullptr;
};

RowsOf rows_of(Scope& scope, const Entry& entry, int levels_up) {
  const bool is_cte = entry.kind == EntryKind::kCte;
  if (!is_cte && entry.kind != EntryKind::kSubquery) return {};
  Scope* at = &scope;
  for (int up = levels_up + (is_cte ? entry.cte_levels_up : 0); up > 0 && at != nullptr; up--) at = at->parent;
  if (!is_cte) return {entry.subquery.get(), at};
  if (at == nullptr || entry.cte < 0 || static_cast<size_t>(entry.cte) >= at->query->ctes.size()) return {};
  return {at->query->ctes[static_cast<size_t>(entry.cte)].query.get(), at};
}

}  // namespace

bool row_shape(Scope& scope, const ExprPtr& e, RowShape& out) {
  if (const auto* whole = try_as<WholeRowExpr>(e)) {
    const Entry* entry = entry_of(scope, whole->entry, whole->levels_up);
    if (entry == nullptr) return false;
    out.names = entry->column_names;
    out.types = entry->column_types;
    for (size_t i = 0; i < out.names.size(); i++) out.dropped.push_back(is_dropped(*entry, i));
    return true;
  }
  if (const auto* v = try_as<VarExpr>(e); v && v->type.oid == oid::kRecord) {
    const Entry* entry = entry_of(scope, v->entry, v->levels_up);
    const RowsOf rows = entry == nullptr ? RowsOf{} : rows_of(scope, *entry, v->levels_up);
    if (rows.query != nullptr && v->column >= 0) {
      int visible = 0;
      for (const TargetEntry& t : rows.query->targets) {
        if (t.hidden || visible++ != v->column) continue;
        Scope inside(scope.a, rows.around);
        inside.query = std::make_shared<Query>(*rows.query);
        return row_shape(inside, t.expr, out);
      }
    }
    if (entry && entry->kind == EntryKind::kFunction && v->column >= 0 && entry->functions.size() == 1) {
      return row_shape(scope.catalog(), entry->functions[0].call, out);
    }
    return false;
  }
  // One OUT parameter of a function is its result itself: it gives a table function's column its name, but it is no row.
  if (e->type.oid != oid::kRecord) return row_shape_of_type(scope.catalog(), e->type.oid, out);
  return row_shape(scope.catalog(), e, out);
}

Result<ExprPtr> select_field(Scope& scope, const ExprPtr& row, std::string_view field, int location) {
  RowShape shape;
  if (!row_shape(scope, row, shape)) return ExprPtr();
  for (size_t i = 0; i < shape.names.size(); i++) {
    const bool dropped = i < shape.dropped.size() && shape.dropped[i];
    if (shape.names[i] == field && !dropped) return field_at(row, static_cast<int>(i), shape.types[i], location);
  }
  return ExprPtr();
}

}  // namespace indigo::sql
