#include "engine/ddl/table/foreign_key.h"

#include "catalog/object_privileges.h"
#include "catalog/tables/system_columns.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/table/foreign_key_partitions.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/trigger/trigger_rows.h"
#include "engine/row_sink.h"
#include "sql/deparse.h"
#include "types/io/domain_check.h"
#include "types/value/vector.h"

namespace indigo::engine::ddl {

std::string key_match(DdlContext& c, const ColumnInfo& referenced, const ColumnInfo& own) {
  std::string out = "pk." + identifier(referenced.name) + " = fk." + identifier(own.name);
  const Oid order = referenced.type.collation;
  if (order != own.type.collation && order != kInvalidOid)
    out += " COLLATE " + sql::deparse_collation(c.catalog, order, true);
  return out;
}

Status validate_foreign_key(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& k) {
  if (!has_rows(c, relation)) return {};
  const RelationPtr foreign = current(c, k.foreign_relation);
  std::string list, join, not_null;
  for (size_t i = 0; i < k.columns.size(); i++) {
    const ColumnInfo& own = relation.columns[static_cast<size_t>(k.columns[i]) - 1];
    const std::string mine = "fk." + identifier(own.name);
    if (i > 0) {
      list += ", ";
      join += " AND ";
      not_null += k.match == 'f' ? " OR " : " AND ";
    }
    list += mine;
    join += key_match(c, foreign->columns[static_cast<size_t>(k.foreign_columns[i]) - 1], own);
    not_null += mine + " IS NOT NULL";
  }
  const std::string only = foreign->is_partitioned() ? "" : "ONLY ";
  const std::string sql = "SELECT " + list + " FROM ONLY " + qualified(relation) + " fk WHERE (" + not_null +
                          ") AND NOT EXISTS (SELECT 1 FROM " + only + qualified(*foreign) + " pk WHERE " + join +
                          ") LIMIT 1";
  std::optional<std::string> values;
  bool any_null = false;
  INDIGO_TRY(c.host.run_query(sql, [&](const ResultShape& shape, const Chunk& chunk) -> Status {
    if (chunk.rows() == 0 || values) return {};
    values.emplace();
    for (size_t i = 0; i < chunk.columns.size(); i++) {
      if (i > 0) *values += ", ";
      any_null |= chunk.columns[i].is_null(chunk.selection[0]);
      *values += value_text(c, shape.columns[i].type, chunk.columns[i].datum(chunk.selection[0]));
    }
    return {};
  }));
  if (!values) return {};
  std::string names;
  for (const int16_t number : k.columns) {
    if (!names.empty()) names += ", ";
    names += relation.columns[static_cast<size_t>(number) - 1].name;
  }
  Error error(sqlstate::kForeignKeyViolation, "insert or update on table " + quoted(relation.name) +
                                                  " violates foreign key constraint " + quoted(k.name));
  error.detail = "Key (" + names + ")=(" + *values + ") is not present in table " + quoted(foreign->name) + ".";
  if (k.match == 'f' && any_null) error.detail = "MATCH FULL does not allow mixing of null and nonnull key values.";
  error.schema = relation.schema_name;
  error.table = relation.name;
  error.constraint = k.name;
  return error;
}

namespace {

Result<std::vector<int16_t>> column_numbers(const RelationInfo& relation, NodeList names) {
  std::vector<int16_t> out;
  for (const PgQuery__Node* node : names) {
    const ColumnInfo* column = relation.find_column(string_of(node));
    if (column == nullptr && catalog::find_system_column(string_of(node)) != nullptr)
      return Error(sqlstate::kFeatureNotSupported, "system columns cannot be used in foreign keys");
    if (column == nullptr) {
      return Error(sqlstate::kUndefinedColumn,
                   "column " + quoted(string_of(node)) + " referenced in foreign key constraint does not exist");
    }
    out.push_back(column->number);
  }
  return out;
}

// REFERENCES on the table or on each of the columns.
Status check_references_privilege(DdlContext& c, const RelationInfo& foreign, std::span<const int16_t> columns) {
  const Oid user = c.catalog.user();
  const auto grants = [](uint32_t held) { return (held & types::kPrivilegeReferences) != 0; };
  if (grants(catalog::object_privileges(c.catalog, catalog::kRelationAcl, foreign.oid, user))) return {};
  const bool all = std::all_of(columns.begin(), columns.end(), [&](int16_t number) {
    return grants(catalog::column_privileges(c.catalog, foreign.oid, number, user));
  });
  if (all && !columns.empty()) return {};
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for table " + foreign.name);
}

}  // namespace

// The = that compares a referenced column with a referencing one; 42804 when there is none.
Result<Oid> foreign_key_operator(DdlContext& c, std::string_view constraint, const ColumnInfo& mine,
                                 const ColumnInfo& theirs) {
  Oid op = kInvalidOid;
  const Oid referencing = types::without_domain(c.catalog, mine.type).oid;
  const Oid referenced = types::without_domain(c.catalog, theirs.type).oid;
  for (const types::OperatorInfo* candidate : c.catalog.operators_named("", "=")) {
    if (candidate->left == referenced && candidate->right == referencing &&
        c.catalog.btree_strategy(candidate->oid) == 3) {
      op = candidate->oid;
    }
  }
  if (op == kInvalidOid) {
    // The = of rows, enums, arrays and ranges is over all of them: a cast to one of these types does not lead there.
    const TypePtr type = c.catalog.type(referenced);
    const bool own_operator = type != nullptr && type->kind == 'b' && !type->is_array();
    const types::CastInfo* cast = own_operator ? c.catalog.cast(referencing, referenced) : nullptr;
    const bool implicit = cast != nullptr && cast->context == types::CastContext::kImplicit;
    if (referencing == referenced || implicit) op = c.catalog.btree_operator(referenced, 3);
  }
  if (op == kInvalidOid) {
    return Error(sqlstate::kDatatypeMismatch, "foreign key constraint " + quoted(constraint) + " cannot be implemented")
        .with_detail("Key columns " + quoted(mine.name) + " and " + quoted(theirs.name) +
                     " are of incompatible types: " + type_text(c, {mine.type.oid, -1, kInvalidOid}) + " and " +
                     type_text(c, {theirs.type.oid, -1, kInvalidOid}) + ".");
  }
  return op;
}

Status check_foreign_key_types(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& k) {
  const RelationPtr foreign = current(c, k.foreign_relation);
  for (size_t i = 0; i < k.columns.size(); i++) {
    const ColumnInfo& mine = relation.columns[static_cast<size_t>(k.columns[i]) - 1];
    const ColumnInfo& theirs = foreign->columns[static_cast<size_t>(k.foreign_columns[i]) - 1];
    const auto op = foreign_key_operator(c, k.name, mine, theirs);
    if (!op.ok()) return op.error();
  }
  return {};
}

namespace {

Status check_may_reference(const RelationInfo& relation, const RelationInfo& foreign) {
  if (foreign.kind == RelationKind::kIndex || foreign.kind == RelationKind::kPartitionedIndex) {
    return Error(sqlstate::kWrongObjectType, quoted(foreign.name) + " is an index");
  }
  if (foreign.kind != RelationKind::kTable && !foreign.is_partitioned()) {
    return Error(sqlstate::kWrongObjectType, "referenced relation " + quoted(foreign.name) + " is not a table");
  }
  INDIGO_TRY(check_not_system(foreign));
  if (relation.persistence == 'p' && foreign.persistence != 'p') {
    return Error(sqlstate::kInvalidTableDefinition,
                 "constraints on permanent tables may reference only permanent tables");
  }
  if (relation.persistence == 'u' && foreign.persistence == 't') {
    return Error(sqlstate::kInvalidTableDefinition,
                 "constraints on unlogged tables may reference only permanent or unlogged tables");
  }
  if (relation.persistence == 't' && foreign.persistence != 't') {
    return Error(sqlstate::kInvalidTableDefinition,
                 "constraints on temporary tables may reference only temporary tables");
  }
  return {};
}

// REFERENCES t: its primary key.
Status reference_primary_key(const RelationInfo& foreign, NewConstraint& n) {
  const IndexInfo* primary = foreign.primary_index();
  if (primary == nullptr) {
    return Error(sqlstate::kUndefinedObject, "there is no primary key for referenced table " + quoted(foreign.name));
  }
  for (const ConstraintInfo& other : foreign.constraints) {
    if (other.kind == 'p' && other.deferrable) {
      return Error(sqlstate::kObjectNotInPrerequisiteState,
                   "cannot use a deferrable primary key for referenced table " + quoted(foreign.name));
    }
  }
  for (const catalog::IndexColumn& column : primary->columns) n.foreign_columns.push_back(column.column);
  n.index = primary->oid;
  return {};
}

// REFERENCES t (columns): a unique index over just these, in any order.
Status reference_columns(const RelationInfo& foreign, NodeList columns, NewConstraint& n) {
  INDIGO_ASSIGN(n.foreign_columns, column_numbers(foreign, columns));
  std::vector<int16_t> wanted = n.foreign_columns;
  std::sort(wanted.begin(), wanted.end());
  if (std::adjacent_find(wanted.begin(), wanted.end()) != wanted.end()) {
    return Error(sqlstate::kInvalidForeignKey, "foreign key referenced-columns list must not contain duplicates");
  }
  bool deferrable_only = false;
  for (const IndexInfo& index : foreign.indexes) {
    if (!index.unique || !index.valid || !index.predicate.empty()) continue;
    std::vector<int16_t> have;
    for (const catalog::IndexColumn& column : index.columns) have.push_back(column.column);
    std::sort(have.begin(), have.end());
    if (have != wanted) continue;
    bool deferrable = false;
    for (const ConstraintInfo& other : foreign.constraints)
      deferrable |= other.index == index.oid && other.kind != 'f' && other.deferrable;
    if (deferrable) {
      deferrable_only = true;
      continue;
    }
    n.index = index.oid;
    break;
  }
  if (n.index == kInvalidOid && deferrable_only) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "cannot use a deferrable unique constraint for referenced table " + quoted(foreign.name));
  }
  if (n.index == kInvalidOid) {
    return Error(sqlstate::kInvalidForeignKey,
                 "there is no unique constraint matching given keys for referenced table " + quoted(foreign.name));
  }
  return {};
}

void name_foreign_key(DdlContext& c, const RelationInfo& relation, const PgQuery__Constraint& k, NewConstraint& n) {
  if (sql::has_text(k.conname)) {
    n.name = truncated_name(k.conname);
    return;
  }
  std::string names;
  for (const int16_t number : n.columns) {
    if (!names.empty()) names += "_";
    names += relation.columns[static_cast<size_t>(number) - 1].name;
  }
  n.name = choose_constraint_name(c, relation.name, names, "fkey", relation.schema);
}

// One = for each pair of columns; generated columns cannot be set by an action.
Status choose_operators(DdlContext& c, const RelationInfo& relation, const RelationInfo& foreign,
                        const PgQuery__Constraint& k, NewConstraint& n) {
  // The comparison: the referenced type's = when both sides are the same type, or one converts implicitly.
  for (size_t i = 0; i < n.columns.size(); i++) {
    const ColumnInfo& mine = relation.columns[static_cast<size_t>(n.columns[i]) - 1];
    const ColumnInfo& theirs = foreign.columns[static_cast<size_t>(n.foreign_columns[i]) - 1];
    INDIGO_ASSIGN(const Oid op, foreign_key_operator(c, n.name, mine, theirs));
    n.equality.push_back(op);
    if (mine.generated != 0) {
      const auto refuse = [&](std::string_view clause) {
        return Error(sqlstate::kSyntaxError, "invalid " + std::string(clause) +
                                                 " action for foreign key constraint containing generated column");
      };
      const std::string_view up = k.fk_upd_action, del = k.fk_del_action;
      if (up == "n" || up == "d" || up == "c") return refuse("ON UPDATE");
      if (del == "n" || del == "d") return refuse("ON DELETE");
    }
  }
  return {};
}

Status check_set_columns(const RelationInfo& relation, NewConstraint& n) {
  std::vector<int16_t> once;
  for (const int16_t number : n.delete_set_columns) {
    if (std::find(once.begin(), once.end(), number) == once.end()) once.push_back(number);
  }
  n.delete_set_columns = std::move(once);
  for (const int16_t number : n.delete_set_columns) {
    if (std::find(n.columns.begin(), n.columns.end(), number) != n.columns.end()) continue;
    return Error(sqlstate::kInvalidColumnReference,
                 "column " + quoted(relation.columns[static_cast<size_t>(number) - 1].name) +
                     " referenced in ON DELETE SET action must be part of foreign key");
  }
  return {};
}

// What a partitioned table's foreign key cannot be yet, in PostgreSQL 15.
Status check_partitioned_form(const ConstraintTarget& target, const RelationInfo& relation, const RelationInfo& foreign,
                              const PgQuery__Constraint& k) {
  if (!relation.is_partitioned() || !k.skip_validation || target.is_new) return {};
  return Error(sqlstate::kWrongObjectType, "cannot add NOT VALID foreign key on partitioned table " +
                                               quoted(relation.name) + " referencing relation " + quoted(foreign.name))
      .with_detail("This feature is not yet supported on partitioned tables.");
}

}  // namespace

Status insert_foreign_key(DdlContext& c, const NewConstraint& n) {
  INDIGO_TRY(insert_constraint(c, n));
  const Address self{pg_constraint::kOid, n.oid, 0};
  INDIGO_TRY(record_column_dependencies(c, self, n.relation, n.columns, 'a'));
  INDIGO_TRY(record_column_dependencies(c, self, n.foreign_relation, n.foreign_columns, 'n'));
  return record_dependency(c, self, {pg_class::kOid, n.index, 0}, 'n');
}

Status add_foreign_key(DdlContext& c, const ConstraintTarget& target, const PgQuery__Constraint& k) {
  if (sql::has_text(k.conname))
    INDIGO_TRY(check_constraint_name_free(*current(c, target.relation), truncated_name(k.conname)));
  INDIGO_ASSIGN(const RelationPtr foreign, open_relation(c, k.pktable, TableLockMode::kShareRowExclusive));
  const RelationPtr relation = current(c, target.relation);
  INDIGO_TRY(check_partitioned_form(target, *relation, *foreign, k));
  INDIGO_TRY(check_may_reference(*relation, *foreign));
  NewConstraint n;
  INDIGO_ASSIGN(n.columns, column_numbers(*relation, nodes(k.n_fk_attrs, k.fk_attrs)));
  if (n.columns.size() > kMaxIndexColumns)
    return Error(sqlstate::kTooManyColumns, "cannot have more than 32 keys in a foreign key");
  INDIGO_ASSIGN(n.delete_set_columns, column_numbers(*relation, nodes(k.n_fk_del_set_cols, k.fk_del_set_cols)));
  const NodeList pk_attrs = nodes(k.n_pk_attrs, k.pk_attrs);
  INDIGO_TRY(pk_attrs.empty() ? reference_primary_key(*foreign, n) : reference_columns(*foreign, pk_attrs, n));
  INDIGO_TRY(check_references_privilege(c, *foreign, n.foreign_columns));
  if (n.columns.size() != n.foreign_columns.size()) {
    return Error(sqlstate::kInvalidForeignKey, "number of referencing and referenced columns for foreign key disagree");
  }
  name_foreign_key(c, *relation, k, n);
  INDIGO_TRY(choose_operators(c, *relation, *foreign, k, n));
  INDIGO_TRY(check_set_columns(*relation, n));
  n.oid = next_oid(c);
  n.schema = relation->schema;
  n.kind = 'f';
  n.relation = relation->oid;
  n.foreign_relation = foreign->oid;
  n.deferrable = k.deferrable;
  n.deferred = k.initdeferred;
  n.validated = !k.skip_validation || target.is_new;
  n.no_inherit = !relation->is_partitioned();
  const auto letter = [](const char* s, char otherwise) { return sql::has_text(s) ? s[0] : otherwise; };
  n.on_update = letter(k.fk_upd_action, 'a');
  n.on_delete = letter(k.fk_del_action, 'a');
  n.match = letter(k.fk_matchtype, 's');
  if (n.match == 'p') return unsupported("MATCH PARTIAL");
  INDIGO_TRY(insert_foreign_key(c, n));
  INDIGO_TRY(add_action_triggers(c, n, kInvalidOid, kInvalidOid));
  INDIGO_TRY(add_check_triggers(c, n, kInvalidOid, kInvalidOid));
  INDIGO_TRY(add_referenced_partitions(c, n));
  if (relation->is_partitioned()) return add_foreign_key_below(c, current(c, relation->oid), n.oid);
  if (!target.is_new && n.validated && has_rows(c, *relation)) {
    const RelationPtr now = current(c, relation->oid);
    for (const ConstraintInfo& info : now->constraints) {
      if (info.oid == n.oid) INDIGO_TRY(validate_foreign_key(c, *now, info));
    }
  }
  return {};
}

}  // namespace indigo::engine::ddl
