#include "engine/ddl/partition/partition_index.h"

#include <algorithm>

#include "catalog/tables/system_table.h"
#include "engine/ddl/expression.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/session/progress.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_inherits = catalog::pg_inherits;

const ConstraintInfo* constraint_of(const RelationInfo& relation, Oid index) {
  for (const ConstraintInfo& k : relation.constraints) {
    if (k.index == index && k.kind != 'f') return &k;
  }
  return nullptr;
}

const IndexInfo* index_of(const RelationInfo& relation, Oid oid) {
  for (const IndexInfo& i : relation.indexes) {
    if (i.oid == oid) return &i;
  }
  return nullptr;
}

std::string_view name_of(const RelationInfo& relation, int16_t number) {
  return number > 0 ? std::string_view(relation.columns[static_cast<size_t>(number) - 1].name) : std::string_view();
}

// Would `own` of the partition do as the part of `index`?
bool fits(DdlContext& c, const RelationInfo& parent, const IndexInfo& index, const RelationInfo& partition,
          const IndexInfo& own) {
  if (own.unique != index.unique || own.method != index.method || own.columns.size() != index.columns.size() ||
      own.included.size() != index.included.size() ||
      !same_expression(c, own.predicate, partition, index.predicate, parent) ||
      own.nulls_not_distinct != index.nulls_not_distinct) {
    return false;
  }
  for (size_t i = 0; i < own.columns.size(); i++) {
    const catalog::IndexColumn &a = own.columns[i], &b = index.columns[i];
    if ((a.column == 0) != (b.column == 0) || !same_expression(c, a.expression, partition, b.expression, parent) ||
        a.opclass != b.opclass || a.type.collation != b.type.collation || a.descending != b.descending ||
        a.nulls_first != b.nulls_first || name_of(partition, a.column) != name_of(parent, b.column)) {
      return false;
    }
  }
  for (size_t i = 0; i < own.included.size(); i++) {
    if (name_of(partition, own.included[i]) != name_of(parent, index.included[i])) return false;
  }
  return true;
}

// `made`: for its parent, and was not there before.
Status link_constraint(DdlContext& c, const RelationInfo& parent, Oid index, const RelationInfo& partition, Oid own,
                       bool made) {
  const ConstraintInfo* above = constraint_of(parent, index);
  const ConstraintInfo* k = constraint_of(partition, own);
  if (above == nullptr || k == nullptr) return {};
  INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(k->oid)}, [&](RowValues& v) {
    v.oid(pg_constraint::c_conparentid, above->oid)
        .flag(pg_constraint::c_conislocal, false)
        .i32(pg_constraint::c_coninhcount, 1);
    if (made) v.flag(pg_constraint::c_connoinherit, false);
  }));
  const Address self{pg_constraint::kOid, k->oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_constraint::kOid, above->oid, 0}, 'P'));
  return record_dependency(c, self, {pg_class::kOid, partition.oid, 0}, 'S');
}

Status link_index(DdlContext& c, const RelationInfo& parent, Oid index, const RelationInfo& partition, Oid own,
                  bool made = false) {
  SystemTable& t = table(c, pg_inherits::kOid);
  RowValues row(t.definition());
  row.oid(pg_inherits::c_inhrelid, own)
      .oid(pg_inherits::c_inhparent, index)
      .i32(pg_inherits::c_inhseqno, 1)
      .flag(pg_inherits::c_inhdetachpending, false);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  INDIGO_TRY(update_class(c, own, [](RowValues& v) { v.flag(pg_class::c_relispartition, true); }));
  INDIGO_TRY(update_class(c, index, [](RowValues& v) { v.flag(pg_class::c_relhassubclass, true); }));
  const Address self{pg_class::kOid, own, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, index, 0}, 'P'));
  INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, partition.oid, 0}, 'S'));
  INDIGO_TRY(link_constraint(c, parent, index, partition, own, made));
  c.catalog.changed({own, index, partition.oid, parent.oid});
  return {};
}

// An index of a partitioned table becomes valid when every partition has its part.
Status validate_if_complete(DdlContext& c, const RelationPtr& relation, Oid index) {
  for (const Oid child : relation->children) {
    const RelationPtr partition = current(c, child);
    if (partition->is_foreign()) continue;
    const bool has = std::any_of(partition->indexes.begin(), partition->indexes.end(),
                                 [&](const IndexInfo& i) { return i.parent == index && i.valid; });
    if (!has) return {};
  }
  c.catalog.changed({relation->oid, index});
  INDIGO_TRY(update_row(c, pg_index::kOid, {Datum::of_oid(index)},
                        [](RowValues& v) { v.flag(pg_index::c_indisvalid, true); }));
  const IndexInfo* own = index_of(*relation, index);
  if (own == nullptr || own->parent == kInvalidOid || relation->parents.empty()) return {};
  return validate_if_complete(c, current(c, relation->parents[0]), own->parent);
}

Oid table_of(DdlContext& c, Oid index) {
  std::string image;
  const SystemTable& indexes = table(c, pg_index::kOid);
  return indexes.find_oid(c.txn, index, image) ? indexes.reader(image).oid(pg_index::c_indrelid) : kInvalidOid;
}

Error unique_over_foreign(const RelationInfo& table) {
  return Error(sqlstate::kWrongObjectType, "cannot create unique index on partitioned table " + quoted(table.name))
      .with_detail("Table " + quoted(table.name) + " contains partitions that are foreign tables.");
}

}  // namespace

Status check_no_foreign_partition(DdlContext& c, const RelationInfo& table) {
  INDIGO_ASSIGN(const std::vector<Oid> all, with_descendants(c, table.oid, TableLockMode::kShare));
  for (const Oid oid : all) {
    if (current(c, oid)->is_foreign()) return unique_over_foreign(table);
  }
  return {};
}

Status check_foreign_partition(const RelationInfo& parent) {
  for (const IndexInfo& index : parent.indexes) {
    if (!index.unique) continue;
    return Error(sqlstate::kWrongObjectType,
                 "cannot create foreign partition of partitioned table " + quoted(parent.name))
        .with_detail("Table " + quoted(parent.name) + " contains indexes that are unique.");
  }
  return {};
}

Status check_partitioned_key(DdlContext& c, const RelationInfo& relation, const IndexSpec& spec) {
  if (!relation.is_partitioned() || !spec.unique) return {};
  constexpr int kEqual = 3;  // of a btree, and so operator_in_class has hash classes' one
  const auto equality = [&](Oid opclass) { return c.catalog.operator_in_class(opclass, kEqual); };
  const std::string kind = spec.primary ? "PRIMARY KEY" : "UNIQUE";
  for (const catalog::PartitionKeyColumn& k : relation.partition_key->columns) {
    if (k.column == 0) {
      return Error(sqlstate::kFeatureNotSupported, "unsupported " + kind + " constraint with partition key definition")
          .with_detail(kind + " constraints cannot be used when partition keys include expressions.");
    }
    // Rows that the index calls equal must be in one partition.
    const bool has = std::any_of(spec.columns.begin(), spec.columns.end(), [&](const IndexColumnSpec& column) {
      return column.column == k.column &&
             (column.opclass == k.opclass || equality(column.opclass) == equality(k.opclass));
    });
    if (has) continue;
    return Error(sqlstate::kFeatureNotSupported,
                 "unique constraint on partitioned table must include all partitioning columns")
        .with_detail(kind + " constraint on table " + quoted(relation.name) + " lacks column " +
                     quoted(name_of(relation, k.column)) + " which is part of the partition key.");
  }
  return {};
}

Status add_partition_index(DdlContext& c, ConstraintTarget& target, const RelationInfo& parent,
                           const IndexInfo& index) {
  const RelationPtr partition = current(c, target.relation);
  if (partition->is_foreign()) return index.unique ? Status(unique_over_foreign(parent)) : Status();
  const bool constraint = constraint_of(parent, index.oid) != nullptr;
  for (const IndexInfo& own : partition->indexes) {
    if (own.parent == index.oid) return {};
    if (own.parent != kInvalidOid || own.primary != index.primary || !fits(c, parent, index, *partition, own)) continue;
    if (constraint != (constraint_of(*partition, own.oid) != nullptr)) continue;
    return link_index(c, parent, index.oid, *partition, own.oid);
  }
  IndexSpec key;  // of a partition that has partitions: theirs may be cut by other columns
  key.unique = index.unique;
  key.primary = index.primary;
  for (const catalog::IndexColumn& above : index.columns) {
    for (const ColumnInfo& column : partition->columns) {
      if (above.column == 0 || column.name != name_of(parent, above.column)) continue;
      IndexColumnSpec& own = key.columns.emplace_back();
      own.column = column.number;
      own.opclass = above.opclass;
    }
  }
  INDIGO_TRY(check_partitioned_key(c, *partition, key));
  INDIGO_TRY(add_key_like(c, target, parent, index));
  const RelationPtr now = current(c, target.relation);
  for (const IndexInfo& own : now->indexes) {
    if (index_of(*partition, own.oid) != nullptr) continue;
    INDIGO_TRY(link_index(c, parent, index.oid, *now, own.oid, true));
    return add_partition_indexes(c, current(c, target.relation), own.oid);
  }
  return {};
}

Status add_partition_indexes(DdlContext& c, const RelationPtr& relation, Oid index) {
  if (!relation->is_partitioned()) return {};
  namespace building = progress::index;
  Progress* const shown = running(c.host.progress(), ProgressCommand::kCreateIndex);
  // Of the whole, not of a partition that has partitions.
  const bool outermost = shown != nullptr && shown->get(building::kPartitionsTotal) == 0;
  if (outermost) shown->set(building::kPartitionsTotal, static_cast<int64_t>(relation->children.size()));
  for (const Oid child : relation->children) {
    INDIGO_TRY(lock_object(c, child, TableLockMode::kShare));
    const RelationPtr now = current(c, relation->oid);
    const IndexInfo* info = index_of(*now, index);
    if (info == nullptr) return {};
    ConstraintTarget target;
    target.relation = child;
    INDIGO_TRY(add_partition_index(c, target, *now, *info));
    if (outermost) shown->add(building::kPartitionsDone, 1);
  }
  return {};
}

Status attach_index(DdlContext& c, const RelationPtr& index, const PgQuery__RangeVar* name) {
  if (index->kind != RelationKind::kPartitionedIndex) {
    return Error(sqlstate::kWrongObjectType, quoted(index->name) + " is not a partitioned index");
  }
  INDIGO_ASSIGN(const RelationPtr partition_index, open_relation(c, name, TableLockMode::kAccessExclusive));
  const bool is_index =
      partition_index->kind == RelationKind::kIndex || partition_index->kind == RelationKind::kPartitionedIndex;
  if (!is_index) return Error(sqlstate::kWrongObjectType, quoted(partition_index->name) + " is not an index");
  INDIGO_TRY(check_owner(c, *partition_index));
  const RelationPtr parent = current(c, table_of(c, index->oid));
  const RelationPtr partition = current(c, table_of(c, partition_index->oid));
  const IndexInfo* above = index_of(*parent, index->oid);
  const IndexInfo* own = index_of(*partition, partition_index->oid);
  if (own->parent == index->oid) return {};
  const auto refuse = [&](SqlState state, std::string detail) {
    return Error(state, "cannot attach index " + quoted(partition_index->name) + " as a partition of index " +
                            quoted(index->name))
        .with_detail(std::move(detail));
  };
  for (const IndexInfo& other : partition->indexes) {
    if (other.parent == index->oid) {
      return refuse(sqlstate::kObjectNotInPrerequisiteState,
                    "Another index is already attached for partition " + quoted(partition->name) + ".");
    }
  }
  if (own->parent != kInvalidOid) {
    return refuse(sqlstate::kObjectNotInPrerequisiteState,
                  "Index " + quoted(partition_index->name) + " is already attached to another index.");
  }
  if (std::find(parent->children.begin(), parent->children.end(), partition->oid) == parent->children.end()) {
    return refuse(sqlstate::kInvalidObjectDefinition, "Index " + quoted(partition_index->name) +
                                                          " is not an index on any partition of table " +
                                                          quoted(parent->name) + ".");
  }
  if (!fits(c, *parent, *above, *partition, *own)) {
    return refuse(sqlstate::kInvalidObjectDefinition, "The index definitions do not match.");
  }
  if (constraint_of(*parent, index->oid) != nullptr && constraint_of(*partition, own->oid) == nullptr) {
    return refuse(sqlstate::kInvalidObjectDefinition,
                  "The index " + quoted(index->name) + " belongs to a constraint in table " + quoted(parent->name) +
                      " but no constraint exists for index " + quoted(partition_index->name) + ".");
  }
  INDIGO_TRY(link_index(c, *parent, index->oid, *partition, own->oid));
  return validate_if_complete(c, current(c, parent->oid), index->oid);
}

Status unlink_index(DdlContext& c, Oid index) {
  SystemTable& t = table(c, pg_inherits::kOid);
  Oid parent = kInvalidOid;
  t.scan(c.txn, {Datum::of_oid(index)}, [&](RowReader row) {
    parent = row.oid(pg_inherits::c_inhparent);
    return false;
  });
  if (parent == kInvalidOid) return {};
  INDIGO_TRY(check_erased(t.erase(c.txn, {Datum::of_oid(index), Datum::of(int32_t{1})})));
  INDIGO_TRY(update_class(c, index, [](RowValues& v) { v.flag(pg_class::c_relispartition, false); }));
  const Address self{pg_class::kOid, index, 0};
  const RelationPtr partition = current(c, table_of(c, index));
  INDIGO_TRY(remove_dependency(c, self, {pg_class::kOid, parent, 0}));
  c.catalog.changed({index, parent, partition->oid});
  // The dependency on the table as a whole was for the link alone.
  for (const Dependent& r : references_of(c, self)) {
    if (r.type == 'S') INDIGO_TRY(remove_dependency(c, self, r.address));
  }
  const ConstraintInfo* k = constraint_of(*partition, index);
  if (k == nullptr || k->parent == kInvalidOid) return {};
  const Address constraint{pg_constraint::kOid, k->oid, 0};
  for (const Dependent& r : references_of(c, constraint)) {
    if (r.type == 'S' || r.type == 'P') INDIGO_TRY(remove_dependency(c, constraint, r.address));
  }
  return update_row(c, pg_constraint::kOid, {Datum::of_oid(k->oid)}, [&](RowValues& v) {
    v.oid(pg_constraint::c_conparentid, kInvalidOid)
        .flag(pg_constraint::c_conislocal, true)
        .i32(pg_constraint::c_coninhcount, 0);
  });
}

}  // namespace indigo::engine::ddl
