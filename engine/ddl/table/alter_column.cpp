// ALTER TABLE's commands on columns, but their type and identity.
#include <algorithm>
#include <deque>

#include "catalog/descriptor/added_column.h"
#include "catalog/tables/system_columns.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/foreign/foreign_table.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/table/column_values.h"
#include "engine/ddl/table/merged_keys.h"
#include "engine/ddl/type_names.h"
#include "sql/parse/node.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

Result<const ColumnInfo*> column_of(const RelationInfo& relation, std::string_view name) {
  const ColumnInfo* column = relation.find_column(name);
  if (column == nullptr) {
    if (catalog::find_system_column(name) != nullptr) {
      return Error(sqlstate::kFeatureNotSupported, "cannot alter system column " + quoted(name));
    }
    return Error(sqlstate::kUndefinedColumn, column_text(relation, name) + " does not exist");
  }
  return column;
}

namespace {

// `dropped`: the statement says so, rather than giving it another one.
Status remove_default_of(DdlContext& c, Oid relation, int16_t number, bool dropped) {
  Oid found = kInvalidOid;
  table(c, pg_attrdef::kOid)
      .scan_index(c.txn, system_index::kAttrdefColumn, {Datum::of_oid(relation), Datum::of(number)},
                  [&](RowReader row) {
                    found = row.oid(pg_attrdef::c_oid);
                    return false;
                  });
  if (found == kInvalidOid) return {};
  if (dropped) c.host.dropped(pg_attrdef::kOid, found, 0, true, false);
  return remove_object(c, {pg_attrdef::kOid, found, 0});
}

std::string next_value(DdlContext& c, Oid sequence) {
  return "nextval(" + literal(qualified(*current(c, sequence))) + "::regclass)";
}

// For the rows that exist, from the table as it is now.
Result<std::vector<OwnedDatum>> values_of_new_column(DdlContext& c, const RelationPtr& relation, const ColumnSpec& spec,
                                                     Oid sequence) {
  std::vector<OwnedDatum> values;
  const TypePtr type = c.catalog.type(spec.column.type.oid);
  const std::string cast = "::" + type_in_sql(c, spec.column.type);
  if (spec.default_node != nullptr) {
    INDIGO_ASSIGN(const StoredExpression e,
                  store_expression(c, spec.default_node, ExpressionUse::kDefault, nullptr, spec.column.type));
    INDIGO_ASSIGN(const std::string text, expression_text(c, e.tree, nullptr));
    INDIGO_ASSIGN(values, values_for_rows(c, *relation, "(" + text + ")" + cast, e.constant));
  } else if (spec.generated_node != nullptr) {
    INDIGO_ASSIGN(const StoredExpression e,
                  store_expression(c, spec.generated_node, ExpressionUse::kGenerated, relation, spec.column.type));
    INDIGO_ASSIGN(const std::string text, expression_text(c, e.tree, relation));
    INDIGO_ASSIGN(values, values_for_rows(c, *relation, "(" + text + ")" + cast, false));
  } else if (sequence != kInvalidOid) {
    INDIGO_ASSIGN(values, values_for_rows(c, *relation, next_value(c, sequence) + cast, false));
  } else if (type->kind == 'd' && !type->default_expr.empty()) {
    INDIGO_ASSIGN(const std::string text, expression_text(c, type->default_expr, nullptr));
    INDIGO_ASSIGN(values, values_for_rows(c, *relation, "(" + text + ")" + cast, false));
  }
  if (spec.column.not_null || (type->kind == 'd' && type->not_null)) {
    const bool has_null =
        values.empty() || std::any_of(values.begin(), values.end(), [](const OwnedDatum& v) { return v.get().null; });
    if (has_null) return null_values(*relation, spec.column.name);
  }
  return values;
}

// Whether rows that are there need not be touched: they lack the column, and its missing value is the same for all.
Result<bool> is_instant(DdlContext& c, const RelationInfo& relation, const ColumnSpec& spec, Oid sequence) {
  if (relation.kind != RelationKind::kTable || sequence != kInvalidOid || spec.generated_node != nullptr) return false;
  const TypePtr type = c.catalog.type(spec.column.type.oid);
  if (type->kind == 'd') return false;  // its checks and default are a statement's
  if (spec.default_node == nullptr) return !spec.default_text;
  INDIGO_ASSIGN(const StoredExpression e,
                store_expression(c, spec.default_node, ExpressionUse::kDefault, nullptr, spec.column.type));
  return e.constant;
}

// Whether PostgreSQL would write the table again for the new column.
Result<bool> needs_rewrite(DdlContext& c, const RelationInfo& relation, const ColumnSpec& spec, Oid sequence) {
  if (relation.kind != RelationKind::kTable) return false;
  if (sequence != kInvalidOid || spec.generated_node != nullptr) return true;
  for (TypePtr type = c.catalog.type(spec.column.type.oid); type->kind == 'd'; type = c.catalog.type(type->base)) {
    if (type->not_null || !type->checks.empty()) return true;
  }
  if (spec.default_node == nullptr) return false;
  INDIGO_ASSIGN(const StoredExpression e,
                store_expression(c, spec.default_node, ExpressionUse::kDefault, nullptr, spec.column.type));
  return !e.constant;
}

// `value`: of all rows that are there; null: none is kept.
Status mark_added(DdlContext& c, Oid relation, int16_t number, const TypeRef& type, const Datum& value) {
  return update_attribute(c, relation, number, [&](RowValues& a) {
    a.i32(pg_attribute::c_attcacheoff, catalog::kAddedColumn);
    if (value.null) return;
    a.flag(pg_attribute::c_atthasmissing, true);
    a.str(pg_attribute::c_attmissingval, make_array(type.oid, value.phys, std::span(&value, 1)));
  });
}

}  // namespace

Status add_column(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  const PgQuery__ColumnDef& d = *cmd.def->column_def;
  const std::string name = truncated_name(d.colname);
  if (relation->find_column(name) != nullptr) {
    const std::string message = column_text(*relation, name) + " already exists";
    if (!cmd.missing_ok) return Error(sqlstate::kDuplicateColumn, message);
    notice(c, message + ", skipping", sqlstate::kDuplicateColumn);
    return {};
  }
  INDIGO_TRY(check_column_name(name));
  INDIGO_ASSIGN(ColumnSpec spec, column_spec(c, d, relation->name));
  for (const PgQuery__Node* node : nodes(relation->is_foreign() ? d.n_constraints : 0, d.constraints))
    INDIGO_TRY(check_foreign_constraint(c, *node->constraint));
  INDIGO_TRY(check_not_in_itself(c, relation->row_type, spec.column.type.oid));
  if (relation->columns.size() >= 1600) return Error(sqlstate::kTooManyColumns, "tables can have at most 1600 columns");
  Oid sequence = kInvalidOid;
  if (spec.serial || spec.identity != nullptr) {
    INDIGO_ASSIGN(sequence, make_serial_sequence(c, relation->is_foreign() ? "ALTER FOREIGN TABLE" : "ALTER TABLE",
                                                 relation->name, spec, relation->schema, relation->persistence));
    if (spec.serial) spec.default_text = next_value(c, sequence);
  }
  const TypePtr type = c.catalog.type(spec.column.type.oid);
  const bool domain_says =
      type->kind == 'd' && (type->not_null || !type->checks.empty() || !type->default_expr.empty());
  const bool has_default = spec.default_node != nullptr &&
                           !(is(spec.default_node, PG_QUERY__NODE__NODE_A_CONST) && spec.default_node->a_const->isnull);
  if (has_default || spec.generated_node != nullptr || spec.default_text || spec.identity != nullptr || domain_says) {
    INDIGO_TRY(check_type_not_stored(c, *relation, relation->row_type));
  }
  std::vector<OwnedDatum> values;
  bool instant = false;
  if (has_rows(c, *relation)) {
    INDIGO_ASSIGN(instant, is_instant(c, *relation, spec, sequence));
    INDIGO_ASSIGN(values, values_of_new_column(c, relation, spec, sequence));
  }
  const auto number = static_cast<int16_t>(relation->columns.size() + 1);
  INDIGO_TRY(insert_attribute(c, relation->oid, number, spec.column));
  INDIGO_TRY(update_class(c, relation->oid, [&](RowValues& v) { v.i16(pg_class::c_relnatts, number); }));
  c.catalog.changed({relation->oid});
  INDIGO_TRY(
      record_dependency(c, {pg_class::kOid, relation->oid, number}, {pg_type::kOid, spec.column.type.oid, 0}, 'n'));
  INDIGO_TRY(record_dependency(c, {pg_class::kOid, relation->oid, number},
                               {pg_collation::kOid, spec.column.type.collation, 0}, 'n'));
  INDIGO_ASSIGN(const bool rewritten, needs_rewrite(c, *relation, spec, sequence));
  if (rewritten) c.host.rewritten(relation->oid, rewrite_reason::kDefault);
  INDIGO_TRY(finish_column(c, current(c, relation->oid), number, spec));
  if (spec.compression != 0) {
    INDIGO_TRY(update_attribute(c, relation->oid, number,
                                [&](RowValues& v) { v.chr(pg_attribute::c_attcompression, spec.compression); }));
  }
  if (sequence != kInvalidOid) {
    INDIGO_TRY(adopt_sequence(c, sequence, relation->oid, number, spec.serial));
  }
  if (instant) {
    const Datum null = Datum::make_null(TypePtr(c.catalog.type(spec.column.type.oid))->phys);
    INDIGO_TRY(mark_added(c, relation->oid, number, spec.column.type, values.empty() ? null : values[0].get()));
  } else if (relation->kind == RelationKind::kTable) {
    const Datum null = Datum::make_null(TypePtr(c.catalog.type(spec.column.type.oid))->phys);
    INDIGO_TRY(rewrite_with_column(c, relation, number, values, null));
  }
  ConstraintTarget target;
  target.relation = relation->oid;
  std::vector<ColumnSpec> columns(1);
  columns[0] = std::move(spec);
  std::vector<const PgQuery__Constraint*> none;
  std::deque<PgQuery__Constraint> renamed;
  merge_equal_keys(columns, none, renamed);
  INDIGO_TRY(add_column_constraints(c, target, columns[0]));
  return change_column_options(c, *current(c, relation->oid), columns[0].column.name, columns[0].foreign_options);
}

Status drop_column(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  const ColumnInfo* column = relation->find_column(cmd.name);
  if (column == nullptr && cmd.missing_ok) {
    notice(c, column_text(*relation, cmd.name) + " does not exist, skipping");
    return {};
  }
  if (column == nullptr && catalog::find_system_column(std::string_view(cmd.name)) != nullptr)
    return Error(sqlstate::kFeatureNotSupported, "cannot drop system column " + quoted(cmd.name));
  INDIGO_ASSIGN(column, column_of(*relation, cmd.name));
  return drop_objects(c, {{pg_class::kOid, relation->oid, column->number}},
                      cmd.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE);
}

Status set_default(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  const bool drop = sql::absent(cmd.def);
  if (column->identity != 0) {
    Error error(sqlstate::kSyntaxError, column_text(*relation, column->name) + " is an identity column");
    if (drop) error.hint = "Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.";
    return error;
  }
  if (column->generated != 0) {
    Error error(sqlstate::kSyntaxError, column_text(*relation, column->name) + " is a generated column");
    if (drop) error.hint = "Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.";
    return error;
  }
  INDIGO_TRY(remove_default_of(c, relation->oid, column->number, drop));
  if (drop) return {};
  ColumnSpec spec;
  spec.column.name = column->name;
  spec.column.type = column->type;
  spec.default_node = cmd.def;
  Status status = finish_column(c, relation, column->number, spec);
  return status.ok() ? Status() : Error(std::move(*status.take_error())).at(0);
}

Status set_not_null(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  if (column->not_null) return {};
  const int16_t number = column->number;
  INDIGO_TRY(check_no_nulls(c, *relation, std::span(&number, 1)));
  return update_attribute(c, relation->oid, number, [](RowValues& a) { a.flag(pg_attribute::c_attnotnull, true); });
}

Status drop_not_null(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  if (column->identity != 0) {
    return Error(sqlstate::kSyntaxError, column_text(*relation, column->name) + " is an identity column");
  }
  for (const ConstraintInfo& k : relation->constraints) {
    if (k.kind == 'p' && std::find(k.columns.begin(), k.columns.end(), column->number) != k.columns.end()) {
      return Error(sqlstate::kInvalidTableDefinition, "column " + quoted(column->name) + " is in a primary key");
    }
  }
  if (!column->not_null) return {};
  return update_attribute(c, relation->oid, column->number,
                          [](RowValues& a) { a.flag(pg_attribute::c_attnotnull, false); });
}

Status drop_expression(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  if (column->generated == 0) {
    const std::string message = column_text(*relation, column->name) + " is not a stored generated column";
    if (!cmd.missing_ok) return Error(sqlstate::kObjectNotInPrerequisiteState, message);
    notice(c, message + ", skipping");
    return {};
  }
  return remove_default_of(c, relation->oid, column->number, true);
}

}  // namespace indigo::engine::ddl
