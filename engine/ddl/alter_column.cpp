// ALTER TABLE's commands on columns.
#include <algorithm>

#include "catalog/array_format.h"
#include "catalog/system_columns.h"
#include "engine/ddl/alter_table.h"
#include "engine/ddl/foreign_key.h"
#include "engine/ddl/remove.h"
#include "engine/ddl/rewrite.h"
#include "sql/analyze/analyzer.h"

namespace indigo::engine::ddl {

Result<const ColumnInfo*> column_of(const RelationInfo& relation, std::string_view name) {
  const ColumnInfo* column = relation.find_column(name);
  if (column == nullptr) {
    if (catalog::find_system_column(name) != nullptr) {
      return Error(sqlstate::kFeatureNotSupported, "cannot alter system column " + quoted(name));
    }
    return Error(sqlstate::kUndefinedColumn,
                 "column " + quoted(name) + " of relation " + quoted(relation.name) + " does not exist");
  }
  return column;
}

namespace {

std::string column_text(const RelationInfo& relation, std::string_view column) {
  return "column " + quoted(column) + " of relation " + quoted(relation.name);
}

// The values of an expression for every row, in the tree's order. The relation is as the catalog says now.
Result<std::vector<OwnedDatum>> values_for_rows(DdlContext& c, const RelationInfo& relation, const std::string& sql,
                                                bool once) {
  std::vector<OwnedDatum> out;
  const std::string query = "SELECT " + sql + (once ? std::string() : " FROM ONLY " + qualified(relation));
  INDIGO_TRY(c.host.run_query(query, [&](const ResultShape&, const Chunk& chunk) -> Status {
    for (uint32_t i = 0; i < chunk.rows(); i++) out.emplace_back(chunk.columns[0].datum(chunk.selection[i]));
    return {};
  }));
  return out;
}

// Copies every old row with column `number` (appended when it is new) set from `values` (one for all, or one for each row).
Status rewrite_with_column(DdlContext& c, const RelationPtr& old, int16_t number, const std::vector<OwnedDatum>& values,
                           const Datum& otherwise) {
  return rewrite_table(c, old, [&](const RowWriter& write) -> Status {
    std::vector<Datum> row(std::max(old->columns.size(), static_cast<size_t>(number)));
    size_t at = 0;
    return for_each_row(c, *old, [&](Bytes, Bytes image) -> Status {
      for (size_t i = 0; i < old->columns.size(); i++) row[i] = old->layout.column(image, i);
      const size_t from = values.size() == 1 ? 0 : at;
      row[static_cast<size_t>(number) - 1] = from < values.size() ? values[from].get() : otherwise;
      at++;
      return write(row);
    });
  });
}

Error null_values(const RelationInfo& relation, std::string_view column) {
  Error error(sqlstate::kNotNullViolation, column_text(relation, column) + " contains null values");
  error.schema = relation.schema_name;
  error.table = relation.name;
  error.column = column;
  return error;
}

Status remove_default_of(DdlContext& c, Oid relation, int16_t number) {
  Oid found = kInvalidOid;
  table(c, pg_attrdef::kOid)
      .scan_index(c.txn, system_index::kAttrdefColumn, {Datum::of_oid(relation), Datum::of(number)},
                  [&](RowReader row) {
                    found = row.oid(pg_attrdef::c_oid);
                    return false;
                  });
  return found == kInvalidOid ? Status() : remove_object(c, {pg_attrdef::kOid, found, 0});
}

// Stored values of the type, or of types made of it, would not be rewritten with the table.
Status check_type_not_stored(DdlContext& c, const RelationInfo& altered, Oid type) {
  std::vector<Oid> types{type};
  if (const auto info = c.catalog.type(type); info && info->array != kInvalidOid)
    types.insert(types.begin(), info->array);
  for (const Oid used : types) {
    for (const Dependent& d : dependents_of(c, {pg_type::kOid, used, 0})) {
      if (d.address.class_id == pg_type::kOid && d.type == 'n') {  // a domain over it
        INDIGO_TRY(check_type_not_stored(c, altered, d.address.object));
      }
      if (d.address.class_id != pg_class::kOid || d.address.sub == 0) continue;
      const RelationPtr other = current(c, d.address.object);
      if (other == nullptr || other->oid == altered.oid) continue;
      if (other->kind == RelationKind::kComposite) {
        INDIGO_TRY(check_type_not_stored(c, altered, other->row_type));
      } else if (other->kind == RelationKind::kTable) {
        const ColumnInfo& column = other->columns[static_cast<size_t>(d.address.sub) - 1];
        const bool is_type = altered.kind == RelationKind::kComposite;
        return Error(sqlstate::kFeatureNotSupported, (is_type ? "cannot alter type " : "cannot alter table ") +
                                                         quoted(altered.name) + " because column " +
                                                         quoted(other->name + "." + column.name) +
                                                         (is_type ? " uses it" : " uses its row type"));
      }
    }
  }
  return {};
}

}  // namespace

Status add_column(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  const PgQuery__ColumnDef& d = *cmd.def->column_def;
  INDIGO_ASSIGN(ColumnSpec spec, column_spec(c, d, relation->name));
  const std::string& name = spec.column.name;
  if (relation->find_column(name) != nullptr) {
    const std::string message = column_text(*relation, name) + " already exists";
    if (!cmd.missing_ok) return Error(sqlstate::kDuplicateColumn, message);
    notice(c, message + ", skipping", sqlstate::kDuplicateColumn);
    return {};
  }
  INDIGO_TRY(check_column_name(name));
  if (relation->columns.size() >= 1600) return Error(sqlstate::kTooManyColumns, "tables can have at most 1600 columns");
  Oid sequence = kInvalidOid;
  if (spec.serial || spec.identity != nullptr) {
    INDIGO_ASSIGN(sequence, make_serial_sequence(c, relation->name, spec, relation->schema, relation->persistence, {}));
    if (spec.serial) spec.default_text = "nextval(" + literal(qualified(*current(c, sequence))) + "::regclass)";
  }
  if (spec.default_node != nullptr || spec.generated_node != nullptr || spec.default_text || spec.identity != nullptr) {
    INDIGO_TRY(check_type_not_stored(c, *relation, relation->row_type));
  }
  // Values for the rows that exist, from the table as it is now.
  std::vector<OwnedDatum> values;
  const bool rows = has_rows(c, *relation);
  const auto type = c.catalog.type(spec.column.type.oid);
  if (rows) {
    const std::string cast = "::" + type_text(c, spec.column.type);
    if (spec.default_node != nullptr) {
      INDIGO_ASSIGN(const StoredExpression e,
                    store_expression(c, spec.default_node, ExpressionUse::kDefault, nullptr, spec.column.type));
      INDIGO_ASSIGN(values, values_for_rows(c, *relation, "(" + e.sql + ")" + cast, e.constant));
    } else if (spec.generated_node != nullptr) {
      INDIGO_ASSIGN(const StoredExpression e,
                    store_expression(c, spec.generated_node, ExpressionUse::kGenerated, relation, spec.column.type));
      INDIGO_ASSIGN(values, values_for_rows(c, *relation, "(" + e.sql + ")" + cast, false));
    } else if (sequence != kInvalidOid) {
      const std::string next = "nextval(" + literal(qualified(*current(c, sequence))) + "::regclass)";
      INDIGO_ASSIGN(values, values_for_rows(c, *relation, next + cast, false));
    } else if (type->kind == 'd' && !type->default_expr.empty()) {
      INDIGO_ASSIGN(values, values_for_rows(c, *relation, "(" + type->default_expr + ")" + cast, false));
    }
    if (spec.column.not_null || (type->kind == 'd' && type->not_null)) {
      const bool has_null =
          values.empty() || std::any_of(values.begin(), values.end(), [](const OwnedDatum& v) { return v.get().null; });
      if (has_null) return null_values(*relation, name);
    }
  }
  const auto number = static_cast<int16_t>(relation->columns.size() + 1);
  INDIGO_TRY(insert_attribute(c, relation->oid, number, spec.column));
  INDIGO_TRY(update_class(c, relation->oid, [&](RowValues& v) { v.i16(pg_class::c_relnatts, number); }));
  c.catalog.changed({relation->oid});
  INDIGO_TRY(
      record_dependency(c, {pg_class::kOid, relation->oid, number}, {pg_type::kOid, spec.column.type.oid, 0}, 'n'));
  INDIGO_TRY(record_dependency(c, {pg_class::kOid, relation->oid, number},
                               {pg_collation::kOid, spec.column.type.collation, 0}, 'n'));
  INDIGO_TRY(finish_column(c, current(c, relation->oid), number, spec));
  if (sequence != kInvalidOid) {
    INDIGO_TRY(adopt_sequence(c, sequence, relation->oid, number, spec.serial));
  }
  if (relation->kind == RelationKind::kTable) {
    INDIGO_TRY(rewrite_with_column(c, relation, number, values, Datum::make_null(type->phys)));
  }
  ConstraintTarget target;
  target.relation = relation->oid;
  return add_column_constraints(c, target, spec);
}

Status drop_column(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  const ColumnInfo* column = relation->find_column(cmd.name);
  if (column == nullptr && cmd.missing_ok) {
    notice(c, column_text(*relation, cmd.name) + " does not exist, skipping");
    return {};
  }
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
  INDIGO_TRY(remove_default_of(c, relation->oid, column->number));
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
  // The column stays as it is; only what its expression needed is forgotten.
  const Address self{pg_class::kOid, relation->oid, column->number};
  for (const Dependent& d : references_of(c, self)) {
    if (d.address.class_id == pg_class::kOid && d.address.object == relation->oid) {
      INDIGO_TRY(remove_dependency(c, self, d.address));
    }
  }
  return remove_default_of(c, relation->oid, column->number);
}

// ---- type

namespace {

bool has_length(Oid type) { return type == oid::kVarchar || type == oid::kBpchar; }
bool is_array_with_length(Oid type) { return type == oid::kVarcharArray || type == oid::kBpcharArray; }

Result<OwnedDatum> fit(const TypeRef& type, const OwnedDatum& value, const std::string& type_name);

Result<OwnedDatum> fit_elements(const TypeRef& element, Str image, const std::string& type_name) {
  const ArrayView array(image);
  std::vector<OwnedDatum> owned;
  std::vector<Datum> elements;
  for (int32_t i = 0; i < array.count(); i++) {
    INDIGO_ASSIGN(OwnedDatum fitting, fit(element, OwnedDatum(array.element(i)), type_name));
    owned.push_back(std::move(fitting));
  }
  for (const OwnedDatum& d : owned) elements.push_back(d.get());
  std::vector<ArrayDimension> dimensions;
  for (int i = 0; i < array.dimensions(); i++) dimensions.push_back(array.dimension(i));
  const std::string made = make_array(array.element_type(), array.element_phys(), dimensions, elements);
  return OwnedDatum(Datum::of(Str(made)));
}

// varchar(n) and char(n), and arrays of them, by assignment: too long is an error unless only blanks are cut.
Result<OwnedDatum> fit(const TypeRef& type, const OwnedDatum& value, const std::string& type_name) {
  const Datum& d = value.get();
  if (d.null || type.typmod < 4) return value;
  if (is_array_with_length(type.oid)) {
    const Oid element = type.oid == oid::kVarcharArray ? oid::kVarchar : oid::kBpchar;
    return fit_elements({element, type.typmod, type.collation}, d.str, type_name);
  }
  if (!has_length(type.oid)) return value;
  const auto limit = static_cast<size_t>(type.typmod - 4);
  size_t characters = 0, cut = d.str.size();
  for (size_t i = 0; i < d.str.size(); i++) {
    if ((static_cast<uint8_t>(d.str[i]) & 0xC0) == 0x80) continue;
    if (characters == limit) {
      cut = i;
      break;
    }
    characters++;
  }
  if (cut < d.str.size()) {
    if (d.str.substr(cut).find_first_not_of(' ') != Str::npos) {
      return Error(sqlstate::kStringDataRightTruncation, "value too long for type " + type_name);
    }
    return OwnedDatum(Datum::of(d.str.substr(0, cut)));
  }
  if (type.oid == oid::kVarchar) return value;
  std::string padded(d.str);
  padded.append(limit - characters, ' ');
  return OwnedDatum(Datum::of(Str(padded)));
}

Status check_type_change(DdlContext& c, const RelationPtr& relation, const ColumnInfo& column) {
  for (const Dependent& d : dependents_of(c, {pg_class::kOid, relation->oid, column.number})) {
    if (d.address.class_id == pg_rewrite::kOid) {
      return Error(sqlstate::kFeatureNotSupported, "cannot alter type of a column used by a view or rule")
          .with_detail(describe(c, d.address) + " depends on column " + quoted(column.name));
    }
    const auto& columns = relation->columns;
    const auto owner = static_cast<size_t>(d.address.sub);
    if (d.address.class_id != pg_class::kOid || d.address.object != relation->oid || owner == 0 ||
        owner > columns.size() || columns[owner - 1].generated == 0) {
      continue;
    }
    return Error(sqlstate::kFeatureNotSupported, "cannot alter type of a column used by a generated column")
        .with_detail("Column " + quoted(column.name) + " is used by generated column " +
                     quoted(columns[owner - 1].name) + ".");
  }
  return {};
}

// The columns of indexes over the column follow its type.
Status retype_indexes(DdlContext& c, const RelationPtr& relation, int16_t number, const TypeRef& column_type) {
  auto changed = std::make_shared<RelationInfo>(*relation);
  changed->columns[static_cast<size_t>(number) - 1].type = column_type;
  for (const IndexInfo& index : relation->indexes) {
    for (size_t i = 0; i < index.columns.size(); i++) {
      TypeRef type = column_type;
      if (index.columns[i].column == 0) {
        INDIGO_ASSIGN(const sql::ExprPtr e,
                      sql::analyze_expression(c.host.session(), index.columns[i].expression, changed, TypeRef{}));
        type = e->type;
        if (type == index.columns[i].type) continue;
      } else if (index.columns[i].column != number) {
        continue;
      }
      const Oid opclass = c.catalog.default_opclass(type.oid);
      if (opclass == kInvalidOid) {
        return Error(sqlstate::kUndefinedObject, "data type " + type_text(c, {type.oid, -1, kInvalidOid}) +
                                                     " has no default operator class for access method \"btree\"");
      }
      const auto info = c.catalog.type(type.oid);
      INDIGO_TRY(update_attribute(c, index.oid, static_cast<int16_t>(i + 1), [&](RowValues& a) {
        a.oid(pg_attribute::c_atttypid, type.oid)
            .i32(pg_attribute::c_atttypmod, type.typmod)
            .oid(pg_attribute::c_attcollation, type.collation)
            .i16(pg_attribute::c_attlen, info->length)
            .flag(pg_attribute::c_attbyval, info->by_value);
      }));
      INDIGO_TRY(update_row(c, pg_index::kOid, {Datum::of_oid(index.oid)}, [&](RowValues& v) {
        auto classes = catalog::read_oids(v.get(pg_index::c_indclass).str);
        auto collations = catalog::read_oids(v.get(pg_index::c_indcollation).str);
        classes[i] = opclass;
        collations[i] = type.collation;
        v.oid_vector(pg_index::c_indclass, classes).oid_vector(pg_index::c_indcollation, collations);
      }));
    }
  }
  return {};
}

}  // namespace

namespace {

Oid identity_sequence(DdlContext& c, Oid relation, int16_t number) {
  for (const Dependent& d : dependents_of(c, {pg_class::kOid, relation, number})) {
    if (d.type == 'i' && d.address.class_id == pg_class::kOid) return d.address.object;
  }
  return kInvalidOid;
}

// An identity column's sequence goes with its type.
Status retype_identity(DdlContext& c, Oid relation, const ColumnInfo& column, Oid type) {
  const Oid sequence = column.identity != 0 ? identity_sequence(c, relation, column.number) : kInvalidOid;
  return sequence == kInvalidOid ? Status() : alter_sequence_type(c, current(c, sequence), type);
}

}  // namespace

Status alter_column_type(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  const PgQuery__ColumnDef& d = *cmd.def->column_def;
  INDIGO_ASSIGN(const ColumnInfo* found, column_of(*relation, cmd.name));
  const ColumnInfo column = *found;
  auto resolved = resolve_type(c, d.type_name);
  if (!resolved.ok()) return Error(std::move(*resolved.take_error())).at(0);
  TypeRef type = *resolved;
  const auto info = c.catalog.type(type.oid);
  if (info->kind == 'p') {
    return Error(sqlstate::kInvalidTableDefinition,
                 "column " + quoted(column.name) + " has pseudo-type " + type_text(c, {type.oid, -1, kInvalidOid}));
  }
  if (d.coll_clause != nullptr) {
    INDIGO_ASSIGN(type.collation, resolve_collation(c, nodes(d.coll_clause->n_collname, d.coll_clause->collname),
                                                    d.coll_clause->location));
  }
  INDIGO_TRY(check_type_change(c, relation, column));
  INDIGO_TRY(check_type_not_stored(c, *relation, relation->row_type));
  if (column.identity != 0 && type.oid != oid::kInt2 && type.oid != oid::kInt4 && type.oid != oid::kInt8) {
    return Error(sqlstate::kInvalidParameterValue, "identity column type must be smallint, integer, or bigint");
  }
  const std::string type_name = type_text(c, {type.oid, -1, kInvalidOid});
  std::string expression;
  if (!sql::absent(d.raw_default) && column.generated != 0) {
    return Error(SqlState("42611"), "cannot specify USING when altering type of generated column")
        .with_detail("Column " + quoted(column.name) + " is a generated column.");
  }
  if (!sql::absent(d.raw_default)) {
    INDIGO_ASSIGN(const StoredExpression e, store_expression(c, d.raw_default, ExpressionUse::kUsing, relation, {}));
    expression = "CAST((" + e.sql + ") AS " + type_name + ")";
  } else {
    if (column.generated != 0) expression = *column.default_expr;
    const catalog::CastInfo* cast = c.catalog.cast(column.type.oid, type.oid);
    const auto from = c.catalog.type(column.type.oid);
    const Oid from_base = from->kind == 'd' ? from->base : from->oid,
              to_base = info->kind == 'd' ? info->base : info->oid;
    const bool castable = from_base == to_base ||
                          (cast != nullptr && cast->context != catalog::CastContext::kExplicit) ||
                          info->category == 'S' || (from->is_array() && info->is_array());
    if (!castable) {
      return Error(sqlstate::kDatatypeMismatch,
                   "column " + quoted(column.name) + " cannot be cast automatically to type " + type_name)
          .with_hint("You might need to specify \"USING " + identifier(column.name) + "::" + type_name + "\".");
    }
    expression =
        "CAST(" + (expression.empty() ? identifier(column.name) : "(" + expression + ")") + " AS " + type_name + ")";
  }
  if (column.default_expr && column.generated == 0 && column.identity == 0 &&
      !sql::analyze_expression(c.host.session(), *column.default_expr, nullptr, type).ok()) {
    return Error(sqlstate::kDatatypeMismatch,
                 "default for column " + quoted(column.name) + " cannot be cast automatically to type " + type_name);
  }
  // Modifiers of strings are applied below, strictly; all others by the cast.
  if (type.typmod >= 0 && !has_length(type.oid) && !is_array_with_length(type.oid)) {
    expression = "CAST(" + expression + " AS " + type_text(c, type) + ")";
  }
  std::vector<OwnedDatum> values;
  if (relation->kind == RelationKind::kTable && has_rows(c, *relation)) {
    INDIGO_ASSIGN(values, values_for_rows(c, *relation, expression, false));
    // The error names the type of one value.
    const auto of_one = is_array_with_length(type.oid) ? TypeRef{info->element, type.typmod, kInvalidOid} : type;
    const std::string value_type = type_text(c, of_one);
    for (OwnedDatum& value : values) {
      INDIGO_ASSIGN(value, fit(type, value, value_type));
      if (value.get().null && column.not_null) return null_values(*relation, column.name);
    }
    // A single value would stand for all rows.
    if (values.size() == 1) values.push_back(values.front());
  }
  INDIGO_TRY(update_attribute(c, relation->oid, column.number, [&](RowValues& a) {
    a.oid(pg_attribute::c_atttypid, type.oid)
        .i32(pg_attribute::c_atttypmod, type.typmod)
        .oid(pg_attribute::c_attcollation, type.collation)
        .i16(pg_attribute::c_attlen, info->length)
        .i32(pg_attribute::c_attndims, static_cast<int32_t>(d.type_name->n_array_bounds))
        .flag(pg_attribute::c_attbyval, info->by_value)
        .chr(pg_attribute::c_attalign, info->alignment)
        .chr(pg_attribute::c_attstorage, info->storage);
  }));
  INDIGO_TRY(change_dependency(c, {pg_class::kOid, relation->oid, column.number}, {pg_type::kOid, column.type.oid, 0},
                               {pg_type::kOid, type.oid, 0}));
  if (column.type.oid < oid::kFirstUserOid && type.oid >= oid::kFirstUserOid) {  // nothing to change
    INDIGO_TRY(record_dependency(c, {pg_class::kOid, relation->oid, column.number}, {pg_type::kOid, type.oid, 0}, 'n'));
  }
  INDIGO_TRY(retype_indexes(c, relation, column.number, type));
  std::vector<std::string> statistics;
  SystemTable& stats = table(c, pg_statistic::kOid);
  stats.scan(c.txn, {Datum::of_oid(relation->oid), Datum::of(column.number)}, [&](RowReader row) {
    std::vector<Datum> key;
    for (int i = 0; i < stats.definition().column_count; i++) key.push_back(row.datum(i));
    statistics.push_back(stats.key_of(key));
    return true;
  });
  for (const std::string& key : statistics) INDIGO_TRY(check_erased(stats.erase_key(c.txn, key)));
  c.catalog.changed({relation->oid});
  if (relation->kind == RelationKind::kTable) {
    INDIGO_TRY(rewrite_with_column(c, relation, column.number, values, Datum::make_null(info->phys)));
  }
  // What was true of the old values must be true of the new ones.
  const RelationPtr now = current(c, relation->oid);
  for (const ConstraintInfo& k : now->constraints) {
    if (std::find(k.columns.begin(), k.columns.end(), column.number) == k.columns.end()) continue;
    if (k.kind == 'c' && k.validated) INDIGO_TRY(validate_check(c, *now, k.name, k.expression));
    if (k.kind == 'f') INDIGO_TRY(check_foreign_key_types(c, *now, k));
    if (k.kind == 'f' && k.validated) INDIGO_TRY(validate_foreign_key(c, *now, k));
  }
  for (size_t i = 0; i < now->referenced_by.size(); i++) {
    const ConstraintInfo& k = now->referenced_by[i];
    if (std::find(k.foreign_columns.begin(), k.foreign_columns.end(), column.number) == k.foreign_columns.end())
      continue;
    INDIGO_TRY(check_foreign_key_types(c, *current(c, now->referencing_relations[i]), k));
  }
  return retype_identity(c, relation->oid, column, type.oid);
}

// ---- identity

Status add_identity(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  const PgQuery__Constraint* k = cmd.def->constraint;
  const std::string where = column_text(*relation, column->name);
  const Oid t = column->type.oid;
  if (t != oid::kInt2 && t != oid::kInt4 && t != oid::kInt8) {
    return Error(sqlstate::kInvalidParameterValue, "identity column type must be smallint, integer, or bigint");
  }
  if (!column->not_null) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 where + " must be declared NOT NULL before identity can be added");
  }
  if (column->identity != 0)
    return Error(sqlstate::kObjectNotInPrerequisiteState, where + " is already an identity column");
  if (column->default_expr)
    return Error(sqlstate::kObjectNotInPrerequisiteState, where + " already has a default value");
  ColumnSpec spec;
  spec.column.name = column->name;
  spec.column.type = column->type;
  spec.identity = k;
  INDIGO_ASSIGN(const Oid sequence,
                make_serial_sequence(c, relation->name, spec, relation->schema, relation->persistence, {}));
  INDIGO_TRY(adopt_sequence(c, sequence, relation->oid, column->number, false));
  return update_attribute(c, relation->oid, column->number,
                          [&](RowValues& a) { a.chr(pg_attribute::c_attidentity, k->generated_when[0]); });
}

Status set_identity(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  if (column->identity == 0) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 column_text(*relation, column->name) + " is not an identity column");
  }
  const PgQuery__List* options = cmd.def->list;
  std::vector<PgQuery__Node*> sequence_options;
  for (PgQuery__Node* node : nodes(options->n_items, options->items)) {
    const PgQuery__DefElem* e = node->def_elem;
    if (std::string_view(e->defname) != "generated") {
      sequence_options.push_back(node);
      continue;
    }
    const char kind = static_cast<char>(integer_value(e->arg).value_or('d'));
    INDIGO_TRY(update_attribute(c, relation->oid, column->number,
                                [&](RowValues& a) { a.chr(pg_attribute::c_attidentity, kind); }));
  }
  if (sequence_options.empty()) return {};
  const Oid sequence = identity_sequence(c, relation->oid, column->number);
  if (sequence == kInvalidOid) return Error(sqlstate::kInternalError, "no owned sequence found");
  return alter_sequence(c, current(c, sequence), nodes(sequence_options.size(), sequence_options.data()));
}

Status drop_identity(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  if (column->identity == 0) {
    const std::string message = column_text(*relation, column->name) + " is not an identity column";
    if (!cmd.missing_ok) return Error(sqlstate::kObjectNotInPrerequisiteState, message);
    notice(c, message + ", skipping");
    return {};
  }
  INDIGO_TRY(update_attribute(c, relation->oid, column->number,
                              [](RowValues& a) { a.chr(pg_attribute::c_attidentity, '\0'); }));
  const Oid sequence = identity_sequence(c, relation->oid, column->number);
  if (sequence == kInvalidOid) return {};
  INDIGO_TRY(remove_dependencies_of(c, {pg_class::kOid, sequence, 0}));
  return drop_objects(c, {{pg_class::kOid, sequence, 0}}, false);
}

}  // namespace indigo::engine::ddl
