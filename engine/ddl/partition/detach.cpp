#include "engine/ddl/partition/detach.h"

#include <algorithm>

#include "catalog/descriptor/foreign_key_info.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/expression.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/partition/partition_index.h"
#include "engine/ddl/partition/partition_key.h"
#include "engine/ddl/table/foreign_key_partitions.h"
#include "engine/ddl/trigger/trigger_rows.h"
#include "sql/partition/constraint_text.h"
#include "sql/partition/partition_map.h"
#include "storage/holders.h"
#include "storage/store.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_inherits = catalog::pg_inherits;

constexpr const char* kFinalizeHint =
    "Use ALTER TABLE ... DETACH PARTITION ... FINALIZE to complete the pending detach operation.";

Status abandon_columns(DdlContext& c, const RelationInfo& parent, const RelationInfo& child) {
  for (const ColumnInfo& column : parent.columns) {
    const ColumnInfo* own = column.dropped ? nullptr : child.find_column(column.name);
    if (own == nullptr) continue;
    INDIGO_TRY(update_attribute(c, child.oid, own->number, [&](RowValues& v) {
      const int32_t count = v.get(pg_attribute::c_attinhcount).i32;
      if (count == 0) return;
      v.i32(pg_attribute::c_attinhcount, count - 1);
      if (count == 1) v.flag(pg_attribute::c_attislocal, true);
    }));
  }
  for (const ConstraintInfo& k : child.constraints) {
    if (k.kind != 'c' || k.inherit_count == 0) continue;
    const bool inherited = std::any_of(parent.constraints.begin(), parent.constraints.end(),
                                       [&](const ConstraintInfo& o) { return o.kind == 'c' && o.name == k.name; });
    if (!inherited) continue;
    INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(k.oid)}, [&](RowValues& v) {
      v.i32(pg_constraint::c_coninhcount, k.inherit_count - 1);
      if (k.inherit_count == 1) v.flag(pg_constraint::c_conislocal, true);
    }));
  }
  c.catalog.changed({child.oid});
  return {};
}

// The row of pg_inherits; -1: there is none.
int32_t place_below(DdlContext& c, Oid child, Oid parent) {
  int32_t sequence = -1;
  table(c, pg_inherits::kOid).scan(c.txn, {Datum::of_oid(child)}, [&](RowReader row) {
    if (row.oid(pg_inherits::c_inhparent) == parent) sequence = row.i32(pg_inherits::c_inhseqno);
    return sequence < 0;
  });
  return sequence;
}

Status check_is_partition(const RelationInfo& child, const RelationInfo& parent) {
  if (std::find(child.parents.begin(), child.parents.end(), parent.oid) != child.parents.end()) return {};
  return Error(sqlstate::kUndefinedTable,
               "relation " + quoted(child.name) + " is not a partition of relation " + quoted(parent.name));
}

// Both are locked.
Status let_go(DdlContext& c, const RelationInfo& parent, const RelationPtr& child) {
  for (const IndexInfo& index : child->indexes) INDIGO_TRY(unlink_index(c, index.oid));
  for (const ConstraintInfo& k : child->constraints) {
    if (k.kind == 'f' && k.parent != kInvalidOid && !catalog::is_reference_to_partition(*child, k)) {
      INDIGO_TRY(detach_foreign_key(c, *child, k));
    }
  }
  INDIGO_TRY(remove_referenced_partition(c, *child));
  INDIGO_TRY(drop_inherited_triggers(c, *current(c, child->oid), parent));
  INDIGO_TRY(abandon_columns(c, parent, *current(c, child->oid)));
  if (child->partition_bound == "d") INDIGO_TRY(set_default_partition(c, parent.oid, kInvalidOid));
  return unlink_child(c, child->oid, parent.oid);
}

// The partition's bound as a CHECK constraint, unless the table says as much already. Hashes are of no use without the table.
Status keep_bound(DdlContext& c, const RelationInfo& parent, const RelationPtr& child) {
  if (parent.partition_key->strategy == 'h') return {};
  INDIGO_ASSIGN(const std::string condition, sql::partition::partition_condition(c.host.session(), *child));
  if (condition.empty()) return {};
  INDIGO_ASSIGN(const bool known, follows_from_table(c, child, condition));
  return known ? Status{} : add_valid_check(c, child, condition);
}

// The second transaction.
Status finish_detach(DdlContext& c, Oid parent_oid, const std::string& parent_name, Oid child_oid,
                     const std::string& child_name) {
  INDIGO_TRY(check(storage::wait_for_holders(c.store(), c.txn, catalog::lock_object(c.catalog.database(), parent_oid),
                                             TableLockMode::kAccessExclusive)));
  INDIGO_TRY(lock_object(c, parent_oid, TableLockMode::kShareUpdateExclusive));
  const RelationPtr parent = current(c, parent_oid);
  if (parent == nullptr) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "partitioned table " + quoted(parent_name) + " was removed concurrently");
  }
  INDIGO_TRY(lock_object(c, child_oid, TableLockMode::kAccessExclusive));
  const RelationPtr child = current(c, child_oid);
  if (child == nullptr || !child->is_detaching) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "partition " + quoted(child_name) + " was removed concurrently");
  }
  return let_go(c, *parent, child);
}

Status mark(DdlContext& c, const RelationPtr& parent, const PgQuery__PartitionCmd& cmd) {
  INDIGO_ASSIGN(const auto map, sql::partition::PartitionMap::of(c.host.session(), *parent));
  if (map->default_partition() >= 0) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "cannot detach partitions concurrently when a default partition exists");
  }
  INDIGO_ASSIGN(const RelationPtr child, open_relation(c, cmd.name, TableLockMode::kShareUpdateExclusive));
  INDIGO_TRY(check_not_referenced(c, *child));
  for (const Oid pending : parent->detaching) {
    const RelationPtr other = current(c, pending);
    if (other == nullptr) continue;
    return Error(sqlstate::kObjectNotInPrerequisiteState, "partition " + quoted(other->name) +
                                                              " already pending detach in partitioned table " +
                                                              quoted(parent->schema_name + "." + parent->name))
        .with_hint(kFinalizeHint);
  }
  INDIGO_TRY(check_is_partition(*child, *parent));
  INDIGO_TRY(keep_bound(c, *parent, child));
  INDIGO_TRY(update_row(c, pg_inherits::kOid,
                        {Datum::of_oid(child->oid), Datum::of(place_below(c, child->oid, parent->oid))},
                        [](RowValues& v) { v.flag(pg_inherits::c_inhdetachpending, true); }));
  c.catalog.changed({child->oid, parent->oid});
  c.next_transaction = [parent = parent->oid, parent_name = parent->name, child = child->oid, child_name = child->name](
                           DdlContext& next) { return finish_detach(next, parent, parent_name, child, child_name); };
  return {};
}

Status check_partitioned(const RelationInfo& parent) {
  if (parent.is_partitioned()) return {};
  return Error(sqlstate::kInvalidObjectDefinition, "table " + quoted(parent.name) + " is not partitioned");
}

}  // namespace

Status detach_partition(DdlContext& c, const RelationPtr& parent, const PgQuery__PartitionCmd& cmd) {
  INDIGO_TRY(check_partitioned(*parent));
  if (cmd.concurrent) return mark(c, parent, cmd);
  INDIGO_ASSIGN(const RelationPtr child, open_relation(c, cmd.name, TableLockMode::kAccessExclusive));
  INDIGO_TRY(check_is_partition(*child, *parent));
  if (child->is_detaching) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "cannot detach partition " + quoted(child->name))
        .with_detail("The partition is being detached concurrently or has an unfinished detach.")
        .with_hint(kFinalizeHint);
  }
  return let_go(c, *parent, child);
}

Status finalize_detach(DdlContext& c, const RelationPtr& parent, const PgQuery__PartitionCmd& cmd) {
  INDIGO_TRY(check_partitioned(*parent));
  INDIGO_ASSIGN(const RelationPtr child, open_relation(c, cmd.name, TableLockMode::kAccessExclusive));
  INDIGO_TRY(check_is_partition(*child, *parent));
  if (!child->is_detaching) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "cannot complete detaching partition " + quoted(child->name))
        .with_detail("There's no pending concurrent detach.");
  }
  return let_go(c, *parent, child);
}

Status refuse_detaching(const RelationInfo& relation) {
  if (!relation.is_detaching) return {};
  return Error(sqlstate::kObjectNotInPrerequisiteState,
               "cannot alter partition " + quoted(relation.name) + " with an incomplete detach")
      .with_hint(kFinalizeHint);
}

Status drop_inheritance(DdlContext& c, const RelationPtr& child, const PgQuery__RangeVar* name) {
  if (child->is_partition) return Error(sqlstate::kWrongObjectType, "cannot change inheritance of a partition");
  INDIGO_ASSIGN(const RelationPtr parent, open_relation(c, name, TableLockMode::kShareUpdateExclusive));
  if (std::find(child->parents.begin(), child->parents.end(), parent->oid) == child->parents.end()) {
    return Error(sqlstate::kUndefinedTable,
                 "relation " + quoted(parent->name) + " is not a parent of relation " + quoted(child->name));
  }
  INDIGO_TRY(abandon_columns(c, *parent, *child));
  return unlink_child(c, child->oid, parent->oid);
}

}  // namespace indigo::engine::ddl
