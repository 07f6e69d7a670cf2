#include "engine/ddl/table/foreign_key_partitions.h"

#include <algorithm>

#include "catalog/descriptor/foreign_key_info.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/trigger/trigger_rows.h"
#include "engine/row_sink.h"
#include "sql/partition/partition_map.h"
#include "types/value/vector.h"

namespace indigo::engine::ddl {

namespace {

std::vector<int16_t> columns_of_child(const RelationInfo& parent, const std::vector<int16_t>& columns,
                                      const RelationInfo& child) {
  std::vector<int16_t> out;
  for (const int16_t number : columns) {
    out.push_back(child.find_column(parent.columns[static_cast<size_t>(number) - 1].name)->number);
  }
  return out;
}

std::string free_foreign_key_name(DdlContext& c, const RelationInfo& relation, const std::vector<int16_t>& columns) {
  std::string names;
  for (const int16_t number : columns) {
    names += (names.empty() ? "" : "_") + relation.columns[static_cast<size_t>(number) - 1].name;
  }
  return choose_constraint_name(c, relation.name, names, "fkey", relation.schema);
}

// What a constraint below `k` takes over from it; its own oid, name, relations, columns and index are still to come.
NewConstraint below_constraint(DdlContext& c, const ConstraintInfo& k, Oid schema) {
  NewConstraint n;
  n.oid = next_oid(c);
  n.schema = schema;
  n.kind = 'f';
  n.deferrable = k.deferrable;
  n.deferred = k.deferred;
  n.validated = k.validated;
  n.is_local = false;
  n.inherit_count = 1;
  n.parent = k.oid;
  n.on_update = k.on_update;
  n.on_delete = k.on_delete;
  n.match = k.match;
  return n;
}

Status set_operators(DdlContext& c, const RelationInfo& relation, const RelationInfo& foreign, NewConstraint& n) {
  for (size_t i = 0; i < n.columns.size(); i++) {
    INDIGO_ASSIGN(const Oid op, foreign_key_operator(c, n.name, relation.columns[static_cast<size_t>(n.columns[i]) - 1],
                                                     foreign.columns[static_cast<size_t>(n.foreign_columns[i]) - 1]));
    n.equality.push_back(op);
  }
  return {};
}

const ConstraintInfo* constraint_of(const RelationInfo& relation, Oid oid) {
  for (const ConstraintInfo& k : relation.constraints) {
    if (k.oid == oid) return &k;
  }
  return nullptr;
}

// The constraint of `relation` that references `parent`, for one of parent's partitions.
Status reference_partition(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& k,
                           const RelationInfo& parent, Oid partition, Oid leaving) {
  INDIGO_TRY(lock_object(c, partition, TableLockMode::kShareRowExclusive));
  const RelationPtr foreign = current(c, partition);
  NewConstraint n = below_constraint(c, k, relation.schema);
  n.relation = relation.oid;
  n.foreign_relation = foreign->oid;
  n.columns = k.columns;
  n.delete_set_columns = k.delete_set_columns;
  n.foreign_columns = columns_of_child(parent, k.foreign_columns, *foreign);
  for (const IndexInfo& index : foreign->indexes) {
    if (index.parent == k.index) n.index = index.oid;
  }
  if (n.index == kInvalidOid) {
    return Error(sqlstate::kInvalidForeignKey,
                 "there is no unique constraint matching given keys for referenced table " + quoted(foreign->name));
  }
  n.name = free_foreign_key_name(c, relation, n.columns);
  INDIGO_TRY(set_operators(c, relation, *foreign, n));
  INDIGO_TRY(insert_foreign_key(c, n));
  INDIGO_TRY(record_dependency(c, {pg_constraint::kOid, n.oid, 0}, {pg_constraint::kOid, k.oid, 0}, 'i'));
  INDIGO_TRY(add_action_triggers(c, n, k.oid, parent.oid));
  return add_referenced_partitions(c, n, leaving);
}

}  // namespace

Status add_referenced_partitions(DdlContext& c, const NewConstraint& n, Oid leaving) {
  std::string image;
  const SystemTable& classes = table(c, pg_class::kOid);
  const bool found = classes.find_oid(c.txn, n.foreign_relation, image);
  if (!found || classes.reader(image).chr(pg_class::c_relkind) != 'p') return {};
  const RelationPtr foreign = current(c, n.foreign_relation);
  INDIGO_ASSIGN(const auto map, sql::partition::PartitionMap::of(c.host.session(), *foreign));
  for (const int number : map->in_order()) {  // their names are numbered in this order
    const Oid partition = foreign->children[static_cast<size_t>(number)];
    if (partition == leaving) continue;
    const RelationPtr relation = current(c, n.relation);
    const ConstraintInfo* k = constraint_of(*relation, n.oid);
    if (k != nullptr) INDIGO_TRY(reference_partition(c, *relation, *k, *foreign, partition, leaving));
  }
  return {};
}

Status add_referenced_partition(DdlContext& c, const RelationInfo& parent, Oid partition) {
  for (size_t i = 0; i < parent.referenced_by.size(); i++) {
    const RelationPtr relation = current(c, parent.referencing_relations[i]);
    INDIGO_TRY(reference_partition(c, *relation, parent.referenced_by[i], parent, partition, kInvalidOid));
  }
  return {};
}

namespace {

// 23503 with the first row of `relation` that references one of the partition's.
Status check_not_referenced(DdlContext& c, const RelationInfo& partition, const RelationInfo& relation,
                            const ConstraintInfo& k) {
  std::string list, join, names;
  for (size_t i = 0; i < k.columns.size(); i++) {
    const ColumnInfo& mine = relation.columns[static_cast<size_t>(k.columns[i]) - 1];
    const ColumnInfo& theirs = partition.columns[static_cast<size_t>(k.foreign_columns[i]) - 1];
    list += (i > 0 ? ", fk." : "fk.") + identifier(mine.name);
    names += (i > 0 ? ", " : "") + mine.name;
    join += (i > 0 ? " AND " : "") + key_match(c, theirs, mine);
  }
  const std::string sql = "SELECT " + list + " FROM " + (relation.is_partitioned() ? "" : "ONLY ") +
                          qualified(relation) + " fk JOIN " + qualified(partition) + " pk ON (" + join + ") LIMIT 1";
  std::optional<std::string> values;
  INDIGO_TRY(c.host.run_query(sql, [&](const ResultShape& shape, const Chunk& chunk) -> Status {
    if (chunk.rows() == 0 || values) return {};
    values.emplace();
    for (size_t i = 0; i < chunk.columns.size(); i++) {
      *values += (i > 0 ? ", " : "") + value_text(c, shape.columns[i].type, chunk.columns[i].datum(chunk.selection[0]));
    }
    return {};
  }));
  if (!values) return {};
  Error error(sqlstate::kForeignKeyViolation,
              "removing partition " + quoted(partition.name) + " violates foreign key constraint " + quoted(k.name));
  error.detail = "Key (" + names + ")=(" + *values + ") is still referenced from table " + quoted(relation.name) + ".";
  error.schema = relation.schema_name;
  error.table = relation.name;
  error.constraint = k.name;
  return error;
}

}  // namespace

Status check_not_referenced(DdlContext& c, const RelationInfo& partition) {
  for (size_t i = 0; i < partition.referenced_by.size(); i++) {
    const ConstraintInfo& k = partition.referenced_by[i];
    if (k.parent == kInvalidOid) continue;
    INDIGO_TRY(lock_object(c, partition.referencing_relations[i], TableLockMode::kShareRowExclusive));
    INDIGO_TRY(check_not_referenced(c, partition, *current(c, partition.referencing_relations[i]), k));
  }
  return {};
}

Status remove_referenced_partition(DdlContext& c, const RelationInfo& partition) {
  // Their constraints go. At once, and not after a weaker lock: who has read such a table may go on to change it.
  for (size_t i = 0; i < partition.referenced_by.size(); i++) {
    if (partition.referenced_by[i].parent == kInvalidOid) continue;
    INDIGO_TRY(lock_object(c, partition.referencing_relations[i], TableLockMode::kAccessExclusive));
  }
  INDIGO_TRY(check_not_referenced(c, partition));
  for (const ConstraintInfo& k : partition.referenced_by) {
    if (k.parent == kInvalidOid) continue;
    const Address self{pg_constraint::kOid, k.oid, 0};
    INDIGO_TRY(remove_dependency(c, self, {pg_constraint::kOid, k.parent, 0}));
    INDIGO_TRY(drop_objects(c, {self}, true, true));
  }
  return {};
}

namespace {

// The table's own foreign key that means the same as its new parent's.
const ConstraintInfo* same_foreign_key(const RelationInfo& relation, const ConstraintInfo& wanted,
                                       const std::vector<int16_t>& columns,
                                       const std::vector<int16_t>& delete_set_columns) {
  for (const ConstraintInfo& k : relation.constraints) {
    if (k.kind != 'f' || k.parent != kInvalidOid || !k.validated) continue;
    const bool same = k.foreign_relation == wanted.foreign_relation && k.columns == columns &&
                      k.foreign_columns == wanted.foreign_columns && k.deferrable == wanted.deferrable &&
                      k.deferred == wanted.deferred && k.on_update == wanted.on_update &&
                      k.on_delete == wanted.on_delete && k.match == wanted.match &&
                      k.delete_set_columns == delete_set_columns;
    if (same) return &k;
  }
  return nullptr;
}

Status depend_on_parent(DdlContext& c, Oid constraint, Oid parent, Oid relation) {
  const Address self{pg_constraint::kOid, constraint, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_constraint::kOid, parent, 0}, 'P'));
  return record_dependency(c, self, {pg_class::kOid, relation, 0}, 'S');
}

// The constraint is the partition's part of `parent`'s now: actions are found through that one.
Status adopt_foreign_key(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& own,
                         const RelationInfo& parent, const ConstraintInfo& above) {
  for (const ConstraintInfo& k : relation.constraints) {
    if (k.parent != own.oid) continue;
    const Address below{pg_constraint::kOid, k.oid, 0};
    INDIGO_TRY(remove_dependency(c, below, {pg_constraint::kOid, own.oid, 0}));
    INDIGO_TRY(drop_objects(c, {below}, true, true));
  }
  INDIGO_TRY(drop_action_triggers(c, own.foreign_relation, own.oid));
  INDIGO_TRY(link_check_triggers(c, relation.oid, own.oid, above.oid, parent.oid));
  c.catalog.changed({relation.oid, own.foreign_relation});
  INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(own.oid)}, [&](RowValues& v) {
    v.oid(pg_constraint::c_conparentid, above.oid)
        .flag(pg_constraint::c_conislocal, false)
        .i32(pg_constraint::c_coninhcount, own.inherit_count + 1);
  }));
  return depend_on_parent(c, own.oid, above.oid, relation.oid);
}

}  // namespace

Status add_foreign_key_like(DdlContext& c, const ConstraintTarget& target, const RelationInfo& parent,
                            const ConstraintInfo& k) {
  const RelationPtr relation = current(c, target.relation);
  if (relation->is_foreign()) {
    return Error(sqlstate::kWrongObjectType, "foreign key constraints are not supported on foreign tables");
  }
  INDIGO_ASSIGN(const RelationPtr foreign, open_relation(c, k.foreign_relation, TableLockMode::kShareRowExclusive));
  if (foreign->is_partitioned()) INDIGO_TRY(with_descendants(c, foreign->oid, TableLockMode::kShareRowExclusive));
  for (const ConstraintInfo& other : relation->constraints) {
    if (other.kind == 'f' && other.parent == k.oid) return {};
  }
  const std::vector<int16_t> columns = columns_of_child(parent, k.columns, *relation);
  const std::vector<int16_t> set_columns = columns_of_child(parent, k.delete_set_columns, *relation);
  if (const ConstraintInfo* own = same_foreign_key(*relation, k, columns, set_columns)) {
    return adopt_foreign_key(c, *relation, *own, parent, k);
  }
  NewConstraint n = below_constraint(c, k, relation->schema);
  n.relation = relation->oid;
  n.foreign_relation = foreign->oid;
  n.columns = columns;
  n.delete_set_columns = set_columns;
  n.foreign_columns = k.foreign_columns;
  n.index = k.index;
  n.name = k.name;
  if (!check_constraint_name_free(*relation, n.name).ok()) n.name = free_foreign_key_name(c, *relation, n.columns);
  INDIGO_TRY(set_operators(c, *relation, *foreign, n));
  INDIGO_TRY(insert_foreign_key(c, n));
  INDIGO_TRY(depend_on_parent(c, n.oid, k.oid, relation->oid));
  INDIGO_TRY(add_check_triggers(c, n, k.oid, parent.oid));
  if (!target.is_new && n.validated) {
    const RelationPtr now = current(c, relation->oid);
    const ConstraintInfo* added = now->is_partitioned() ? nullptr : constraint_of(*now, n.oid);
    if (added != nullptr) INDIGO_TRY(validate_foreign_key(c, *now, *added));
  }
  return add_foreign_key_below(c, current(c, relation->oid), n.oid);
}

Status add_foreign_key_below(DdlContext& c, const RelationPtr& relation, Oid constraint) {
  if (!relation->is_partitioned()) return {};
  for (const Oid child : relation->children) {
    INDIGO_TRY(lock_object(c, child, TableLockMode::kShareRowExclusive));
    const RelationPtr now = current(c, relation->oid);
    const ConstraintInfo* k = constraint_of(*now, constraint);
    if (k == nullptr) continue;
    ConstraintTarget target;
    target.relation = child;
    INDIGO_TRY(add_foreign_key_like(c, target, *now, *k));
  }
  return {};
}

Status detach_foreign_key(DdlContext& c, const RelationInfo& partition, const ConstraintInfo& k) {
  const Address self{pg_constraint::kOid, k.oid, 0};
  for (const Dependent& r : references_of(c, self)) {
    if (r.type == 'S' || r.type == 'P') INDIGO_TRY(remove_dependency(c, self, r.address));
  }
  INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(k.oid)}, [&](RowValues& v) {
    v.oid(pg_constraint::c_conparentid, kInvalidOid)
        .flag(pg_constraint::c_conislocal, true)
        .i32(pg_constraint::c_coninhcount, 0);
  }));
  c.catalog.changed({partition.oid, k.foreign_relation});
  INDIGO_TRY(link_check_triggers(c, partition.oid, k.oid, kInvalidOid, kInvalidOid));
  NewConstraint n = below_constraint(c, k, partition.schema);
  n.oid = k.oid;
  n.name = k.name;
  n.relation = partition.oid;
  n.foreign_relation = k.foreign_relation;
  n.index = k.index;
  INDIGO_TRY(add_action_triggers(c, n, kInvalidOid, kInvalidOid));
  return add_referenced_partitions(c, n, partition.oid);
}

Status defer_foreign_key(DdlContext& c, Oid constraint, bool deferrable, bool deferred) {
  Oid relation = kInvalidOid, foreign = kInvalidOid;
  INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(constraint)}, [&](RowValues& v) {
    relation = v.get(pg_constraint::c_conrelid).oid();
    foreign = v.get(pg_constraint::c_confrelid).oid();
    v.flag(pg_constraint::c_condeferrable, deferrable).flag(pg_constraint::c_condeferred, deferred);
  }));
  c.catalog.changed({relation, foreign});
  INDIGO_TRY(defer_foreign_key_triggers(c, relation, constraint, deferrable, deferred));
  INDIGO_TRY(defer_foreign_key_triggers(c, foreign, constraint, deferrable, deferred));
  for (const Dependent& d : dependents_of(c, {pg_constraint::kOid, constraint, 0})) {
    if (d.address.class_id != pg_constraint::kOid) continue;
    INDIGO_TRY(defer_foreign_key(c, d.address.object, deferrable, deferred));
  }
  return {};
}

Status refuse_inherited_foreign_key(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& k) {
  RelationPtr table = current(c, relation.oid);
  std::string root = k.name;
  for (Oid parent = k.parent; parent != kInvalidOid;) {
    const ConstraintInfo* above = constraint_of(*table, parent);
    if (above == nullptr) {
      if (table->parents.empty()) break;
      table = current(c, table->parents[0]);
      continue;
    }
    root = above->name;
    parent = above->parent;
  }
  return Error(sqlstate::kObjectNotInPrerequisiteState,
               "cannot alter constraint " + quoted(k.name) + " on relation " + quoted(relation.name))
      .with_detail("Constraint " + quoted(k.name) + " is derived from constraint " + quoted(root) + " of relation " +
                   quoted(table->name) + ".")
      .with_hint("You may alter the constraint it derives from, instead.");
}

}  // namespace indigo::engine::ddl
