#include "engine/ddl/table/alter_table.h"

#include <algorithm>
#include <map>

#include "catalog/access_method.h"
#include "catalog/descriptor/settled.h"
#include "catalog/object_privileges.h"
#include "engine/ddl/access/policy.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/foreign/foreign_table.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/access_method.h"
#include "engine/ddl/object/sequence.h"
#include "engine/ddl/object/tablespace.h"
#include "engine/ddl/object/view_options.h"
#include "engine/ddl/partition/alter_children.h"
#include "engine/ddl/partition/attach.h"
#include "engine/ddl/partition/detach.h"
#include "engine/ddl/partition/partition_index.h"
#include "engine/ddl/rule/rule.h"
#include "engine/ddl/table/alter_target.h"
#include "engine/ddl/table/exclusion.h"
#include "engine/ddl/table/foreign_key.h"
#include "engine/ddl/table/foreign_key_partitions.h"
#include "engine/ddl/table/reindex.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/table/storage_options.h"
#include "engine/ddl/table/typed_table.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/trigger/create_trigger.h"
#include "engine/statement/utility_statement.h"
#include "sql/analyze/analyzer.h"
#include "sql/parse/parser.h"
#include "types/text/ascii.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace {

// PostgreSQL works off the commands of one statement in passes: drops, types, new columns, column attributes, constraints.
int pass_of(const PgQuery__AlterTableCmd& cmd) {
  switch (cmd.subtype) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropNotNull:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropExpression:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropIdentity: return 0;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType: return 1;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn: return 2;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault: return sql::absent(cmd.def) ? 0 : 3;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddIdentity:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetIdentity: return 3;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint:
      return cmd.def->constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN ? 5 : 4;
    default: return 6;
  }
}

TableLockMode lock_of(const PgQuery__AlterTableCmd& cmd) {
  switch (cmd.subtype) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetStatistics:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ValidateConstraint:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ClusterOn:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropCluster:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetOptions:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DetachPartitionFinalize:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ResetOptions: return TableLockMode::kShareUpdateExclusive;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DetachPartition:
      return cmd.def->partition_cmd->concurrent ? TableLockMode::kShareUpdateExclusive
                                                : TableLockMode::kAccessExclusive;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigAll:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigUser:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigAll:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigUser:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrig:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableAlwaysTrig:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableReplicaTrig:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrig: return TableLockMode::kShareRowExclusive;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetRelOptions:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ResetRelOptions:
      return options_lock(nodes(cmd.def->list->n_items, cmd.def->list->items));
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint:
      if (cmd.def->constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN)
        return TableLockMode::kShareRowExclusive;
      return TableLockMode::kAccessExclusive;
    default: return TableLockMode::kAccessExclusive;
  }
}

Status drop_constraint(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  for (const ConstraintInfo& k : relation->constraints) {
    if (k.name != cmd.name) continue;
    if (k.kind == 'f') {
      INDIGO_TRY(lock_object(c, k.foreign_relation, TableLockMode::kAccessExclusive));
      const RelationPtr referenced = current(c, k.foreign_relation);
      if (referenced != nullptr) INDIGO_TRY(check_not_in_use(c, *referenced, "ALTER TABLE"));
    }
    return drop_objects(c, {{pg_constraint::kOid, k.oid, 0}}, cmd.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE);
  }
  const std::string message =
      "constraint " + quoted(cmd.name) + " of relation " + quoted(relation->name) + " does not exist";
  if (!cmd.missing_ok) return Error(sqlstate::kUndefinedObject, message);
  notice(c, message + ", skipping");
  return {};
}

Status validate_constraint(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  for (const ConstraintInfo& k : relation->constraints) {
    if (k.name != cmd.name) continue;
    if (k.kind != 'f' && k.kind != 'c') {
      return Error(sqlstate::kWrongObjectType, "constraint " + quoted(k.name) + " of relation " +
                                                   quoted(relation->name) +
                                                   " is not a foreign key or check constraint");
    }
    if (k.validated) return {};
    if (k.kind == 'f') {
      INDIGO_TRY(validate_foreign_key(c, *relation, k));
    } else {
      INDIGO_TRY(validate_check(c, *relation, k.name, k.expression));
    }
    c.catalog.changed({relation->oid});
    return update_row(c, pg_constraint::kOid, {Datum::of_oid(k.oid)},
                      [](RowValues& v) { v.flag(pg_constraint::c_convalidated, true); });
  }
  return Error(sqlstate::kUndefinedObject,
               "constraint " + quoted(cmd.name) + " of relation " + quoted(relation->name) + " does not exist");
}

Status alter_constraint(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  const PgQuery__Constraint* wanted = cmd.def->constraint;
  for (const ConstraintInfo& k : relation->constraints) {
    if (k.name != wanted->conname) continue;
    if (k.kind != 'f') {
      return Error(sqlstate::kWrongObjectType, "constraint " + quoted(k.name) + " of relation " +
                                                   quoted(relation->name) + " is not a foreign key constraint");
    }
    if (k.parent != kInvalidOid) return refuse_inherited_foreign_key(c, *relation, k);
    return defer_foreign_key(c, k.oid, wanted->deferrable, wanted->initdeferred);
  }
  return Error(sqlstate::kUndefinedObject,
               "constraint " + quoted(wanted->conname) + " of relation " + quoted(relation->name) + " does not exist");
}

Status add_constraint(DdlContext& c, const RelationPtr& relation, const PgQuery__Constraint& k) {
  if (relation->is_foreign()) INDIGO_TRY(check_foreign_constraint(c, k));
  ConstraintTarget target;
  target.relation = relation->oid;
  switch (k.contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE: return add_key_constraint(c, target, k);
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK: return add_check_constraint(c, target, k);
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN: return add_foreign_key(c, target, k);
    case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION: return add_exclusion_constraint(c, target, k);
    default: return unsupported("this kind of constraint");
  }
}

// ALTER COLUMN SET (n_distinct = ..): kept in attoptions; ANALYZE counts for itself.
Status column_options(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  const bool reset = cmd.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_ResetOptions;
  std::vector<std::string> given;
  for (const PgQuery__Node* node : nodes(cmd.def->list->n_items, cmd.def->list->items)) {
    const std::string_view name = node->def_elem->defname;
    if (name != "n_distinct" && name != "n_distinct_inherited") {
      return Error(sqlstate::kInvalidParameterValue, "unrecognized parameter " + quoted(name));
    }
    given.push_back(std::string(name) + "=" + (reset ? "" : text_value(node->def_elem->arg)));
  }
  return update_attribute(c, relation->oid, column->number,
                          [&](RowValues& v) { change_option_list(v, pg_attribute::c_attoptions, given, reset); });
}

// What ANALYZE is to look at: kept, and shown by \d+.
Status set_statistics(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  int16_t number = 0;
  if (sql::has_text(cmd.name)) {
    INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
    number = column->number;
  } else if (relation->kind != RelationKind::kIndex && relation->kind != RelationKind::kPartitionedIndex) {
    return Error(sqlstate::kFeatureNotSupported, "cannot refer to non-index column by number");
  } else {
    number = static_cast<int16_t>(cmd.num);
    if (number < 1 || static_cast<size_t>(number) > relation->columns.size()) {
      return Error(sqlstate::kUndefinedColumn, "column number " + std::to_string(cmd.num) + " of relation " +
                                                   quoted(relation->name) + " does not exist");
    }
  }
  if (relation->kind == RelationKind::kIndex) {
    std::string image;
    const SystemTable& indexes = table(c, pg_index::kOid);
    if (indexes.find_oid(c.txn, relation->oid, image)) {
      const auto keys = read_i16s(indexes.reader(image).str(pg_index::c_indkey));
      const auto at = static_cast<size_t>(number) - 1;
      if (at < keys.size() && keys[at] != 0) {
        return Error(sqlstate::kFeatureNotSupported, "cannot alter statistics on non-expression column " +
                                                         quoted(relation->columns[at].name) + " of index " +
                                                         quoted(relation->name))
            .with_hint("Alter statistics on table column instead.");
      }
    }
  }
  int64_t target = integer_value(cmd.def).value_or(-1);
  if (target < -1) {
    return Error(sqlstate::kInvalidParameterValue, "statistics target " + std::to_string(target) + " is too low");
  }
  if (target > 10000) {
    target = 10000;
    warning(c, sqlstate::kInvalidParameterValue, "lowering statistics target to 10000");
  }
  return update_attribute(c, relation->oid, number,
                          [&](RowValues& a) { a.i32(pg_attribute::c_attstattarget, static_cast<int32_t>(target)); });
}

Result<bool> is_toastable(DdlContext& c, const ColumnInfo& column) {
  const TypePtr type = c.catalog.type(column.type.oid);
  return type != nullptr && type->storage != 'p';
}

Status set_storage(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  const std::string mode = types::to_lower(text_value(cmd.def));
  const std::map<std::string_view, char> modes{{"plain", 'p'}, {"external", 'e'}, {"extended", 'x'}, {"main", 'm'}};
  const auto it = modes.find(mode);
  if (it == modes.end()) return Error(sqlstate::kInvalidParameterValue, "invalid storage type " + quoted(mode));
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  INDIGO_ASSIGN(const bool toastable, is_toastable(c, *column));
  if (it->second != 'p' && !toastable) {
    return Error(
        sqlstate::kFeatureNotSupported,
        "column data type " + type_text(c, {column->type.oid, -1, kInvalidOid}) + " can only have storage PLAIN");
  }
  return update_attribute(c, relation->oid, column->number,
                          [&](RowValues& a) { a.chr(pg_attribute::c_attstorage, it->second); });
}

// Values are not compressed here: the method is kept to be shown.
Status set_compression(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  INDIGO_ASSIGN(const char letter, column_compression(c, column->type, text_value(cmd.def)));
  return update_attribute(c, relation->oid, column->number,
                          [&](RowValues& a) { a.chr(pg_attribute::c_attcompression, letter); });
}

// Of an index; empty for others.
std::string_view method_name(DdlContext& c, const RelationInfo& relation) {
  std::string image;
  const SystemTable& classes = table(c, pg_class::kOid);
  if (relation.kind != RelationKind::kIndex || !classes.find_oid(c.txn, relation.oid, image)) return {};
  const catalog::AccessMethod* method = catalog::access_method(classes.reader(image).oid(pg_class::c_relam));
  return method == nullptr ? std::string_view() : method->name;
}

// SET (fillfactor = ..) and RESET: kept in reloptions. Thresholds hold from the commit on; leaf_size is looked at when the
// table is rewritten.
Status change_options(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  const NodeList list = nodes(cmd.def->list->n_items, cmd.def->list->items);
  const bool reset = cmd.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_ResetRelOptions;
  std::vector<std::string> given;
  if (reset) {
    INDIGO_ASSIGN(given, reset_options(list));
  } else if (relation->kind == RelationKind::kView) {
    INDIGO_ASSIGN(given, view_options(list));
    INDIGO_ASSIGN(const auto query,
                  catalog::settled(c.catalog, [&] { return sql::analyze_view(c.host.session(), *relation); }));
    INDIGO_TRY(check_check_option(given, *query));
  } else {
    INDIGO_ASSIGN(given, storage_options(relation->kind == RelationKind::kIndex ? OptionsOf::kIndex : OptionsOf::kTable,
                                         list, method_name(c, *relation)));
  }
  c.catalog.changed({relation->oid});
  INDIGO_TRY(update_class(c, relation->oid,
                          [&](RowValues& v) { change_option_list(v, pg_class::c_reloptions, given, reset); }));
  apply_options(c, relation);
  return {};
}

// A table that a crash spares refers to no table that it empties.
Status check_persistence_of_references(DdlContext& c, const RelationInfo& relation, char persistence) {
  const auto refuse = [&](const char* to, const char* other, Oid oid) {
    return Error(sqlstate::kInvalidTableDefinition, "could not change table " + quoted(relation.name) + " to " + to +
                                                        " because it references " + other + " table " +
                                                        quoted(current(c, oid)->name));
  };
  if (persistence == 'p') {
    for (const ConstraintInfo& k : relation.constraints) {
      if (k.kind == 'f' && k.foreign_relation != relation.oid && current(c, k.foreign_relation)->persistence != 'p')
        return refuse("logged", "unlogged", k.foreign_relation);
    }
    return {};
  }
  for (const Oid oid : relation.referencing_relations) {
    if (oid != relation.oid && current(c, oid)->persistence == 'p') return refuse("unlogged", "logged", oid);
  }
  return {};
}

// Of its serial and identity columns.
std::vector<Oid> owned_sequences(DdlContext& c, const RelationInfo& relation) {
  std::vector<Oid> out;
  for (const Dependent& d : dependents_of(c, {pg_class::kOid, relation.oid, 0})) {
    SequenceDefinition ignored;
    if (d.address.class_id == pg_class::kOid && (d.type == 'a' || d.type == 'i') &&
        read_sequence(c, d.address.object, ignored)) {
      out.push_back(d.address.object);
    }
  }
  return out;
}

Status change_persistence(DdlContext& c, const RelationPtr& relation, char persistence) {
  if (relation->persistence == 't') {
    return Error(sqlstate::kInvalidTableDefinition,
                 "cannot change logged status of table " + quoted(relation->name) + " because it is temporary");
  }
  INDIGO_TRY(check_persistence_of_references(c, *relation, persistence));
  if (relation->kind == RelationKind::kTable && relation->persistence != persistence)
    c.host.rewritten(relation->oid, rewrite_reason::kPersistence);
  std::vector<Oid> all = owned_sequences(c, *relation);
  all.push_back(relation->oid);
  for (const IndexInfo& index : relation->indexes) all.push_back(index.oid);
  c.catalog.changed(std::vector<Oid>(all));
  for (const Oid oid : all)
    INDIGO_TRY(update_class(c, oid, [&](RowValues& v) { v.chr(pg_class::c_relpersistence, persistence); }));
  return {};
}

Status cluster_on(DdlContext& c, const RelationPtr& relation, std::string_view name) {
  bool found = name.empty();
  for (const IndexInfo& index : relation->indexes) {
    if (index.name != name) continue;
    found = true;
    INDIGO_TRY(check_clusterable(index));
  }
  if (!found && c.catalog.find_relation(relation->schema_name, name) != nullptr) {
    return Error(sqlstate::kWrongObjectType, quoted(name) + " is not an index for table " + quoted(relation->name));
  }
  if (!found)
    return Error(sqlstate::kUndefinedObject,
                 "index " + quoted(name) + " for table " + quoted(relation->name) + " does not exist");
  if (relation->is_partitioned())
    return Error(sqlstate::kFeatureNotSupported, "cannot mark index clustered in partitioned table");
  for (const IndexInfo& index : relation->indexes) {
    INDIGO_TRY(update_row(c, pg_index::kOid, {Datum::of_oid(index.oid)},
                          [&](RowValues& v) { v.flag(pg_index::c_indisclustered, index.name == name); }));
  }
  return {};
}

// What old rows would be told of by, if something replicated: kept to be shown.
Status set_replica_identity(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  const PgQuery__ReplicaIdentityStmt& s = *cmd.def->replica_identity_stmt;
  const char kind = s.identity_type[0];
  Oid chosen = kInvalidOid;
  if (kind == 'i') {
    const IndexInfo* found = nullptr;
    for (const IndexInfo& index : relation->indexes) {
      if (index.name == s.name) found = &index;
    }
    if (found == nullptr) {
      return Error(sqlstate::kUndefinedObject,
                   "index " + quoted(s.name) + " for table " + quoted(relation->name) + " does not exist");
    }
    const auto refuse = [&](SqlState state, std::string_view what) {
      return Error(state, "cannot use " + std::string(what) + " index " + quoted(s.name) + " as replica identity");
    };
    if (!found->unique) return refuse(sqlstate::kWrongObjectType, "non-unique");
    if (!found->immediate) return refuse(sqlstate::kFeatureNotSupported, "non-immediate");
    if (!found->predicate.empty()) return refuse(sqlstate::kFeatureNotSupported, "partial");
    for (const catalog::IndexColumn& column : found->columns) {
      if (column.column == 0) return refuse(sqlstate::kFeatureNotSupported, "expression");
      const ColumnInfo& of = relation->columns[static_cast<size_t>(column.column) - 1];
      if (of.not_null) continue;
      return Error(sqlstate::kWrongObjectType, "index " + quoted(s.name) +
                                                   " cannot be used as replica identity because column " +
                                                   quoted(of.name) + " is nullable");
    }
    chosen = found->oid;
  }
  for (const IndexInfo& index : relation->indexes) {
    INDIGO_TRY(update_row(c, pg_index::kOid, {Datum::of_oid(index.oid)},
                          [&](RowValues& v) { v.flag(pg_index::c_indisreplident, index.oid == chosen); }));
  }
  return update_class(c, relation->oid, [&](RowValues& v) { v.chr(pg_class::c_relreplident, kind); });
}

Status run(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd, bool recurse,
           const UsingValues& computed) {
  switch (cmd.subtype) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn: return add_column(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn: return drop_column(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault: return set_default(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull: return set_not_null(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropNotNull: return drop_not_null(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropExpression: return drop_expression(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType: return alter_column_type(c, relation, cmd, computed);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddIdentity: return add_identity(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetIdentity: return set_identity(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropIdentity: return drop_identity(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint: return add_constraint(c, relation, *cmd.def->constraint);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint: return drop_constraint(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ValidateConstraint: return validate_constraint(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterConstraint: return alter_constraint(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ChangeOwner: {
      INDIGO_ASSIGN(const Oid owner, resolve_role(c, cmd.newowner));
      if (relation->owner != owner && relation->kind == RelationKind::kSequence) {
        INDIGO_TRY(check_not_linked(c, *relation, "cannot change owner of sequence " + quoted(relation->name)));
      }
      if (relation->owner != owner) INDIGO_TRY(check_new_owner(c, owner, relation->schema));
      return change_owner(c, relation, owner);
    }
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetRelOptions:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ResetRelOptions: return change_options(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetLogged: return change_persistence(c, relation, 'p');
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetUnLogged: return change_persistence(c, relation, 'u');
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ClusterOn: return cluster_on(c, relation, cmd.name);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropCluster: return cluster_on(c, relation, "");
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetStatistics: return set_statistics(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetStorage: return set_storage(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetCompression: return set_compression(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetOptions:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ResetOptions: return column_options(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetTableSpace: return move_to_tablespace(c, relation->oid, cmd.name);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableRowSecurity:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableRowSecurity:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ForceRowSecurity:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_NoForceRowSecurity: return set_row_security(c, relation, cmd.subtype);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigAll:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigUser:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigAll:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigUser:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrig:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableAlwaysTrig:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableReplicaTrig:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrig: return enable_triggers(c, relation, cmd, recurse);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableRule:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableAlwaysRule:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableReplicaRule:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableRule: return enable_rule(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ReplicaIdentity: return set_replica_identity(c, relation, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropOids: return {};  // tables have none
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddOf: return set_table_type(c, relation, cmd.def->type_name);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropOf: return clear_table_type(c, relation);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddInherit: return add_inheritance(c, relation, cmd.def->range_var);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropInherit: return drop_inheritance(c, relation, cmd.def->range_var);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AttachPartition:
      if (relation->kind == RelationKind::kIndex || relation->kind == RelationKind::kPartitionedIndex) {
        if (cmd.def->partition_cmd->bound != nullptr)  // ALTER TABLE of an index
          return Error(sqlstate::kInvalidObjectDefinition, quoted(relation->name) + " is not a partitioned table");
        return attach_index(c, relation, cmd.def->partition_cmd->name);
      }
      return attach_partition(c, relation, *cmd.def->partition_cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetAccessMethod: return set_table_method(c, *relation, cmd.name);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_GenericOptions:
      return change_foreign_options(c, *relation, nodes(cmd.def->list->n_items, cmd.def->list->items));
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnGenericOptions:
      return change_column_options(c, *relation, cmd.name, nodes(cmd.def->list->n_items, cmd.def->list->items));
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DetachPartition: return detach_partition(c, relation, *cmd.def->partition_cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DetachPartitionFinalize:
      return finalize_detach(c, relation, *cmd.def->partition_cmd);
    default: return unsupported("this form of ALTER TABLE");
  }
}

bool accepts(RelationKind kind, PgQuery__ObjectType type) {
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX:
      return kind == RelationKind::kIndex || kind == RelationKind::kPartitionedIndex;
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW: return kind == RelationKind::kView;
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW: return kind == RelationKind::kMaterializedView;
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE: return kind == RelationKind::kSequence;
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE: return kind == RelationKind::kForeignTable;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE: return kind == RelationKind::kComposite;
    default: return true;
  }
}

}  // namespace

Status check_new_owner(DdlContext& c, Oid owner, Oid schema) {
  INDIGO_TRY(hold_role(c, owner));
  const Oid user = c.catalog.user();
  if (c.catalog.is_superuser(user)) return {};
  if (!c.catalog.has_role(user, owner)) {
    return Error(sqlstate::kInsufficientPrivilege, "must be member of role " + quoted(c.catalog.role_name(owner)));
  }
  if (schema == kInvalidOid) return {};
  const uint32_t held = catalog::object_privileges(c.catalog, catalog::kSchemaAcl, schema, owner);
  if ((held & types::kPrivilegeCreate) != 0) return {};
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for schema " + c.catalog.schema_name(schema));
}

void pass_on(RowValues& row, int acl_column, Oid before, Oid owner) {
  if (row.get(acl_column).null) return;
  types::Acl acl;
  for (types::AclItem item : types::read_acl(row.get(acl_column).str)) {
    if (item.grantee == before) item.grantee = owner;
    if (item.grantor == before) item.grantor = owner;
    const auto same = std::find_if(acl.begin(), acl.end(), [&](const types::AclItem& other) {
      return other.grantee == item.grantee && other.grantor == item.grantor;
    });
    if (same == acl.end()) {
      acl.push_back(item);
    } else {
      same->privileges |= item.privileges;
      same->options |= item.options;
    }
  }
  row.str(acl_column, types::acl_array(acl));
}

Status change_owner(DdlContext& c, const RelationPtr& relation, Oid owner) {
  if (relation->owner == owner) return {};
  std::vector<Oid> all{relation->oid};
  for (const IndexInfo& index : relation->indexes) all.push_back(index.oid);
  for (const Oid sequence : owned_sequences(c, *relation)) all.push_back(sequence);
  for (const Oid oid : all) {
    INDIGO_TRY(update_class(c, oid, [&](RowValues& v) {
      v.oid(pg_class::c_relowner, owner);
      pass_on(v, pg_class::c_relacl, relation->owner, owner);
    }));
  }
  std::vector<int16_t> granted;  // columns with a list of their own
  table(c, pg_attribute::kOid).scan(c.txn, {Datum::of_oid(relation->oid)}, [&](RowReader row) {
    if (!row.is_null(pg_attribute::c_attacl)) granted.push_back(row.i16(pg_attribute::c_attnum));
    return true;
  });
  for (const int16_t column : granted) {
    INDIGO_TRY(update_row(c, pg_attribute::kOid, {Datum::of_oid(relation->oid), Datum::of(column)},
                          [&](RowValues& v) { pass_on(v, pg_attribute::c_attacl, relation->owner, owner); }));
  }
  if (relation->row_type != kInvalidOid) {
    INDIGO_TRY(update_row(c, pg_type::kOid, {Datum::of_oid(relation->row_type)},
                          [&](RowValues& v) { v.oid(pg_type::c_typowner, owner); }));
    all.push_back(relation->row_type);
  }
  c.catalog.changed(std::move(all));
  return {};
}

namespace {

// One command on a relation, the tables below it and, of a composite type, its typed tables.
Status alter(DdlContext& c, Oid oid, const PgQuery__AlterTableCmd& cmd, bool recurse, const UsingValues& computed) {
  const RelationPtr relation = current(c, oid);
  const AlterOne one = [&](const RelationPtr& r) { return run(c, current(c, r->oid), cmd, recurse, computed); };
  INDIGO_TRY(check_alters_typed(c, *relation, cmd));
  std::vector<RelationPtr> typed;
  if (relation->kind == RelationKind::kComposite) {
    INDIGO_ASSIGN(typed, tables_of_type(c, *relation, cmd.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE));
  }
  INDIGO_TRY(alter_with_children(c, relation, cmd, recurse, one));
  for (const RelationPtr& table : typed) INDIGO_TRY(alter_with_children(c, table, cmd, true, one));
  return {};
}

// Types of columns of keys change last: until then rows are in the order in which the values were computed.
void keep_order_of_rows(const RelationInfo& relation, const UsingValues& computed,
                        std::vector<const PgQuery__AlterTableCmd*>& commands) {
  const auto rank = [&](const PgQuery__AlterTableCmd* cmd) {
    if (pass_of(*cmd) != 1 || !computed.values.contains(std::pair(relation.oid, std::string(cmd->name)))) return 2;
    return computed.of_keys.contains(cmd->name) ? 1 : 0;
  };
  std::stable_sort(commands.begin(), commands.end(), [&](const auto* a, const auto* b) {
    return std::pair(pass_of(*a), rank(a)) < std::pair(pass_of(*b), rank(b));
  });
}

}  // namespace

Status execute_alter_table(DdlContext& c, const PgQuery__AlterTableStmt& s) {
  std::vector<const PgQuery__AlterTableCmd*> commands;
  TableLockMode mode = TableLockMode::kShareUpdateExclusive;
  for (const PgQuery__Node* node : nodes(s.n_cmds, s.cmds)) {
    commands.push_back(node->alter_table_cmd);
    mode = std::max(mode, lock_of(*node->alter_table_cmd));
  }
  INDIGO_ASSIGN(const RelationPtr relation, open_relation(c, s.relation, mode, s.missing_ok, check_definable));
  if (relation == nullptr) {
    notice(c, "relation " + quoted(s.relation->relname) + " does not exist, skipping");
    return {};
  }
  if (!accepts(relation->kind, s.objtype)) {
    const std::string wanted = s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_INDEX ? "an index"
                               : s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_TYPE
                                   ? "a composite type"
                                   : "a " + types::to_lower(object_type_name(s.objtype));
    return Error(sqlstate::kWrongObjectType, quoted(relation->name) + " is not " + wanted);
  }
  if (s.objtype != PG_QUERY__OBJECT_TYPE__OBJECT_TYPE) INDIGO_TRY(check_not_type(*relation));
  for (const PgQuery__AlterTableCmd* cmd : commands) INDIGO_TRY(check_alter_target(*relation, cmd->subtype));
  INDIGO_TRY(refuse_detaching(*relation));
  const auto methods = std::count_if(commands.begin(), commands.end(), [](const PgQuery__AlterTableCmd* cmd) {
    return cmd->subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_SetAccessMethod;
  });
  if (methods > 1) return Error(sqlstate::kFeatureNotSupported, "cannot have multiple SET ACCESS METHOD subcommands");
  if (relation->kind != RelationKind::kView) INDIGO_TRY(check_not_in_use(c, *relation, "ALTER TABLE"));
  std::stable_sort(commands.begin(), commands.end(),
                   [](const auto* a, const auto* b) { return pass_of(*a) < pass_of(*b); });
  INDIGO_ASSIGN(const UsingValues computed, using_values(c, relation, commands, s.relation->inh));
  if (!computed.values.empty()) keep_order_of_rows(*relation, computed, commands);
  for (const PgQuery__AlterTableCmd* cmd : commands)
    INDIGO_TRY(alter(c, relation->oid, *cmd, s.relation->inh, computed));
  return {};
}

}  // namespace indigo::engine::ddl
