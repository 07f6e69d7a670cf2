#include "engine/ddl/partition/inherit.h"

#include <algorithm>

#include "catalog/descriptor/foreign_key_info.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/expression.h"
#include "engine/ddl/partition/partition_index.h"
#include "engine/ddl/table/foreign_key_partitions.h"
#include "engine/ddl/tree.h"
#include "engine/row_sink.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_inherits = catalog::pg_inherits;

Status check_parent(DdlContext& c, const RelationInfo& r, bool partition, char persistence) {
  if (partition) {
    if (!r.is_partitioned()) return Error(sqlstate::kInvalidObjectDefinition, quoted(r.name) + " is not partitioned");
  } else {
    if (r.is_partitioned()) {
      return Error(sqlstate::kWrongObjectType, "cannot inherit from partitioned table " + quoted(r.name));
    }
    if (r.is_partition) return Error(sqlstate::kWrongObjectType, "cannot inherit from partition " + quoted(r.name));
    if (r.kind != RelationKind::kTable && !r.is_foreign()) {
      return Error(sqlstate::kWrongObjectType,
                   "inherited relation " + quoted(r.name) + " is not a table or foreign table");
    }
  }
  INDIGO_TRY(check_not_system(r));
  if (persistence != 't' && r.persistence == 't') {
    return Error(sqlstate::kWrongObjectType,
                 partition ? "cannot create a permanent relation as partition of temporary relation " + quoted(r.name)
                           : "cannot inherit from temporary relation " + quoted(r.name));
  }
  if (partition && persistence == 't' && r.persistence != 't') {
    return Error(sqlstate::kWrongObjectType,
                 "cannot create a temporary relation as partition of permanent relation " + quoted(r.name));
  }
  return check_owner(c, r);
}

ColumnSpec inherited(DdlContext& c, const RelationPtr& parent, const ColumnInfo& column) {
  ColumnSpec spec;
  spec.storage = storage_of(c, parent->oid, column.number);
  spec.compression = compression_of(c, parent->oid, column.number);
  spec.column.name = column.name;
  spec.column.type = column.type;
  spec.column.not_null = column.not_null;
  spec.column.generated = column.generated;
  spec.column.is_local = false;
  spec.column.inherit_count = 1;
  if (column.identity == 0) spec.default_tree = column.default_expr;
  spec.default_source = parent;
  return spec;
}

ColumnSpec* find(std::vector<ColumnSpec>& columns, std::string_view name) {
  for (ColumnSpec& s : columns) {
    if (s.column.name == name) return &s;
  }
  return nullptr;
}

Status check_same_type(DdlContext& c, const NewColumn& a, const TypeRef& b, const std::string& what) {
  if (a.type.oid != b.oid || a.type.typmod != b.typmod) {
    return Error(sqlstate::kDatatypeMismatch, what + " has a type conflict")
        .with_detail(type_text(c, a.type) + " versus " + type_text(c, b));
  }
  if (a.type.collation == b.collation) return {};
  return Error(sqlstate::kCollationMismatch, what + " has a collation conflict")
      .with_detail(quoted(c.catalog.collation_name(a.type.collation)) + " versus " +
                   quoted(c.catalog.collation_name(b.collation)));
}

// Of two definitions of a column; one that says nothing takes the other's.
Status merge_compression(ColumnSpec& into, char other) {
  if (into.compression == 0) into.compression = other;
  if (other == 0 || other == into.compression) return {};
  const auto name = [](char method) { return method == 'p' ? "pglz" : "lz4"; };
  return Error(sqlstate::kDatatypeMismatch, "column " + quoted(into.column.name) + " has a compression method conflict")
      .with_detail(std::string(name(into.compression)) + " versus " + name(other));
}

Status merge_storage(ColumnSpec& into, char other, std::string_view what) {
  if (into.storage == 0) into.storage = other;
  if (other == 0 || other == into.storage) return {};
  const auto name = [](char storage) {
    return storage == 'p' ? "PLAIN" : storage == 'e' ? "EXTERNAL" : storage == 'm' ? "MAIN" : "EXTENDED";
  };
  return Error(sqlstate::kDatatypeMismatch,
               std::string(what) + " " + quoted(into.column.name) + " has a storage parameter conflict")
      .with_detail(std::string(name(into.storage)) + " versus " + name(other));
}

// A parent's column that another parent has, too. `conflicts`: columns whose parents disagree about the default.
Status merge_parents(DdlContext& c, ColumnSpec& known, const RelationPtr& parent, const ColumnInfo& column,
                     std::vector<std::string>& conflicts) {
  notice(c, "merging multiple inherited definitions of column " + quoted(column.name));
  INDIGO_TRY(check_same_type(c, known.column, column.type, "inherited column " + quoted(column.name)));
  INDIGO_TRY(merge_storage(known, storage_of(c, parent->oid, column.number), "inherited column"));
  if (known.column.generated != column.generated) {
    return Error(sqlstate::kInvalidColumnDefinition,
                 "inherited column " + quoted(column.name) + " has a generation conflict");
  }
  INDIGO_TRY(merge_compression(known, compression_of(c, parent->oid, column.number)));
  known.column.inherit_count++;
  known.column.not_null |= column.not_null;
  if (!column.default_expr || column.identity != 0) return {};
  if (!known.default_tree) {
    known.default_tree = column.default_expr;
    known.default_source = parent;
  } else if (!same_expression(c, *known.default_tree, *known.default_source, *column.default_expr, *parent)) {
    conflicts.push_back(column.name);
  }
  return {};
}

// The table's own definition of a column that it inherits.
Status merge_own(DdlContext& c, ColumnSpec& known, ColumnSpec own, bool partition, bool moves) {
  const std::string& name = own.column.name;
  if (partition && (own.identity != nullptr || own.generated_node != nullptr)) {
    return Error(sqlstate::kFeatureNotSupported, std::string(own.identity != nullptr ? "identity" : "generated") +
                                                     " columns are not supported on partitions");
  }
  if (!partition) {
    if (moves) {
      c.host.notice(Severity::kNotice,
                    Error(sqlstate::kSuccessfulCompletion,
                          "moving and merging column " + quoted(name) + " with inherited definition")
                        .with_detail("User-specified column moved to the position of the inherited column."));
    } else {
      notice(c, "merging column " + quoted(name) + " with inherited definition");
    }
    INDIGO_TRY(check_same_type(c, known.column, own.column.type, "column " + quoted(name)));
  }
  const bool has_default = own.default_node != nullptr || own.default_text || own.default_tree || own.serial;
  if (known.column.generated != 0) {
    if (has_default || own.identity != nullptr || own.generated_node != nullptr) {
      const std::string what = own.identity != nullptr ? "identity" : has_default ? "default" : "generation expression";
      if (what == "generation expression") {
        return Error(sqlstate::kInvalidColumnDefinition,
                     "child column " + quoted(name) + " specifies generation expression")
            .with_hint(
                "Omit the generation expression in the definition of the child table column to inherit the generation "
                "expression from the parent table.");
      }
      return Error(sqlstate::kInvalidColumnDefinition,
                   "column " + quoted(name) + " inherits from generated column but specifies " + what);
    }
  }
  INDIGO_TRY(merge_storage(known, own.storage, "column"));
  own.storage = known.storage;
  INDIGO_TRY(merge_compression(known, own.compression));
  own.compression = known.compression;
  const NewColumn merged = known.column;
  if (!has_default && own.generated_node == nullptr && own.identity == nullptr) {
    own.default_tree = known.default_tree;
    own.default_source = known.default_source;
  }
  const bool not_null = own.column.not_null || merged.not_null;
  const char identity = own.column.identity;
  const char generated = own.generated_node != nullptr ? 's' : merged.generated;
  own.column = merged;
  own.column.not_null = not_null;
  own.column.identity = identity;
  own.column.generated = generated;
  own.column.is_local = !partition;
  known = std::move(own);
  return {};
}

}  // namespace

Result<std::vector<RelationPtr>> open_parents(DdlContext& c, const PgQuery__CreateStmt& s, char persistence) {
  std::vector<RelationPtr> out;
  const bool partition = s.partbound != nullptr;
  for (const PgQuery__Node* node : nodes(s.n_inh_relations, s.inh_relations)) {
    const TableLockMode mode = partition ? TableLockMode::kAccessExclusive : TableLockMode::kShareUpdateExclusive;
    auto opened = open_relation(c, node->range_var, mode);
    if (!opened.ok()) return Error(std::move(*opened.take_error()));
    const RelationPtr parent = *opened;
    for (const RelationPtr& other : out) {
      if (other->oid == parent->oid) {
        return Error(sqlstate::kDuplicateTable,
                     "relation " + quoted(parent->name) + " would be inherited from more than once");
      }
    }
    INDIGO_TRY(check_parent(c, *parent, partition, persistence));
    if (partition) INDIGO_TRY(check_not_in_use(c, *parent, "CREATE TABLE .. PARTITION OF"));
    out.push_back(parent);
  }
  return out;
}

Status inherit_columns(DdlContext& c, const std::vector<RelationPtr>& parents, bool partition,
                       std::vector<ColumnSpec>& columns) {
  if (parents.empty()) return {};
  std::vector<ColumnSpec> out;
  std::vector<std::string> conflicts;
  for (const RelationPtr& parent : parents) {
    for (const ColumnInfo& column : parent->columns) {
      if (column.dropped) continue;
      if (ColumnSpec* known = find(out, column.name)) {
        INDIGO_TRY(merge_parents(c, *known, parent, column, conflicts));
      } else {
        out.push_back(inherited(c, parent, column));
      }
    }
  }
  const size_t inherited_count = out.size();
  size_t position = 0;
  for (ColumnSpec& own : columns) {
    const size_t mine = position++;
    ColumnSpec* known = find(out, own.column.name);
    const auto at = known == nullptr ? out.size() : static_cast<size_t>(known - out.data());
    if (at < inherited_count) {
      std::erase(conflicts, own.default_node != nullptr || own.serial ? own.column.name : std::string());
      INDIGO_TRY(merge_own(c, *known, std::move(own), partition, at != mine));
    } else if (partition) {
      return Error(sqlstate::kUndefinedColumn, "column " + quoted(own.column.name) + " does not exist");
    } else {
      out.push_back(std::move(own));
    }
  }
  if (!conflicts.empty()) {
    return Error(sqlstate::kInvalidColumnDefinition,
                 "column " + quoted(conflicts.front()) + " inherits conflicting default values")
        .with_hint("To resolve the conflict, specify a default explicitly.");
  }
  columns = std::move(out);
  return {};
}

Result<bool> merge_check(DdlContext& c, const RelationInfo& relation, const RelationInfo& parent,
                         const ConstraintInfo& inherited) {
  for (const ConstraintInfo& k : relation.constraints) {
    if (k.kind != 'c' || k.name != inherited.name) continue;
    if (!same_expression(c, k.expression, relation, inherited.expression, parent)) {
      return Error(
          sqlstate::kDuplicateObject,
          k.inherit_count > 0
              ? "check constraint name " + quoted(k.name) + " appears multiple times but with different expressions"
              : "constraint " + quoted(k.name) + " for relation " + quoted(relation.name) + " already exists");
    }
    const auto conflict = [&](const std::string& with) {
      return Error(sqlstate::kInvalidObjectDefinition, "constraint " + quoted(k.name) + " conflicts with " + with +
                                                           " constraint on relation " + quoted(relation.name));
    };
    if (k.no_inherit) return conflict("non-inherited");
    if (!k.validated && inherited.validated) return conflict("NOT VALID");
    INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(k.oid)}, [&](RowValues& v) {
      v.i32(pg_constraint::c_coninhcount, k.inherit_count + 1);
      if (relation.is_partition) v.flag(pg_constraint::c_conislocal, false);  // its one parent's
    }));
    c.catalog.changed({relation.oid});
    return true;
  }
  return false;
}

Status inherit_check(DdlContext& c, Oid relation, const RelationInfo& parent, const ConstraintInfo& k) {
  const RelationPtr child = current(c, relation);
  NewConstraint n;
  n.oid = next_oid(c);
  n.name = k.name;
  n.schema = child->schema;
  n.relation = relation;
  INDIGO_ASSIGN(const StoredExpression e, copy_expression(c, k.expression, parent, child));
  n.expression = e.tree;
  n.validated = k.validated;
  n.is_local = false;
  n.inherit_count = 1;
  n.columns = e.columns;
  INDIGO_TRY(insert_constraint(c, n));
  INDIGO_TRY(update_class(c, relation, [](RowValues& v) {
    v.i16(pg_class::c_relchecks, static_cast<int16_t>(v.get(pg_class::c_relchecks).i16 + 1));
  }));
  const Address self{pg_constraint::kOid, n.oid, 0};
  INDIGO_TRY(record_expression(c, self, e, relation, 'a'));
  if (n.columns.empty()) INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, relation, 0}, 'a'));
  return {};
}

Status inherit_checks(DdlContext& c, Oid relation, const std::vector<RelationPtr>& parents) {
  for (const RelationPtr& parent : parents) {
    for (const ConstraintInfo& k : parent->constraints) {
      if (k.kind != 'c' || k.no_inherit) continue;
      const RelationPtr child = current(c, relation);
      for (const ConstraintInfo& o : child->constraints) {
        if (o.kind != 'c' || o.name != k.name || !o.no_inherit) continue;
        return Error(
            sqlstate::kInvalidObjectDefinition,
            "constraint " + quoted(k.name) + " conflicts with inherited constraint on relation " + quoted(child->name));
      }
      INDIGO_ASSIGN(const bool merged, merge_check(c, *child, *parent, k));
      const bool own = std::any_of(child->constraints.begin(), child->constraints.end(),
                                   [&](const ConstraintInfo& o) { return o.name == k.name && o.is_local; });
      if (merged && own) notice(c, "merging constraint " + quoted(k.name) + " with inherited definition");
      if (!merged) INDIGO_TRY(inherit_check(c, relation, *parent, k));
    }
  }
  return {};
}

Status link_child(DdlContext& c, Oid child, Oid parent, int32_t sequence, const std::string* bound) {
  SystemTable& t = table(c, pg_inherits::kOid);
  RowValues row(t.definition());
  row.oid(pg_inherits::c_inhrelid, child)
      .oid(pg_inherits::c_inhparent, parent)
      .i32(pg_inherits::c_inhseqno, sequence)
      .flag(pg_inherits::c_inhdetachpending, false);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  INDIGO_TRY(update_class(c, parent, [](RowValues& v) { v.flag(pg_class::c_relhassubclass, true); }));
  if (bound != nullptr) {
    INDIGO_TRY(update_class(c, child, [&](RowValues& v) {
      v.flag(pg_class::c_relispartition, true).str(pg_class::c_relpartbound, *bound);
    }));
  }
  c.catalog.changed({child, parent});
  return record_dependency(c, {pg_class::kOid, child, 0}, {pg_class::kOid, parent, 0}, bound != nullptr ? 'a' : 'n');
}

Status unlink_child(DdlContext& c, Oid child, Oid parent) {
  SystemTable& t = table(c, pg_inherits::kOid);
  int32_t sequence = -1;
  t.scan(c.txn, {Datum::of_oid(child)}, [&](RowReader row) {
    if (row.oid(pg_inherits::c_inhparent) == parent) sequence = row.i32(pg_inherits::c_inhseqno);
    return sequence < 0;
  });
  if (sequence < 0) return {};
  INDIGO_TRY(check_erased(t.erase(c.txn, {Datum::of_oid(child), Datum::of(sequence)})));
  INDIGO_TRY(update_class(
      c, child, [](RowValues& v) { v.flag(pg_class::c_relispartition, false).set_null(pg_class::c_relpartbound); }));
  c.catalog.changed({child, parent});
  return remove_dependency(c, {pg_class::kOid, child, 0}, {pg_class::kOid, parent, 0});
}

Status inherit_indexes(DdlContext& c, ConstraintTarget& target, const RelationPtr& parent) {
  for (const IndexInfo& index : parent->indexes) INDIGO_TRY(add_partition_index(c, target, *parent, index));
  return {};
}

Status inherit_foreign_keys(DdlContext& c, ConstraintTarget& target, const RelationPtr& parent) {
  for (const ConstraintInfo& k : parent->constraints) {
    if (k.kind != 'f' || catalog::is_reference_to_partition(*parent, k)) continue;
    INDIGO_TRY(add_foreign_key_like(c, target, *parent, k));
  }
  return {};
}

Result<std::vector<Oid>> with_descendants(DdlContext& c, Oid relation, TableLockMode mode) {
  std::vector<Oid> out{relation};
  for (size_t i = 0; i < out.size(); i++) {
    const RelationPtr r = current(c, out[i]);
    if (r == nullptr) continue;
    for (const Oid child : r->children) {
      if (std::find(out.begin(), out.end(), child) != out.end()) continue;
      INDIGO_TRY(lock_object(c, child, mode));
      if (current(c, child) != nullptr) out.push_back(child);
    }
  }
  return out;
}

}  // namespace indigo::engine::ddl
