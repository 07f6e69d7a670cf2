#include "engine/ddl/table/constraint.h"

#include <algorithm>

#include "engine/ddl/object/schema.h"
#include "engine/ddl/object/tablespace.h"
#include "engine/ddl/partition/partition_index.h"
#include "engine/ddl/table/exclusion.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/table/storage_options.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/trigger/trigger_rows.h"
#include "engine/row_sink.h"
#include "sql/analyze/analyzer.h"
#include "sql/implication.h"
#include "sql/plan/level.h"
#include "types/value/acl.h"
#include "types/value/vector.h"

namespace indigo::engine::ddl {

Status check_constraint_name_free(const RelationInfo& relation, std::string_view name) {
  for (const ConstraintInfo& k : relation.constraints) {
    if (k.name == name) {
      return Error(sqlstate::kDuplicateObject,
                   "constraint " + quoted(name) + " for relation " + quoted(relation.name) + " already exists");
    }
  }
  return {};
}

Status insert_constraint(DdlContext& c, const NewConstraint& n) {
  SystemTable& t = table(c, pg_constraint::kOid);
  RowValues row(t.definition());
  row.oid(pg_constraint::c_oid, n.oid)
      .str(pg_constraint::c_conname, n.name)
      .oid(pg_constraint::c_connamespace, n.schema)
      .chr(pg_constraint::c_contype, n.kind)
      .flag(pg_constraint::c_condeferrable, n.deferrable)
      .flag(pg_constraint::c_condeferred, n.deferred)
      .flag(pg_constraint::c_convalidated, n.validated)
      .oid(pg_constraint::c_conrelid, n.relation)
      .oid(pg_constraint::c_contypid, n.type)
      .oid(pg_constraint::c_conindid, n.index)
      .oid(pg_constraint::c_conparentid, n.parent)
      .oid(pg_constraint::c_confrelid, n.foreign_relation)
      .chr(pg_constraint::c_confupdtype, n.on_update)
      .chr(pg_constraint::c_confdeltype, n.on_delete)
      .chr(pg_constraint::c_confmatchtype, n.match)
      .flag(pg_constraint::c_conislocal, n.is_local)
      .i32(pg_constraint::c_coninhcount, n.inherit_count)
      .flag(pg_constraint::c_connoinherit, n.no_inherit);
  if (!n.columns.empty()) row.i16s(pg_constraint::c_conkey, n.columns);
  if (!n.foreign_columns.empty()) row.i16s(pg_constraint::c_confkey, n.foreign_columns);
  if (!n.equality.empty()) {
    row.oids(pg_constraint::c_conpfeqop, n.equality);
    row.oids(pg_constraint::c_conppeqop, n.equality);
    row.oids(pg_constraint::c_conffeqop, n.equality);
  }
  if (!n.exclusion.empty()) row.oids(pg_constraint::c_conexclop, n.exclusion);
  if (!n.delete_set_columns.empty()) row.i16s(pg_constraint::c_confdelsetcols, n.delete_set_columns);
  if (n.expression) row.str(pg_constraint::c_conbin, *n.expression);
  const StorageStatus status = t.insert(c.txn, row);
  std::vector<Oid> touched;
  for (const Oid o : {n.relation, n.foreign_relation, n.type}) {
    if (o != kInvalidOid) touched.push_back(o);
  }
  c.catalog.changed(std::move(touched), RelationParts::kConstraints);
  if (status == StorageStatus::kDuplicateKey) {
    const RelationPtr relation = current(c, n.relation);
    return Error(sqlstate::kDuplicateObject, "constraint " + quoted(n.name) + " for relation " +
                                                 quoted(relation != nullptr ? relation->name : std::string()) +
                                                 " already exists");
  }
  return check(status);
}

namespace {

std::string joined(const std::vector<IndexColumnSpec>& columns) {
  std::string out;
  for (const IndexColumnSpec& column : columns) {
    if (!out.empty()) out += "_";
    out += column.name;
  }
  return out;
}

// The constraint of a key whose index is there.
Status insert_key_constraint(DdlContext& c, const RelationPtr& relation, const IndexSpec& spec, Oid index,
                             bool deferrable, bool deferred) {
  NewConstraint n;
  n.oid = next_oid(c);
  n.name = spec.name;
  n.schema = relation->schema;
  n.kind = spec.primary ? 'p' : 'u';
  n.deferrable = deferrable;
  n.deferred = deferred;
  n.relation = relation->oid;
  n.index = index;
  n.no_inherit = true;  // a part of a partitioned table's key says otherwise (partition_index.cpp)
  for (const IndexColumnSpec& column : spec.columns) n.columns.push_back(column.column);
  INDIGO_TRY(insert_constraint(c, n));
  const Address constraint{pg_constraint::kOid, n.oid, 0};
  INDIGO_TRY(record_column_dependencies(c, constraint, relation->oid, n.columns, 'a'));
  INDIGO_TRY(record_column_dependencies(c, constraint, relation->oid, spec.included, 'a'));
  INDIGO_TRY(record_dependency(c, {pg_class::kOid, index, 0}, constraint, 'i'));
  if (deferrable) INDIGO_TRY(add_key_trigger(c, n.oid, relation->oid, spec.primary, deferred));
  c.catalog.changed({relation->oid, index}, RelationParts::kConstraints | RelationParts::kIndexes);
  return {};
}

// The index and the constraint of a key whose columns are known.
Status add_key(DdlContext& c, ConstraintTarget& target, const RelationPtr& relation, IndexSpec spec, bool deferrable,
               bool deferred) {
  // The index is a new relation in the table's schema.
  if (!target.is_new) INDIGO_TRY(check_schema_privilege(c, relation->schema, types::kPrivilegeCreate));
  if (spec.primary) {
    for (const IndexInfo& index : relation->indexes) {
      if (index.primary) {
        return Error(sqlstate::kInvalidTableDefinition,
                     "multiple primary keys for table " + quoted(relation->name) + " are not allowed");
      }
    }
    std::vector<int16_t> now_not_null;
    for (const IndexColumnSpec& column : spec.columns) {
      if (relation->columns[static_cast<size_t>(column.column) - 1].not_null) continue;
      now_not_null.push_back(column.column);
      INDIGO_TRY(update_attribute(c, relation->oid, column.column,
                                  [](RowValues& a) { a.flag(pg_attribute::c_attnotnull, true); }));
    }
    if (!target.is_new && !now_not_null.empty() && deferrable) INDIGO_TRY(check_no_nulls(c, *relation, now_not_null));
    // A deferrable key may be violated for a while: the tree cannot be keyed by it.
    // Nor where labels stand for the values (types/value/defined_order.h): rows are stored under keys that outlive them.
    const bool defined = std::any_of(spec.columns.begin(), spec.columns.end(), [&](const IndexColumnSpec& column) {
      return c.catalog.defined_order(column.type.oid) != nullptr;
    });
    spec.is_tree = !deferrable && !defined && !relation->is_partitioned();
    target.keyed = target.keyed || spec.is_tree;
  }
  INDIGO_TRY(check_partitioned_key(c, *relation, spec));
  spec.immediate = !deferrable;
  const RelationPtr old = target.is_new ? nullptr : current(c, relation->oid);
  INDIGO_ASSIGN(const Oid index, create_index(c, relation, spec));
  INDIGO_TRY(insert_key_constraint(c, relation, spec, index, deferrable, deferred));
  if (spec.is_tree && old != nullptr) INDIGO_TRY(rewrite_table(c, old));
  return {};
}

// ADD ... USING INDEX. The index of a UNIQUE constraint is taken over; a primary key's becomes the table's tree, a deferrable
// constraint's is built anew.
Status add_key_using_index(DdlContext& c, ConstraintTarget& target, const RelationPtr& relation,
                           const PgQuery__Constraint& k) {
  const bool primary = k.contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY;
  const auto refuse = [&](SqlState state, const std::string& message, bool unfit) {
    Error error(state, message);
    if (unfit) error.detail = "Cannot create a primary key or unique constraint using such an index.";
    return Error(std::move(error)).at(position(c, k.location));
  };
  const std::string given = quoted(k.indexname);
  const IndexInfo* index = nullptr;
  for (const IndexInfo& i : relation->indexes) {
    if (i.name == k.indexname) index = &i;
  }
  if (index == nullptr) {
    const RelationPtr other = c.catalog.relation_named(relation->schema, k.indexname);
    if (other == nullptr || other->kind != RelationKind::kIndex) {
      return refuse(sqlstate::kUndefinedObject, "index " + given + " does not exist", false);
    }
    return refuse(sqlstate::kObjectNotInPrerequisiteState,
                  "index " + given + " does not belong to table " + quoted(relation->name), false);
  }
  if (index->constraint) {
    return refuse(sqlstate::kObjectNotInPrerequisiteState,
                  "index " + given + " is already associated with a constraint", false);
  }
  if (!index->valid) return refuse(sqlstate::kObjectNotInPrerequisiteState, "index " + given + " is not valid", false);
  if (!index->unique) return refuse(sqlstate::kWrongObjectType, given + " is not a unique index", true);
  if (!index->predicate.empty()) return refuse(sqlstate::kWrongObjectType, given + " is a partial index", true);
  IndexSpec spec;
  for (const catalog::IndexColumn& column : index->columns) {
    if (column.column == 0) return refuse(sqlstate::kWrongObjectType, "index " + given + " contains expressions", true);
    const ColumnInfo& of = relation->columns[static_cast<size_t>(column.column) - 1];
    INDIGO_ASSIGN(IndexColumnSpec made, plain_index_column(c, of));
    if (column.descending || column.nulls_first || column.opclass != made.opclass ||
        column.type.collation != of.type.collation) {
      return refuse(sqlstate::kWrongObjectType,
                    "index " + given + " column number " + std::to_string(spec.columns.size() + 1) +
                        " does not have default sorting behavior",
                    true);
    }
    spec.columns.push_back(std::move(made));
  }
  spec.primary = primary;
  spec.unique = true;
  spec.nulls_not_distinct = index->nulls_not_distinct;
  spec.included = index->included;
  spec.name = sql::has_text(k.conname) ? truncated_name(k.conname) : std::string(k.indexname);
  if (spec.name != k.indexname) {
    INDIGO_TRY(check_constraint_name_free(*relation, spec.name));
    notice(c, "ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index " + given + " to " + quoted(spec.name));
  }
  const Address old{pg_class::kOid, index->oid, 0};
  if (primary || k.deferrable) {  // the table's tree, or an index that takes duplicates: another structure
    INDIGO_TRY(drop_objects(c, {old}, false));
    return add_key(c, target, current(c, relation->oid), std::move(spec), k.deferrable, k.initdeferred);
  }
  if (spec.name != k.indexname) {
    INDIGO_TRY(update_class(c, index->oid, [&](RowValues& v) { v.str(pg_class::c_relname, spec.name); }));
  }
  INDIGO_TRY(remove_dependencies_of(c, old));
  return insert_key_constraint(c, relation, spec, index->oid, false, false);
}

}  // namespace

Status add_key_constraint(DdlContext& c, ConstraintTarget& target, const PgQuery__Constraint& k) {
  const RelationPtr relation = current(c, target.relation);
  IndexSpec spec;
  spec.primary = k.contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY;
  spec.unique = true;
  spec.nulls_not_distinct = k.nulls_not_distinct;
  if (sql::has_text(k.indexname) && relation->is_partitioned()) {
    return unsupported("ALTER TABLE / ADD CONSTRAINT USING INDEX on a partitioned table");
  }
  if (sql::has_text(k.indexname)) return add_key_using_index(c, target, relation, k);
  if (!sql::absent(k.where_clause)) return unsupported("a constraint with a predicate");
  for (const PgQuery__Node* node : nodes(k.n_keys, k.keys)) {
    const ColumnInfo* column = relation->find_column(string_of(node));
    if (column == nullptr && spec.primary && !target.is_new)
      return Error(sqlstate::kUndefinedColumn, column_text(*relation, string_of(node)) + " does not exist");
    if (column == nullptr) {
      return Error(sqlstate::kUndefinedColumn, "column " + quoted(string_of(node)) + " named in key does not exist")
          .at(target.is_new ? position(c, k.location) : 0);
    }
    for (const IndexColumnSpec& other : spec.columns) {
      if (other.column == column->number) {
        return Error(sqlstate::kDuplicateColumn, "column " + quoted(column->name) + " appears twice in " +
                                                     (spec.primary ? "primary key" : "unique") + " constraint")
            .at(position(c, k.location));
      }
    }
    INDIGO_ASSIGN(IndexColumnSpec column_spec, plain_index_column(c, *column));
    spec.columns.push_back(std::move(column_spec));
  }
  for (const PgQuery__Node* node : nodes(k.n_including, k.including)) {
    const ColumnInfo* column = relation->find_column(string_of(node));
    if (column == nullptr) {
      return Error(sqlstate::kUndefinedColumn, "column " + quoted(string_of(node)) + " named in key does not exist")
          .at(target.is_new ? position(c, k.location) : 0);
    }
    spec.included.push_back(column->number);
  }
  INDIGO_ASSIGN(spec.options, storage_options(OptionsOf::kIndex, nodes(k.n_options, k.options)));
  if (sql::has_text(k.indexspace)) {
    INDIGO_ASSIGN(spec.tablespace,
                  new_relation_tablespace(c, k.indexspace, relation->persistence, relation->is_partitioned()));
  }
  if (sql::has_text(k.conname)) {
    spec.name = truncated_name(k.conname);
    if (c.catalog.relation_oid(relation->schema, spec.name) != kInvalidOid) {
      return Error(sqlstate::kDuplicateTable, "relation " + quoted(spec.name) + " already exists");
    }
    INDIGO_TRY(check_constraint_name_free(*relation, spec.name));
  } else if (spec.primary) {
    spec.name = choose_relation_name(c, relation->name, "", "pkey", relation->schema);
  } else {
    std::string names = joined(spec.columns);
    for (const int16_t number : spec.included) names += "_" + relation->columns[static_cast<size_t>(number) - 1].name;
    spec.name = choose_relation_name(c, relation->name, names, "key", relation->schema);
  }
  return add_key(c, target, relation, std::move(spec), k.deferrable, k.initdeferred);
}

Status add_key_like(DdlContext& c, ConstraintTarget& target, const RelationInfo& source, const IndexInfo& index) {
  const RelationPtr relation = current(c, target.relation);
  IndexSpec spec;
  spec.primary = index.primary;
  spec.unique = index.unique;
  spec.nulls_not_distinct = index.nulls_not_distinct;
  spec.method = catalog::access_method(index.method)->oid;
  spec.options = options_of(c, index.oid);
  const Oid tablespace = tablespace_of(c, index.oid);
  if (tablespace != kInvalidOid && relation->persistence != 't') spec.tablespace = tablespace;
  std::vector<StoredExpression> expressions;
  if (!index.predicate.empty()) {
    INDIGO_ASSIGN(StoredExpression predicate, copy_expression(c, index.predicate, source, relation));
    spec.predicate = predicate.tree;
    expressions.push_back(std::move(predicate));
  }
  std::vector<std::string> names;
  table(c, pg_attribute::kOid).scan(c.txn, {Datum::of_oid(index.oid)}, [&](RowReader row) {
    names.emplace_back(row.str(pg_attribute::c_attname));
    return true;
  });
  const auto class_options = [&] {  // of the next column
    return column_options_of(c, index.oid, static_cast<int16_t>(spec.columns.size() + 1));
  };
  for (const catalog::IndexColumn& column : index.columns) {
    if (column.column == 0) {
      INDIGO_ASSIGN(StoredExpression e, copy_expression(c, column.expression, source, relation));
      IndexColumnSpec computed;
      computed.name = names.size() > spec.columns.size() ? names[spec.columns.size()] : "expr";
      computed.type = column.type;
      computed.opclass = column.opclass;
      computed.descending = column.descending;
      computed.nulls_first = column.nulls_first;
      computed.expression = e.tree;
      computed.class_options = class_options();
      expressions.push_back(std::move(e));
      spec.columns.push_back(std::move(computed));
      continue;
    }
    const ColumnInfo* mine = relation->find_column(source.columns[static_cast<size_t>(column.column) - 1].name);
    INDIGO_ASSIGN(IndexColumnSpec column_spec, plain_index_column(c, *mine));
    column_spec.descending = column.descending;
    column_spec.nulls_first = column.nulls_first;
    column_spec.opclass = column.opclass;
    column_spec.class_options = class_options();
    spec.columns.push_back(std::move(column_spec));
  }
  std::string all_names = joined(spec.columns);
  for (const int16_t included : index.included) {
    const ColumnInfo* mine = relation->find_column(source.columns[static_cast<size_t>(included) - 1].name);
    spec.included.push_back(mine->number);
    all_names += "_" + mine->name;
  }
  for (const ConstraintInfo& k : source.constraints) {
    if (k.kind == 'x' && k.index == index.oid) {
      return add_exclusion_like(c, target, k, index, std::move(spec), expressions);
    }
  }
  if (index.constraint) {
    spec.name = spec.primary ? choose_relation_name(c, relation->name, "", "pkey", relation->schema)
                             : choose_relation_name(c, relation->name, all_names, "key", relation->schema);
    bool deferrable = false, deferred = false;
    for (const ConstraintInfo& k : source.constraints) {
      if (k.index != index.oid || k.kind == 'f') continue;
      deferrable = k.deferrable;
      deferred = k.deferred;
    }
    return add_key(c, target, relation, std::move(spec), deferrable, deferred);
  }
  spec.name = choose_relation_name(c, relation->name, all_names, "idx", relation->schema);
  INDIGO_ASSIGN(const Oid oid, create_index(c, relation, spec));
  std::vector<int16_t> columns = spec.included;
  for (const IndexColumnSpec& column : spec.columns) {
    if (column.column != 0) columns.push_back(column.column);
  }
  const Address self{pg_class::kOid, oid, 0};
  if (columns.empty()) INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, relation->oid, 0}, 'a'));
  INDIGO_TRY(record_column_dependencies(c, self, relation->oid, columns, 'a'));
  for (const StoredExpression& e : expressions) INDIGO_TRY(record_expression(c, self, e, relation->oid, 'a'));
  return {};
}

// ---- CHECK

Status validate_check(DdlContext& c, const RelationInfo& relation, std::string_view name, std::string_view expression) {
  if (relation.is_foreign()) return {};  // its wrapper answers for the rows
  INDIGO_ASSIGN(const std::string condition,
                expression_text(c, expression, std::make_shared<const RelationInfo>(relation)));
  const std::string sql = "SELECT 1 FROM ONLY " + qualified(relation) + " WHERE NOT (" + condition + ") LIMIT 1";
  bool violated = false;
  INDIGO_TRY(c.host.run_query(sql, [&](const ResultShape&, const Chunk& chunk) -> Status {
    violated |= chunk.rows() > 0;
    return {};
  }));
  if (!violated) return {};
  Error error(sqlstate::kCheckViolation, "check constraint " + quoted(name) + " of relation " + quoted(relation.name) +
                                             " is violated by some row");
  error.schema = relation.schema_name;
  error.table = relation.name;
  error.constraint = name;
  return error;
}

namespace {

// A constraint of that name which the table has inherited, and which says the same, becomes its own, too (a partition's stays
// its parent's).
Result<bool> merge_with_inherited(DdlContext& c, const RelationInfo& relation, const std::string& name,
                                  const std::string& expression, bool no_inherit) {
  for (const ConstraintInfo& k : relation.constraints) {
    if (k.kind != 'c' || k.name != name || k.is_local ||
        !same_expression(c, k.expression, relation, expression, relation)) {
      continue;
    }
    if (no_inherit) {
      return Error(
          sqlstate::kInvalidObjectDefinition,
          "constraint " + quoted(name) + " conflicts with inherited constraint on relation " + quoted(relation.name));
    }
    notice(c, "merging constraint " + quoted(name) + " with inherited definition");
    c.catalog.changed({relation.oid});
    INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(k.oid)},
                          [&](RowValues& v) { v.flag(pg_constraint::c_conislocal, !relation.is_partition); }));
    return true;
  }
  return false;
}

// What of `n` the expression and the relation say, the name too if it has none.
Status insert_check(DdlContext& c, const RelationInfo& relation, const StoredExpression& e, NewConstraint& n) {
  n.oid = next_oid(c);
  if (n.name.empty()) {
    std::string_view column;
    if (e.system_columns && e.columns.empty()) column = "tableoid";  // no other may be in a check
    if (e.columns.size() == 1 && !e.system_columns)
      column = relation.columns[static_cast<size_t>(e.columns[0]) - 1].name;
    n.name = choose_constraint_name(c, relation.name, column, "check", relation.schema);
  }
  n.schema = relation.schema;
  n.relation = relation.oid;
  n.columns = e.columns;
  n.expression = e.tree;
  INDIGO_TRY(insert_constraint(c, n));
  INDIGO_TRY(update_class(c, relation.oid, [](RowValues& v) {
    v.i16(pg_class::c_relchecks, static_cast<int16_t>(v.get(pg_class::c_relchecks).i16 + 1));
  }));
  const Address self{pg_constraint::kOid, n.oid, 0};
  INDIGO_TRY(record_expression(c, self, e, relation.oid, 'a'));
  if (!e.columns.empty()) return {};
  return record_dependency(c, self, {pg_class::kOid, relation.oid, 0}, 'a');
}

}  // namespace

namespace {

// Two of one CREATE TABLE with the same name.
Status check_not_written_twice(const RelationInfo& relation, std::string_view name) {
  for (const ConstraintInfo& k : relation.constraints) {
    if (k.kind == 'c' && k.name == name && k.is_local && k.inherit_count == 0)
      return Error(sqlstate::kDuplicateObject, "check constraint " + quoted(name) + " already exists");
  }
  return {};
}

}  // namespace

Status add_check_constraint(DdlContext& c, const ConstraintTarget& target, const PgQuery__Constraint& k) {
  const RelationPtr relation = current(c, target.relation);
  if (k.is_no_inherit && relation->is_partitioned()) {
    return Error(sqlstate::kInvalidTableDefinition,
                 "cannot add NO INHERIT constraint to partitioned table " + quoted(relation->name));
  }
  auto stored = store_expression(c, k.raw_expr, ExpressionUse::kCheck, relation, {oid::kBool, -1, kInvalidOid});
  if (!stored.ok() && !target.is_new) return Error(std::move(*stored.take_error())).at(0);
  INDIGO_ASSIGN(const StoredExpression e, std::move(stored));
  NewConstraint n;
  if (sql::has_text(k.conname)) {
    n.name = truncated_name(k.conname);
    INDIGO_ASSIGN(const bool merged, merge_with_inherited(c, *relation, n.name, e.tree, k.is_no_inherit));
    if (merged) return {};
    if (target.is_new) INDIGO_TRY(check_not_written_twice(*relation, n.name));
    INDIGO_TRY(check_constraint_name_free(*relation, n.name));
  }
  n.no_inherit = k.is_no_inherit;
  n.validated = !k.skip_validation || target.is_new;
  INDIGO_TRY(insert_check(c, *relation, e, n));
  if (!target.is_new && n.validated) INDIGO_TRY(validate_check(c, *relation, n.name, e.tree));
  return {};
}

Status add_valid_check(DdlContext& c, const RelationPtr& relation, std::string_view condition) {
  INDIGO_ASSIGN(const StoredExpression e,
                store_expression(c, condition, ExpressionUse::kCheck, relation, {oid::kBool, -1, kInvalidOid}));
  NewConstraint n;
  INDIGO_TRY(insert_check(c, *relation, e, n));
  c.catalog.changed({relation->oid});
  return {};
}

namespace {

bool is_known_not_null(const RelationInfo& relation, const sql::NullTestExpr& test) {
  const auto* v = sql::try_as<sql::VarExpr>(test.argument);
  if (v == nullptr || v->column < 0 || test.is_null || test.row) return false;
  return relation.columns[static_cast<size_t>(v->column)].not_null;
}

}  // namespace

Result<bool> follows_from_table(DdlContext& c, const RelationPtr& relation, std::string_view condition) {
  catalog::SessionContext& session = c.host.session();
  const TypeRef boolean{oid::kBool, -1, kInvalidOid};
  sql::ExprList facts, parts;
  for (const ConstraintInfo& k : relation->constraints) {
    if (k.kind != 'c' || !k.validated) continue;
    INDIGO_ASSIGN(const sql::ExprPtr fact, sql::analyze_expression(session, k.expression, relation, boolean));
    sql::planning::flatten_and(fact, facts);
  }
  INDIGO_ASSIGN(const sql::ExprPtr whole, sql::analyze_expression(session, condition, relation, boolean));
  sql::planning::flatten_and(whole, parts);
  return std::all_of(parts.begin(), parts.end(), [&](const sql::ExprPtr& part) {
    const auto* test = sql::try_as<sql::NullTestExpr>(part);
    if (test == nullptr) return sql::implies(c.catalog, facts, part);
    // A constraint that is null is kept, too: what is strict says nothing of nulls here.
    return is_known_not_null(*relation, *test) ||
           std::any_of(facts.begin(), facts.end(), [&](const sql::ExprPtr& fact) { return sql::equal(fact, part); });
  });
}

}  // namespace indigo::engine::ddl
