#include "engine/ddl/partition/attach.h"

#include <algorithm>

#include "catalog/descriptor/detaching_partitions.h"
#include "catalog/descriptor/foreign_key_info.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/expression.h"
#include "engine/ddl/partition/bound_spec.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/partition/partition_index.h"
#include "engine/ddl/partition/partition_key.h"
#include "engine/ddl/table/foreign_key_partitions.h"
#include "engine/ddl/table/typed_table.h"
#include "engine/ddl/trigger/trigger_rows.h"
#include "engine/row_sink.h"
#include "sql/parse/parse_tree.h"
#include "sql/partition/constraint_text.h"
#include "sql/partition/partition_map.h"
#include "storage/table.h"
#include "types/value/vector.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_inherits = catalog::pg_inherits;

// The child has the parent's columns and CHECK constraints, as a table that inherits must; they count as inherited now.
Status adopt_columns(DdlContext& c, const RelationInfo& parent, const RelationInfo& child, bool partition) {
  for (const ColumnInfo& column : parent.columns) {
    if (column.dropped) continue;
    const ColumnInfo* own = child.find_column(column.name);
    if (own == nullptr) {
      return Error(sqlstate::kDatatypeMismatch, "child table is missing column " + quoted(column.name));
    }
    if (own->type.oid != column.type.oid || own->type.typmod != column.type.typmod) {
      return Error(sqlstate::kDatatypeMismatch,
                   "child table " + quoted(child.name) + " has different type for column " + quoted(column.name));
    }
    if (own->type.collation != column.type.collation) {
      return Error(sqlstate::kCollationMismatch,
                   "child table " + quoted(child.name) + " has different collation for column " + quoted(column.name));
    }
    if (column.not_null && !own->not_null) {
      return Error(sqlstate::kDatatypeMismatch,
                   "column " + quoted(column.name) + " in child table must be marked NOT NULL");
    }
    if (column.generated != 0 && own->generated == 0) {
      return Error(sqlstate::kDatatypeMismatch,
                   "column " + quoted(column.name) + " in child table must be a generated column");
    }
    if (column.generated == 0 && own->generated != 0) {
      return Error(sqlstate::kDatatypeMismatch,
                   "column " + quoted(column.name) + " in child table must not be a generated column");
    }
    INDIGO_TRY(update_attribute(c, child.oid, own->number, [&](RowValues& v) {
      v.i32(pg_attribute::c_attinhcount, v.get(pg_attribute::c_attinhcount).i32 + 1);
      if (partition) v.flag(pg_attribute::c_attislocal, false);
    }));
  }
  for (const ConstraintInfo& k : parent.constraints) {
    if (k.kind != 'c' || k.no_inherit) continue;
    const auto own = std::find_if(child.constraints.begin(), child.constraints.end(),
                                  [&](const ConstraintInfo& o) { return o.kind == 'c' && o.name == k.name; });
    if (own == child.constraints.end()) {
      return Error(sqlstate::kDatatypeMismatch, "child table is missing constraint " + quoted(k.name));
    }
    if (!same_expression(c, own->expression, child, k.expression, parent)) {
      return Error(sqlstate::kDatatypeMismatch, "child table " + quoted(child.name) +
                                                    " has different definition for check constraint " + quoted(k.name));
    }
    if (own->no_inherit) {
      return Error(sqlstate::kInvalidObjectDefinition, "constraint " + quoted(k.name) +
                                                           " conflicts with non-inherited constraint on child table " +
                                                           quoted(child.name));
    }
    if (!own->validated && k.validated) {
      return Error(
          sqlstate::kInvalidObjectDefinition,
          "constraint " + quoted(k.name) + " conflicts with NOT VALID constraint on child table " + quoted(child.name));
    }
    INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(own->oid)}, [&](RowValues& v) {
      v.i32(pg_constraint::c_coninhcount, own->inherit_count + 1);
      if (partition) v.flag(pg_constraint::c_conislocal, false);
    }));
  }
  c.catalog.changed({child.oid});
  return {};
}

Status check_attachable(DdlContext& c, const RelationInfo& parent, const RelationInfo& child) {
  if (child.kind != RelationKind::kTable && !child.is_partitioned() && !child.is_foreign()) {
    return Error(sqlstate::kWrongObjectType,
                 "ALTER action ATTACH PARTITION cannot be performed on relation " + quoted(child.name));
  }
  if (child.is_partition) return Error(sqlstate::kWrongObjectType, quoted(child.name) + " is already a partition");
  if (!child.parents.empty()) {
    return Error(sqlstate::kWrongObjectType, "cannot attach inheritance child as partition");
  }
  if (!child.is_partitioned() && !child.children.empty()) {
    return Error(sqlstate::kWrongObjectType, "cannot attach inheritance parent as partition");
  }
  INDIGO_ASSIGN(const std::vector<Oid> below, with_descendants(c, child.oid, TableLockMode::kAccessExclusive));
  if (std::find(below.begin(), below.end(), parent.oid) != below.end()) {
    return Error(sqlstate::kDuplicateTable, "circular inheritance not allowed")
        .with_detail(quoted(parent.name) + " is already a child of " + quoted(child.name) + ".");
  }
  if (parent.persistence != 't' && child.persistence == 't') {
    return Error(sqlstate::kWrongObjectType,
                 "cannot attach a temporary relation as partition of permanent relation " + quoted(parent.name));
  }
  if (parent.persistence == 't' && child.persistence != 't') {
    return Error(sqlstate::kWrongObjectType,
                 "cannot attach a permanent relation as partition of temporary relation " + quoted(parent.name));
  }
  for (const ColumnInfo& column : child.columns) {
    if (column.dropped || parent.find_column(column.name) != nullptr) continue;
    return Error(sqlstate::kDatatypeMismatch, "table " + quoted(child.name) + " contains column " +
                                                  quoted(column.name) + " not found in parent " + quoted(parent.name))
        .with_detail("The new partition may contain only the columns present in parent.");
  }
  return {};
}

// Nothing can make its rows unique.
Status check_foreign_attachable(const RelationInfo& parent, const RelationInfo& child) {
  for (const IndexInfo& index : parent.indexes) {
    if (!index.unique) continue;
    return Error(sqlstate::kWrongObjectType, "cannot attach foreign table " + quoted(child.name) +
                                                 " as partition of partitioned table " + quoted(parent.name))
        .with_detail("Partitioned table " + quoted(parent.name) + " contains unique indexes.");
  }
  return {};
}

// The rows that are there must belong to the new partition; told of the table that has the wrong one.
Status check_rows(DdlContext& c, const RelationInfo& child) {
  INDIGO_ASSIGN(const std::string condition, sql::partition::partition_condition(c.host.session(), child));
  if (condition.empty()) return {};
  INDIGO_ASSIGN(const std::vector<Oid> all, with_descendants(c, child.oid, TableLockMode::kAccessExclusive));
  for (const Oid oid : all) {
    const RelationPtr table = current(c, oid);
    if (table->is_partitioned() || table->is_foreign()) continue;
    bool violated = false;
    const std::string query = "SELECT 1 FROM " + qualified(*table) + " WHERE (" + condition + ") IS FALSE LIMIT 1";
    INDIGO_TRY(c.host.run_query(query, [&](const ResultShape&, const Chunk& chunk) -> Status {
      violated |= chunk.rows() > 0;
      return {};
    }));
    if (!violated) continue;
    Error error(sqlstate::kCheckViolation,
                "partition constraint of relation " + quoted(table->name) + " is violated by some row");
    error.schema = table->schema_name;
    error.table = table->name;
    return error;
  }
  return {};
}

}  // namespace

Status attach_partition(DdlContext& c, const RelationPtr& parent, const PgQuery__PartitionCmd& cmd) {
  if (!parent->is_partitioned()) {
    return Error(sqlstate::kInvalidObjectDefinition, "table " + quoted(parent->name) + " is not partitioned");
  }
  INDIGO_ASSIGN(const RelationPtr child,
                open_relation(c, cmd.name, TableLockMode::kAccessExclusive, false, check_definable));
  INDIGO_TRY(check_owner(c, *child));
  if (type_of_table(c, child->oid) != kInvalidOid)
    return Error(sqlstate::kWrongObjectType, "cannot attach a typed table as partition");
  INDIGO_TRY(check_attachable(c, *parent, *child));
  INDIGO_TRY(check_may_be_child(*child, true));
  INDIGO_TRY(check_not_in_use(c, *child, "ALTER TABLE"));
  for (const ConstraintInfo& k : parent->constraints) {
    if (k.kind != 'f' || k.foreign_relation != child->oid) continue;
    return Error(sqlstate::kFeatureNotSupported, "cannot attach table " + quoted(child->name) +
                                                     " as a partition because it is referenced by foreign key " +
                                                     quoted(k.name));
  }
  if (child->is_foreign()) INDIGO_TRY(check_foreign_attachable(*parent, *child));
  INDIGO_ASSIGN(const sql::partition::Bound bound, read_bound_spec(c, *parent, *cmd.bound));
  INDIGO_TRY(check_new_bound(c, *catalog::with_detaching(c.catalog, parent), child->name, bound, *cmd.bound));
  INDIGO_TRY(adopt_columns(c, *parent, *child, true));
  const std::string stored = sql::partition::store_bound(bound);
  INDIGO_TRY(link_child(c, child->oid, parent->oid, 1, &stored));
  if (bound.strategy == 'd') INDIGO_TRY(set_default_partition(c, parent->oid, child->oid));
  ConstraintTarget target;
  target.relation = child->oid;
  INDIGO_TRY(inherit_indexes(c, target, current(c, parent->oid)));
  INDIGO_TRY(inherit_foreign_keys(c, target, current(c, parent->oid)));
  INDIGO_TRY(add_referenced_partition(c, *current(c, parent->oid), child->oid));
  INDIGO_TRY(inherit_triggers(c, child->oid, *current(c, parent->oid)));
  INDIGO_TRY(check_rows(c, *current(c, child->oid)));
  return check_default_partition(c, current(c, parent->oid), bound);
}

Status add_inheritance(DdlContext& c, const RelationPtr& child, const PgQuery__RangeVar* name) {
  if (child->is_partition) return Error(sqlstate::kWrongObjectType, "cannot change inheritance of a partition");
  if (child->is_partitioned())
    return Error(sqlstate::kWrongObjectType, "cannot change inheritance of partitioned table");
  INDIGO_ASSIGN(const RelationPtr parent,
                open_relation(c, name, TableLockMode::kShareUpdateExclusive, false, check_definable));
  INDIGO_TRY(check_owner(c, *parent));
  if (parent->is_partitioned()) {
    return Error(sqlstate::kWrongObjectType, "cannot inherit from partitioned table " + quoted(parent->name));
  }
  if (parent->is_partition) {
    return Error(sqlstate::kWrongObjectType, "cannot inherit from a partition");
  }
  if (parent->persistence == 't' && child->persistence != 't') {
    return Error(sqlstate::kWrongObjectType, "cannot inherit from temporary relation " + quoted(parent->name));
  }
  if (std::find(child->parents.begin(), child->parents.end(), parent->oid) != child->parents.end()) {
    return Error(sqlstate::kDuplicateTable,
                 "relation " + quoted(parent->name) + " would be inherited from more than once");
  }
  INDIGO_ASSIGN(const std::vector<Oid> below, with_descendants(c, child->oid, TableLockMode::kAccessShare));
  if (std::find(below.begin(), below.end(), parent->oid) != below.end()) {
    return Error(sqlstate::kDuplicateTable, "circular inheritance not allowed")
        .with_detail(quoted(parent->name) + " is already a child of " + quoted(child->name) + ".");
  }
  INDIGO_TRY(check_may_be_child(*child, false));
  INDIGO_TRY(adopt_columns(c, *parent, *child, false));
  int32_t sequence = 1;
  table(c, pg_inherits::kOid).scan(c.txn, {Datum::of_oid(child->oid)}, [&](RowReader row) {
    sequence = std::max(sequence, row.i32(pg_inherits::c_inhseqno) + 1);
    return true;
  });
  return link_child(c, child->oid, parent->oid, sequence, nullptr);
}

}  // namespace indigo::engine::ddl
