// ALTER TABLE ... ALTER COLUMN ... TYPE.
#include <algorithm>

#include "base/utf8.h"
#include "catalog/descriptor/foreign_key_info.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/analyze/extended_statistics.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/table/column_values.h"
#include "engine/ddl/table/exclusion.h"
#include "engine/ddl/table/foreign_key.h"
#include "engine/ddl/table/identity_column.h"
#include "engine/ddl/table/kept_values.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/type_names.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/type/coerce.h"
#include "types/builtin/function_text.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

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
  const int limit = type.typmod - 4;
  const size_t cut = utf8_offset(d.str, limit);
  if (cut < d.str.size()) {
    if (d.str.substr(cut).find_first_not_of(' ') != Str::npos) {
      return Error(sqlstate::kStringDataRightTruncation, "value too long for type " + type_name);
    }
    return OwnedDatum(Datum::of(d.str.substr(0, cut)));
  }
  if (type.oid == oid::kVarchar) return value;
  std::string padded(d.str);
  padded.append(static_cast<size_t>(limit - utf8_count(d.str)), ' ');
  return OwnedDatum(Datum::of(Str(padded)));
}

const ColumnInfo* column_with_default(DdlContext& c, Oid expression, const RelationInfo& relation) {
  const SystemTable& defaults = table(c, pg_attrdef::kOid);
  std::string image;
  if (!defaults.find_oid(c.txn, expression, image)) return nullptr;
  const RowReader row = defaults.reader(image);
  const auto number = static_cast<size_t>(row.i16(pg_attrdef::c_adnum));
  if (row.oid(pg_attrdef::c_adrelid) != relation.oid || number > relation.columns.size()) return nullptr;
  return &relation.columns[number - 1];
}

Status check_type_change(DdlContext& c, const RelationPtr& relation, const ColumnInfo& column) {
  for (const Dependent& d : dependents_of(c, {pg_class::kOid, relation->oid, column.number})) {
    if (d.address.class_id == pg_rewrite::kOid) {
      return Error(sqlstate::kFeatureNotSupported, "cannot alter type of a column used by a view or rule")
          .with_detail(describe(c, d.address) + " depends on column " + quoted(column.name));
    }
    if (d.address.class_id == catalog::pg_policy::kOid) {
      return Error(sqlstate::kFeatureNotSupported, "cannot alter type of a column used in a policy definition")
          .with_detail(describe(c, d.address) + " depends on column " + quoted(column.name));
    }
    if (d.address.class_id == catalog::pg_publication_rel::kOid) {
      return Error(sqlstate::kFeatureNotSupported, "cannot alter type of a column used by a publication WHERE clause")
          .with_detail(describe(c, d.address) + " depends on column " + quoted(column.name));
    }
    const ColumnInfo* owner =
        d.address.class_id == pg_attrdef::kOid ? column_with_default(c, d.address.object, *relation) : nullptr;
    if (owner == nullptr || owner->generated == 0 || owner->number == column.number) continue;
    return Error(sqlstate::kFeatureNotSupported, "cannot alter type of a column used by a generated column")
        .with_detail("Column " + quoted(column.name) + " is used by generated column " + quoted(owner->name) + ".");
  }
  return {};
}

// Who keeps an expression forgets what it needed but its columns and its owner.
Status forget_references(DdlContext& c, const Address& self) {
  for (const Dependent& d : references_of(c, self)) {
    if (d.type == 'n' && d.address.class_id != pg_class::kOid) INDIGO_TRY(remove_dependency(c, self, d.address));
  }
  return {};
}

// What names the column is analyzed again with the column's new type.
Result<StoredExpression> rebuilt(DdlContext& c, const std::string& stored, ExpressionUse use, const RelationPtr& before,
                                 const RelationPtr& after, const TypeRef& target) {
  INDIGO_ASSIGN(const std::string text, expression_text(c, stored, before));
  return store_expression(c, text, use, after, target);
}

constexpr TypeRef kCondition{oid::kBool, -1, kInvalidOid};

Status rebuild_checks(DdlContext& c, const RelationPtr& before, const RelationPtr& after, int16_t number) {
  for (const ConstraintInfo& k : before->constraints) {
    if (k.kind != 'c' || std::find(k.columns.begin(), k.columns.end(), number) == k.columns.end()) continue;
    INDIGO_ASSIGN(const StoredExpression e, rebuilt(c, k.expression, ExpressionUse::kCheck, before, after, kCondition));
    INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(k.oid)},
                          [&](RowValues& v) { v.str(pg_constraint::c_conbin, e.tree); }));
    const Address self{pg_constraint::kOid, k.oid, 0};
    INDIGO_TRY(forget_references(c, self));
    INDIGO_TRY(record_expression(c, self, e, after->oid, 'a'));
  }
  return {};
}

// Expressions of extended statistics; what was found of the column's values is true no more.
Status rebuild_statistics(DdlContext& c, const RelationPtr& before, const RelationPtr& after, int16_t number) {
  namespace pg_statistic_ext = catalog::pg_statistic_ext;
  struct Kept {
    Oid oid;
    std::string trees;
    bool about_column;
  };
  std::vector<Kept> kept;
  table(c, pg_statistic_ext::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.oid(pg_statistic_ext::c_stxrelid) != after->oid) return true;
    const auto keys = read_i16s(row.str(pg_statistic_ext::c_stxkeys));
    kept.push_back({row.oid(pg_statistic_ext::c_oid), std::string(row.str(pg_statistic_ext::c_stxexprs)),
                    std::find(keys.begin(), keys.end(), number) != keys.end()});
    return true;
  });
  for (const auto& [oid, stored, about_column] : kept) {
    const Address self{pg_statistic_ext::kOid, oid, 0};
    std::string trees;
    bool changes = about_column;
    for (const std::string& tree : types::split_default_texts(stored)) {
      INDIGO_ASSIGN(const StoredExpression e,
                    rebuilt(c, tree, ExpressionUse::kStatistics, before, after, TypeRef{kInvalidOid, -1, kInvalidOid}));
      trees += (trees.empty() ? "" : ", ") + e.tree;
      changes |= std::find(e.columns.begin(), e.columns.end(), number) != e.columns.end();
      INDIGO_TRY(record_expression(c, self, e, after->oid, 'a'));
    }
    if (changes) INDIGO_TRY(forget_gathered(c, oid));
    if (trees.empty()) continue;
    INDIGO_TRY(update_row(c, pg_statistic_ext::kOid, {Datum::of_oid(oid)},
                          [&](RowValues& v) { v.str(pg_statistic_ext::c_stxexprs, trees); }));
  }
  return {};
}

// The column's default as an assignment to the new type; the one to the old type is not part of what is printed.
Result<StoredExpression> default_in(DdlContext& c, const ColumnInfo& column, const TypeRef& type) {
  INDIGO_ASSIGN(const std::string text, expression_text(c, *column.default_expr, nullptr));
  return store_expression(c, text, ExpressionUse::kDefault, nullptr, type);
}

Status rebuild_default(DdlContext& c, const RelationPtr& before, const ColumnInfo& column, const TypeRef& type) {
  if (!column.default_expr || column.identity != 0) return {};
  const bool generated = column.generated != 0;
  Result<StoredExpression> e = generated
                                   ? rebuilt(c, *column.default_expr, ExpressionUse::kGenerated, before, before, type)
                                   : default_in(c, column, type);
  if (!e.ok()) return e.take_error();
  Oid row = kInvalidOid;
  table(c, pg_attrdef::kOid)
      .scan_index(c.txn, system_index::kAttrdefColumn, {Datum::of_oid(before->oid), Datum::of(column.number)},
                  [&](RowReader r) {
                    row = r.oid(pg_attrdef::c_oid);
                    return false;
                  });
  if (row == kInvalidOid) return {};
  INDIGO_TRY(update_row(c, pg_attrdef::kOid, {Datum::of_oid(row)},
                        [&](RowValues& v) { v.str(pg_attrdef::c_adbin, e->tree); }));
  const Address self{pg_attrdef::kOid, row, 0};
  INDIGO_TRY(forget_references(c, self));
  return record_expression(c, self, *e, before->oid, generated ? 'n' : 'a');
}

// Keys and predicates of the index that are computed; answers the types of the keys (of columns: not set).
Result<std::vector<TypeRef>> rebuild_index_expressions(DdlContext& c, const RelationPtr& before,
                                                       const RelationPtr& after, const IndexInfo& index) {
  std::vector<TypeRef> types(index.columns.size());
  std::vector<StoredExpression> all;
  std::string keys, predicate;
  for (size_t i = 0; i < index.columns.size(); i++) {
    if (index.columns[i].column != 0) continue;
    INDIGO_ASSIGN(StoredExpression e,
                  rebuilt(c, index.columns[i].expression, ExpressionUse::kIndex, before, after, TypeRef{}));
    types[i] = e.type;
    keys += (keys.empty() ? "" : ", ") + e.tree;
    all.push_back(std::move(e));
  }
  if (!index.predicate.empty()) {
    INDIGO_ASSIGN(StoredExpression e,
                  rebuilt(c, index.predicate, ExpressionUse::kIndexPredicate, before, after, kCondition));
    predicate = e.tree;
    all.push_back(std::move(e));
  }
  if (all.empty()) return types;
  INDIGO_TRY(update_row(c, pg_index::kOid, {Datum::of_oid(index.oid)}, [&](RowValues& v) {
    if (!keys.empty()) v.str(pg_index::c_indexprs, keys);
    if (!predicate.empty()) v.str(pg_index::c_indpred, predicate);
  }));
  const Address self{pg_class::kOid, index.oid, 0};
  INDIGO_TRY(forget_references(c, self));
  for (const StoredExpression& e : all) INDIGO_TRY(record_expression(c, self, e, after->oid, 'a'));
  return types;
}

// The columns of indexes over the column follow its type, and so do checks.
Status retype_dependents(DdlContext& c, const RelationPtr& relation, int16_t number, const TypeRef& column_type) {
  auto changed = std::make_shared<RelationInfo>(*relation);
  changed->columns[static_cast<size_t>(number) - 1].type = column_type;
  INDIGO_TRY(rebuild_checks(c, relation, changed, number));
  INDIGO_TRY(rebuild_statistics(c, relation, changed, number));
  for (const IndexInfo& index : relation->indexes) {
    INDIGO_ASSIGN(const std::vector<TypeRef> computed, rebuild_index_expressions(c, relation, changed, index));
    for (size_t i = 0; i < index.columns.size(); i++) {
      TypeRef type = column_type;
      if (index.columns[i].column == 0) {
        type = computed[i];
        if (type == index.columns[i].type) continue;
      } else if (index.columns[i].column != number) {
        continue;
      }
      INDIGO_ASSIGN(const Oid opclass, retyped_class(c, *catalog::access_method(index.method), index.columns[i].opclass,
                                                     index.columns[i].type.oid, type.oid));
      const TypePtr info = c.catalog.type(type.oid);
      INDIGO_TRY(update_attribute(c, index.oid, static_cast<int16_t>(i + 1), [&](RowValues& a) {
        a.oid(pg_attribute::c_atttypid, type.oid)
            .i32(pg_attribute::c_atttypmod, type.typmod)
            .oid(pg_attribute::c_attcollation, type.collation)
            .i16(pg_attribute::c_attlen, info->length)
            .flag(pg_attribute::c_attbyval, info->by_value);
      }));
      INDIGO_TRY(update_row(c, pg_index::kOid, {Datum::of_oid(index.oid)}, [&](RowValues& v) {
        auto classes = read_oids(v.get(pg_index::c_indclass).str);
        auto collations = read_oids(v.get(pg_index::c_indcollation).str);
        classes[i] = opclass;
        collations[i] = type.collation;
        v.oid_vector(pg_index::c_indclass, classes).oid_vector(pg_index::c_indcollation, collations);
      }));
    }
  }
  return {};
}

// The type that is asked for, collation included.
Result<TypeRef> wanted_type(DdlContext& c, const PgQuery__ColumnDef& d, const ColumnInfo& column) {
  auto resolved = usable_type(c, d.type_name);
  if (!resolved.ok()) return Error(std::move(*resolved.take_error())).at(0);
  TypeRef type = *resolved;
  if (TypePtr(c.catalog.type(type.oid))->kind == 'p') {
    return Error(sqlstate::kInvalidTableDefinition,
                 "column " + quoted(column.name) + " has pseudo-type " + type_text(c, {type.oid, -1, kInvalidOid}));
  }
  if (d.coll_clause != nullptr) {
    INDIGO_ASSIGN(type.collation, resolve_collation(c, nodes(d.coll_clause->n_collname, d.coll_clause->collname),
                                                    d.coll_clause->location));
  }
  return type;
}

// The new values as an expression over the table as it is: of USING, of a generated column, or of the column itself.
Result<std::string> new_values_text(DdlContext& c, const RelationPtr& relation, const ColumnInfo& column,
                                    const PgQuery__ColumnDef& d, const TypeRef& type) {
  const std::string type_name = type_text(c, {type.oid, -1, kInvalidOid});
  std::string expression = identifier(column.name);
  if (!sql::absent(d.raw_default)) {
    if (column.generated != 0) {
      return Error(SqlState("42611"), "cannot specify USING when altering type of generated column")
          .with_detail("Column " + quoted(column.name) + " is a generated column.");
    }
    INDIGO_ASSIGN(const StoredExpression e, store_expression(c, d.raw_default, ExpressionUse::kUsing, relation, {}));
    INDIGO_ASSIGN(const std::string text, expression_text(c, e.tree, relation));
    expression = "(" + text + ")";
  } else {
    if (!sql::can_coerce(c.catalog, column.type.oid, type.oid, sql::Coercion::kAssignment)) {
      return Error(sqlstate::kDatatypeMismatch,
                   "column " + quoted(column.name) + " cannot be cast automatically to type " + type_name)
          .with_hint("You might need to specify \"USING " + identifier(column.name) + "::" + type_name + "\".");
    }
    if (column.generated != 0) {
      INDIGO_ASSIGN(const std::string text, expression_text(c, *column.default_expr, relation));
      expression = "(" + text + ")";
    }
  }
  if (column.default_expr && column.generated == 0 && column.identity == 0 && !default_in(c, column, type).ok()) {
    return Error(sqlstate::kDatatypeMismatch,
                 "default for column " + quoted(column.name) + " cannot be cast automatically to type " + type_name);
  }
  expression = "CAST(" + expression + " AS " + type_in_sql(c, {type.oid, -1, kInvalidOid}) + ")";
  // Modifiers of strings are applied to the values, strictly; all others by the cast.
  if (type.typmod >= 0 && !has_length(type.oid) && !is_array_with_length(type.oid)) {
    expression = "CAST(" + expression + " AS " + type_in_sql(c, type) + ")";
  }
  return expression;
}

Result<std::vector<OwnedDatum>> new_values(DdlContext& c, const RelationInfo& relation, const TypeRef& type,
                                           const std::string& expression) {
  std::vector<OwnedDatum> values;
  if (relation.kind != RelationKind::kTable || !has_rows(c, relation)) return values;
  INDIGO_ASSIGN(values, values_for_rows(c, relation, expression, false));
  // The error names the type of one value.
  const Oid element = TypePtr(c.catalog.type(type.oid))->element;
  const std::string value_type =
      type_text(c, is_array_with_length(type.oid) ? TypeRef{element, type.typmod, kInvalidOid} : type);
  for (OwnedDatum& value : values) {
    INDIGO_ASSIGN(value, fit(type, value, value_type));
  }
  // A single value would stand for all rows.
  if (values.size() == 1) values.push_back(values.front());
  return values;
}

Status retype_attribute(DdlContext& c, Oid relation, const ColumnInfo& column, const TypeRef& type, int dimensions) {
  const TypePtr info = c.catalog.type(type.oid);
  INDIGO_TRY(update_attribute(c, relation, column.number, [&](RowValues& a) {
    a.oid(pg_attribute::c_atttypid, type.oid)
        .i32(pg_attribute::c_atttypmod, type.typmod)
        .oid(pg_attribute::c_attcollation, type.collation)
        .i16(pg_attribute::c_attlen, info->length)
        .i32(pg_attribute::c_attndims, dimensions)
        .flag(pg_attribute::c_attbyval, info->by_value)
        .chr(pg_attribute::c_attalign, info->alignment)
        .chr(pg_attribute::c_attstorage, info->storage);
  }));
  const Address self{pg_class::kOid, relation, column.number};
  INDIGO_TRY(change_dependency(c, self, {pg_type::kOid, column.type.oid, 0}, {pg_type::kOid, type.oid, 0}));
  if (column.type.oid >= oid::kFirstUserOid || type.oid < oid::kFirstUserOid) return {};
  return record_dependency(c, self, {pg_type::kOid, type.oid, 0}, 'n');  // there was none to change
}

Status forget_statistics(DdlContext& c, Oid relation, int16_t column) {
  std::vector<std::string> keys;
  SystemTable& stats = table(c, pg_statistic::kOid);
  stats.scan(c.txn, {Datum::of_oid(relation), Datum::of(column)}, [&](RowReader row) {
    std::vector<Datum> key;
    for (int i = 0; i < stats.definition().column_count; i++) key.push_back(row.datum(i));
    keys.push_back(stats.key_of(key));
    return true;
  });
  for (const std::string& key : keys) INDIGO_TRY(check_erased(stats.erase_key(c.txn, key)));
  return {};
}

// What was true of the old values must be true of the new ones.
Status validate_constraints(DdlContext& c, const RelationInfo& now, int16_t column) {
  const auto names = [&](const std::vector<int16_t>& columns) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  for (const ConstraintInfo& k : now.constraints) {
    if (!names(k.columns)) continue;
    if (k.kind == 'c' && k.validated) INDIGO_TRY(validate_check(c, now, k.name, k.expression));
    if (k.kind == 'f') INDIGO_TRY(check_foreign_key_types(c, now, k));
    // Of a partitioned table's rows, each is in one partition: the constraint above looks at them all.
    const bool checks_rows = k.validated && !catalog::is_reference_to_partition(now, k);
    if (k.kind == 'f' && checks_rows) INDIGO_TRY(validate_foreign_key(c, now, k));
    if (k.kind == 'x') INDIGO_TRY(validate_exclusion(c, now, k));
  }
  for (size_t i = 0; i < now.referenced_by.size(); i++) {
    const ConstraintInfo& k = now.referenced_by[i];
    if (!names(k.foreign_columns)) continue;
    INDIGO_TRY(check_foreign_key_types(c, *current(c, now.referencing_relations[i]), k));
  }
  return {};
}

bool drops_or_retypes(const PgQuery__AlterTableCmd& cmd) {
  return cmd.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn ||
         cmd.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType;
}

bool has_using(const PgQuery__AlterTableCmd& cmd) {
  return cmd.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType &&
         !sql::absent(cmd.def->column_def->raw_default);
}

// The columns that commands other than `cmd` drop or give another type.
std::vector<int16_t> columns_of_others(const RelationInfo& relation, const PgQuery__AlterTableCmd& cmd,
                                       std::span<const PgQuery__AlterTableCmd* const> commands) {
  std::vector<int16_t> out;
  for (const PgQuery__AlterTableCmd* other : commands) {
    if (other == &cmd || !drops_or_retypes(*other)) continue;
    if (const ColumnInfo* column = relation.find_column(other->name)) out.push_back(column->number);
  }
  return out;
}

Status compute_using(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd,
                     std::span<const int16_t> changing, UsingValues& out) {
  const ColumnInfo* column = relation->find_column(cmd.name);
  if (column == nullptr || changing.empty() || relation->kind != RelationKind::kTable) return {};
  const PgQuery__ColumnDef& d = *cmd.def->column_def;
  INDIGO_ASSIGN(const StoredExpression e, store_expression(c, d.raw_default, ExpressionUse::kUsing, relation, {}));
  if (std::find_first_of(e.columns.begin(), e.columns.end(), changing.begin(), changing.end()) == e.columns.end())
    return {};
  INDIGO_ASSIGN(const TypeRef type, wanted_type(c, d, *column));
  INDIGO_ASSIGN(const std::string expression, new_values_text(c, relation, *column, d, type));
  INDIGO_ASSIGN(out.values[std::pair(relation->oid, column->name)], new_values(c, *relation, type, expression));
  return {};
}

}  // namespace

Result<UsingValues> using_values(DdlContext& c, const RelationPtr& relation,
                                 std::span<const PgQuery__AlterTableCmd* const> commands, bool recurse) {
  UsingValues out;
  const auto changes =
      std::count_if(commands.begin(), commands.end(), [](const auto* cmd) { return drops_or_retypes(*cmd); });
  if (changes < 2 || std::none_of(commands.begin(), commands.end(), [](const auto* cmd) { return has_using(*cmd); }))
    return out;
  std::vector<Oid> tables{relation->oid};
  if (recurse) {
    INDIGO_ASSIGN(tables, with_descendants(c, relation->oid, TableLockMode::kAccessExclusive));
  }
  for (const Oid oid : tables) {
    const RelationPtr one = current(c, oid);
    if (one == nullptr) continue;
    int of_key = 0;
    for (const PgQuery__AlterTableCmd* cmd : commands) {
      if (!has_using(*cmd)) continue;
      INDIGO_TRY(compute_using(c, one, *cmd, columns_of_others(*one, *cmd, commands), out));
      const ColumnInfo* column = one->find_column(cmd->name);
      if (column == nullptr || !out.values.contains(std::pair(oid, column->name))) continue;
      // A key's new values give the rows another order, and those of the next one were computed in the old one.
      const auto& key = one->key_columns;
      if (std::find(key.begin(), key.end(), column->number) == key.end()) continue;
      out.of_keys.insert(column->name);
      if (++of_key > 1)
        return unsupported("ALTER TABLE of the types of several columns of a primary key by each other");
    }
  }
  return out;
}

Status alter_column_type(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd,
                         const UsingValues& computed) {
  const PgQuery__ColumnDef& d = *cmd.def->column_def;
  INDIGO_ASSIGN(const ColumnInfo* found, column_of(*relation, cmd.name));
  const ColumnInfo column = *found;
  INDIGO_ASSIGN(const TypeRef type, wanted_type(c, d, column));
  INDIGO_TRY(check_not_in_itself(c, relation->row_type, type.oid));
  if (relation->is_foreign() && !sql::absent(d.raw_default))
    return Error(sqlstate::kWrongObjectType, quoted(relation->name) + " is not a table");
  INDIGO_TRY(check_type_change(c, relation, column));
  INDIGO_TRY(check_type_not_stored(c, *relation, relation->row_type));
  if (column.identity != 0) INDIGO_TRY(check_identity_type(type.oid));
  std::vector<OwnedDatum> values;
  bool kept = true;
  if (relation->kind == RelationKind::kTable) {
    INDIGO_ASSIGN(kept, keeps_values(c, column, d.raw_default, type));
  }
  // Rows that are elsewhere are not converted.
  if (const auto before = computed.values.find(std::pair(relation->oid, column.name));
      before != computed.values.end()) {
    values = before->second;
  } else if (relation->kind != RelationKind::kComposite && !relation->is_foreign()) {
    INDIGO_ASSIGN(const std::string expression, new_values_text(c, relation, column, d, type));
    INDIGO_ASSIGN(values, new_values(c, *relation, type, expression));
  }
  if (column.not_null && std::any_of(values.begin(), values.end(), [](const OwnedDatum& v) { return v.get().null; }))
    return null_values(*relation, column.name);
  INDIGO_TRY(retype_attribute(c, relation->oid, column, type, static_cast<int>(d.type_name->n_array_bounds)));
  INDIGO_TRY(rebuild_default(c, relation, column, type));
  INDIGO_TRY(retype_dependents(c, relation, column.number, type));
  INDIGO_TRY(forget_statistics(c, relation->oid, column.number));
  c.catalog.changed({relation->oid});
  if (relation->kind == RelationKind::kTable) {
    if (!kept) c.host.rewritten(relation->oid, rewrite_reason::kColumnType);
    INDIGO_TRY(rewrite_with_column(c, relation, column.number, values,
                                   Datum::make_null(TypePtr(c.catalog.type(type.oid))->phys)));
  }
  INDIGO_TRY(validate_constraints(c, *current(c, relation->oid), column.number));
  return retype_identity(c, relation->oid, column, type.oid);
}

}  // namespace indigo::engine::ddl
