#include "engine/ddl/table/create_table.h"

#include <algorithm>
#include <deque>

#include "catalog/descriptor/detaching_partitions.h"
#include "catalog/descriptor/settled.h"
#include "catalog/object_privileges.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/foreign/foreign_table.h"
#include "engine/ddl/object/access_method.h"
#include "engine/ddl/object/comment.h"
#include "engine/ddl/object/materialized_view.h"
#include "engine/ddl/object/statistics.h"
#include "engine/ddl/object/tablespace.h"
#include "engine/ddl/partition/bound_spec.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/partition/partition_index.h"
#include "engine/ddl/partition/partition_key.h"
#include "engine/ddl/table/exclusion.h"
#include "engine/ddl/table/foreign_key.h"
#include "engine/ddl/table/foreign_key_partitions.h"
#include "engine/ddl/table/merged_keys.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/table/storage_options.h"
#include "engine/ddl/table/temporary.h"
#include "engine/ddl/table/typed_table.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/trigger/trigger_rows.h"
#include "engine/row_sink.h"
#include "sql/analyze/analyzer.h"
#include "storage/table.h"
#include "types/value/vector.h"

namespace indigo::engine::ddl {

Result<bool> check_relation_name(DdlContext& c, std::string_view name, Oid schema, bool if_not_exists) {
  if (c.catalog.relation_oid(schema, name) == kInvalidOid) return true;
  if (if_not_exists) {
    notice(c, "relation " + quoted(name) + " already exists, skipping", sqlstate::kDuplicateTable);
    return false;
  }
  return Error(sqlstate::kDuplicateTable, "relation " + quoted(name) + " already exists");
}

namespace {

Status check_on_commit(char persistence, PgQuery__OnCommitAction action) {
  if (action == PG_QUERY__ON_COMMIT_ACTION__ONCOMMIT_NOOP ||
      action == PG_QUERY__ON_COMMIT_ACTION__ON_COMMIT_ACTION_UNDEFINED || persistence == 't')
    return {};
  return Error(sqlstate::kInvalidTableDefinition, "ON COMMIT can only be used on temporary tables");
}

bool has_system_columns(RelationKind kind) {
  return kind == RelationKind::kTable || kind == RelationKind::kPartitionedTable || kind == RelationKind::kForeignTable;
}

}  // namespace

Result<Oid> create_table(DdlContext& c, const TableSpec& spec) {
  if (spec.columns.size() > 1600) return Error(sqlstate::kTooManyColumns, "tables can have at most 1600 columns");
  for (size_t i = 0; i < spec.columns.size(); i++) {
    const std::string& name = spec.columns[i].name;
    for (size_t j = 0; j < i; j++) {
      if (spec.columns[j].name == name) {
        return Error(sqlstate::kDuplicateColumn, "column " + quoted(name) + " specified more than once");
      }
    }
    if (has_system_columns(spec.kind)) INDIGO_TRY(check_column_name(name));
  }
  const Oid oid = next_oid(c);
  INDIGO_ASSIGN(const RowType type, insert_row_type(c, spec.name, spec.schema, oid, c.catalog.user()));
  NewRelation r;
  r.oid = oid;
  r.name = spec.name;
  r.schema = spec.schema;
  r.kind = spec.kind;
  r.persistence = spec.persistence;
  r.owner = c.catalog.user();
  r.row_type = type.type;
  r.column_count = static_cast<int16_t>(spec.columns.size());
  r.options = spec.options;
  r.tablespace = spec.tablespace;
  const bool stored = spec.kind == RelationKind::kTable || spec.kind == RelationKind::kMaterializedView;
  if (stored) {
    r.access_method = spec.access_method;
    r.filenode = oid;
  }
  INDIGO_TRY(insert_class(c, r));
  const Address self{pg_class::kOid, oid, 0};
  int16_t number = 0;
  for (const NewColumn& column : spec.columns) {
    INDIGO_TRY(insert_attribute(c, oid, ++number, column));
    INDIGO_TRY(record_dependency(c, {pg_class::kOid, oid, number}, {pg_type::kOid, column.type.oid, 0}, 'n'));
    if (column.type.collation == oid::kConflictingCollations) {
      return Error(sqlstate::kIndeterminateCollation, "no collation was derived for column " + quoted(column.name) +
                                                          " with collatable type " + type_text(c, column.type))
          .with_hint("Use the COLLATE clause to set the collation explicitly.");
    }
    INDIGO_TRY(
        record_dependency(c, {pg_class::kOid, oid, number}, {pg_collation::kOid, column.type.collation, 0}, 'n'));
  }
  if (stored || has_system_columns(spec.kind)) INDIGO_TRY(insert_system_attributes(c, oid));
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, spec.schema, 0}, 'n'));
  if (c.extension != kInvalidOid) {
    INDIGO_TRY(record_dependency(c, self, {catalog::pg_extension::kOid, c.extension, 0}, 'e'));
    // Of a composite type, the type is the extension's, too: pg_dump looks there.
    if (spec.kind == RelationKind::kComposite) {
      INDIGO_TRY(
          record_dependency(c, {pg_type::kOid, type.type, 0}, {catalog::pg_extension::kOid, c.extension, 0}, 'e'));
    }
  }
  INDIGO_TRY(record_dependency(c, {pg_type::kOid, type.type, 0}, self, 'i'));
  INDIGO_TRY(record_dependency(c, {pg_type::kOid, type.array, 0}, {pg_type::kOid, type.type, 0}, 'i'));
  if (stored) INDIGO_TRY(record_table_method(c, oid, spec.access_method));
  if (stored) create_storage(c, oid, spec.persistence, table_options(spec.options));
  c.catalog.changed({oid});
  // It is not visible to others yet, but the lock shows in pg_locks and guards against a second use in this transaction's children.
  INDIGO_TRY(lock_object(c, oid, TableLockMode::kAccessExclusive));
  return oid;
}

namespace {

// CREATE_TABLE_LIKE_* bits of the grammar.
enum LikeOption : uint32_t {
  kLikeComments = 1u << 0,
  kLikeCompression = 1u << 1,
  kLikeConstraints = 1u << 2,
  kLikeDefaults = 1u << 3,
  kLikeGenerated = 1u << 4,
  kLikeIdentity = 1u << 5,
  kLikeIndexes = 1u << 6,
  kLikeStatistics = 1u << 7,
  kLikeStorage = 1u << 8,
};

struct LikeSource {
  RelationPtr relation;
  uint32_t options;
};

Status add_like(DdlContext& c, const PgQuery__TableLikeClause& like, std::vector<ColumnSpec>& columns,
                std::vector<LikeSource>& sources) {
  const auto may_copy = [](DdlContext& context, const RelationInfo& r) -> Status {
    if (r.kind == RelationKind::kComposite) return check_type_usage(context, r.row_type);
    const uint32_t held =
        catalog::object_privileges(context.catalog, catalog::kRelationAcl, r.oid, context.catalog.user());
    if ((held & types::kPrivilegeSelect) != 0) return {};
    return Error(sqlstate::kInsufficientPrivilege,
                 "permission denied for " + std::string(kind_name(r.kind)) + " " + r.name);
  };
  auto opened = open_relation(c, like.relation, TableLockMode::kAccessShare, false, may_copy);
  if (!opened.ok()) return Error(std::move(*opened.take_error())).at(position(c, like.relation->location));
  const RelationPtr source = *opened;
  if (source->kind == RelationKind::kIndex || source->kind == RelationKind::kSequence) {
    return Error(sqlstate::kWrongObjectType, "relation " + quoted(source->name) + " is invalid in LIKE clause")
        .with_detail(not_supported_for(source->kind))
        .at(position(c, like.relation->location));
  }
  for (const ColumnInfo& column : source->columns) {
    if (column.dropped) continue;
    ColumnSpec spec;
    spec.column.name = column.name;
    spec.column.type = column.type;
    spec.column.not_null = column.not_null;
    if (column.generated != 0) {
      if ((like.options & kLikeGenerated) != 0) {
        spec.column.generated = column.generated;
        spec.default_tree = column.default_expr;
        spec.default_source = source;
      }
    } else if (column.default_expr && column.identity == 0 && (like.options & kLikeDefaults) != 0) {
      spec.default_tree = column.default_expr;
      spec.default_source = source;
    }
    if ((like.options & kLikeStorage) != 0) spec.storage = storage_of(c, source->oid, column.number);
    if ((like.options & kLikeCompression) != 0) spec.compression = compression_of(c, source->oid, column.number);
    if (column.identity != 0 && (like.options & kLikeIdentity) != 0) {
      spec.column.identity = column.identity;
      for (const Dependent& d : dependents_of(c, {pg_class::kOid, source->oid, column.number})) {
        SequenceDefinition definition;
        if (d.type == 'i' && d.address.class_id == pg_class::kOid && read_sequence(c, d.address.object, definition)) {
          spec.identity_like = definition;
        }
      }
    }
    columns.push_back(std::move(spec));
  }
  sources.push_back({source, like.options});
  return {};
}

// INCLUDING COMMENTS
Status copy_comment(DdlContext& c, const LikeSource& like, const Address& from, const Address& to) {
  if ((like.options & kLikeComments) == 0) return {};
  const auto text = comment_on(c, from);
  return text ? set_comment(c, to, *text) : Status();
}

Oid new_index(const RelationInfo& before, const RelationInfo& after) {
  for (const IndexInfo& index : after.indexes) {
    const bool old = std::any_of(before.indexes.begin(), before.indexes.end(),
                                 [&](const IndexInfo& other) { return other.oid == index.oid; });
    if (!old) return index.oid;
  }
  return kInvalidOid;
}

// Constraints, indexes and comments that LIKE takes over, once the new table stands.
Status finish_like(DdlContext& c, ConstraintTarget& target, const LikeSource& like) {
  const RelationInfo& source = *like.relation;
  if ((like.options & kLikeConstraints) != 0) {
    for (const ConstraintInfo& k : source.constraints) {
      if (k.kind != 'c') continue;
      const RelationPtr relation = current(c, target.relation);
      NewConstraint n;
      n.oid = next_oid(c);
      n.name = k.name;
      n.schema = relation->schema;
      n.relation = relation->oid;
      n.no_inherit = k.no_inherit;
      n.validated = true;
      if (k.no_inherit && relation->is_partitioned()) {
        return Error(sqlstate::kInvalidTableDefinition,
                     "cannot add NO INHERIT constraint to partitioned table " + quoted(relation->name));
      }
      INDIGO_ASSIGN(const StoredExpression e, copy_expression(c, k.expression, source, relation));
      n.expression = e.tree;
      n.columns = e.columns;
      INDIGO_TRY(insert_constraint(c, n));
      INDIGO_TRY(update_class(c, relation->oid, [](RowValues& v) {
        v.i16(pg_class::c_relchecks, static_cast<int16_t>(v.get(pg_class::c_relchecks).i16 + 1));
      }));
      INDIGO_TRY(record_expression(c, {pg_constraint::kOid, n.oid, 0}, e, relation->oid, 'a'));
      INDIGO_TRY(copy_comment(c, like, {pg_constraint::kOid, k.oid, 0}, {pg_constraint::kOid, n.oid, 0}));
    }
  }
  if ((like.options & kLikeIndexes) != 0) {
    for (const IndexInfo& index : source.indexes) {
      const RelationPtr before = current(c, target.relation);
      INDIGO_TRY(add_key_like(c, target, source, index));
      const Oid made = new_index(*before, *current(c, target.relation));
      INDIGO_TRY(copy_comment(c, like, {pg_class::kOid, index.oid, 0}, {pg_class::kOid, made, 0}));
    }
  }
  if ((like.options & kLikeStatistics) != 0)
    INDIGO_TRY(copy_statistics(c, source, current(c, target.relation), (like.options & kLikeComments) != 0));
  if ((like.options & kLikeComments) != 0) {
    const RelationPtr relation = current(c, target.relation);
    for (const ColumnInfo& column : source.columns) {
      if (column.dropped) continue;
      if (const auto text = comment_on(c, {pg_class::kOid, source.oid, column.number})) {
        INDIGO_TRY(set_comment(c, {pg_class::kOid, relation->oid, relation->find_column(column.name)->number}, *text));
      }
    }
  }
  return {};
}

// The new table's place below the tables that it inherits from, or among the partitions of its parent.
Status link_parents(DdlContext& c, const PgQuery__CreateStmt& s, ConstraintTarget& target,
                    const std::vector<RelationPtr>& parents) {
  if (s.partbound == nullptr) {
    int32_t sequence = 0;
    for (const RelationPtr& parent : parents) {
      INDIGO_TRY(link_child(c, target.relation, parent->oid, ++sequence, nullptr));
    }
    return {};
  }
  const RelationPtr& parent = parents.front();
  if (current(c, target.relation)->is_foreign()) INDIGO_TRY(check_foreign_partition(*parent));
  INDIGO_ASSIGN(const sql::partition::Bound bound, read_bound_spec(c, *parent, *s.partbound));
  INDIGO_TRY(check_new_bound(c, *catalog::with_detaching(c.catalog, parent), current(c, target.relation)->name, bound,
                             *s.partbound));
  INDIGO_TRY(check_default_partition(c, parent, bound));
  const std::string stored = sql::partition::store_bound(bound);
  INDIGO_TRY(link_child(c, target.relation, parent->oid, 1, &stored));
  if (bound.strategy == 'd') INDIGO_TRY(set_default_partition(c, parent->oid, target.relation));
  INDIGO_TRY(inherit_indexes(c, target, parent));
  INDIGO_TRY(inherit_foreign_keys(c, target, parent));
  INDIGO_TRY(add_referenced_partition(c, *current(c, parent->oid), target.relation));
  return inherit_triggers(c, target.relation, *current(c, parent->oid));
}

using Constraints = std::vector<const PgQuery__Constraint*>;

// Before anything is made.
Status check_one_primary_key(const DdlContext& c, std::string_view table, const std::vector<ColumnSpec>& columns,
                             const Constraints& constraints) {
  const PgQuery__Constraint* primary = nullptr;
  const auto see_primary = [&](const PgQuery__Constraint* k) -> Status {
    if (k->contype != PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY) return {};
    if (primary != nullptr) {
      return Error(sqlstate::kInvalidTableDefinition,
                   "multiple primary keys for table " + quoted(table) + " are not allowed")
          .at(position(c, k->location));
    }
    primary = k;
    return {};
  };
  for (const ColumnSpec& column : columns) {
    for (const PgQuery__Constraint* k : column.keys) INDIGO_TRY(see_primary(k));
  }
  for (const PgQuery__Constraint* k : constraints) INDIGO_TRY(see_primary(k));
  return {};
}

Status add_constraints(DdlContext& c, ConstraintTarget& target, const std::vector<ColumnSpec>& columns,
                       const Constraints& constraints) {
  // The primary key first: it decides the tree's key.
  for (const bool primaries : {true, false}) {
    for (const ColumnSpec& column : columns) {
      ColumnSpec part;
      part.column.name = column.column.name;
      for (const PgQuery__Constraint* k : column.keys) {
        if ((k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY) == primaries) part.keys.push_back(k);
      }
      INDIGO_TRY(add_column_constraints(c, target, part));
    }
    for (const PgQuery__Constraint* k : constraints) {
      const bool key =
          k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY || k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE;
      if (key && (k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY) == primaries)
        INDIGO_TRY(add_key_constraint(c, target, *k));
    }
  }
  for (const ColumnSpec& column : columns) {
    ColumnSpec part;
    part.column.name = column.column.name;
    part.checks = column.checks;
    INDIGO_TRY(add_column_constraints(c, target, part));
  }
  for (const PgQuery__Constraint* k : constraints) {
    switch (k->contype) {
      case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK: INDIGO_TRY(add_check_constraint(c, target, *k)); break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION: INDIGO_TRY(add_exclusion_constraint(c, target, *k)); break;
      default: break;
    }
  }
  return {};
}

Status add_foreign_keys(DdlContext& c, ConstraintTarget& target, const std::vector<ColumnSpec>& columns,
                        const Constraints& constraints) {
  for (const ColumnSpec& column : columns) {
    ColumnSpec part;
    part.column.name = column.column.name;
    part.foreign_keys = column.foreign_keys;
    INDIGO_TRY(add_column_constraints(c, target, part));
  }
  for (const PgQuery__Constraint* k : constraints)
    if (k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN) INDIGO_TRY(add_foreign_key(c, target, *k));
  return {};
}

}  // namespace

Status execute_create_table(DdlContext& c, const PgQuery__CreateStmt& s) {
  return create_table_as_stated(c, s, nullptr);
}

Status create_table_as_stated(DdlContext& c, const PgQuery__CreateStmt& s,
                              const PgQuery__CreateForeignTableStmt* foreign) {
  TableSpec spec;
  const sql::NodeList elements = nodes(s.n_table_elts, s.table_elts);
  const auto defines_column = [](const PgQuery__Node* n) { return is(n, PG_QUERY__NODE__NODE_COLUMN_DEF); };
  if (std::count_if(elements.begin(), elements.end(), defines_column) > 1600)
    return Error(sqlstate::kTooManyColumns, "tables can have at most 1600 columns");
  if (s.partspec != nullptr && sql::has_text(s.access_method)) {
    return Error(sqlstate::kFeatureNotSupported,
                 "specifying a table access method is not supported on a partitioned table");
  }
  if (s.partspec == nullptr && foreign == nullptr) {
    INDIGO_ASSIGN(spec.access_method, new_table_method(c, s.access_method));
  }
  spec.name = truncated_name(s.relation->relname);
  const std::string_view persistence = s.relation->relpersistence;
  auto schema = creation_schema(c, *s.relation, persistence == "t");
  if (!schema.ok()) {
    Error error(std::move(*schema.take_error()));
    return error.detail.empty() ? std::move(error).at(position(c, s.relation->location)) : std::move(error);
  }
  spec.schema = *schema;
  spec.persistence = spec.schema == c.catalog.temp_schema() ? 't' : persistence.empty() ? 'p' : persistence[0];
  INDIGO_TRY(check_on_commit(spec.persistence, s.oncommit));
  INDIGO_ASSIGN(const bool free, check_relation_name(c, spec.name, spec.schema, s.if_not_exists));
  if (!free) return {};
  INDIGO_ASSIGN(spec.options, storage_options(OptionsOf::kTable, nodes(s.n_options, s.options)));

  if (foreign != nullptr) spec.kind = RelationKind::kForeignTable;
  if (s.partspec != nullptr) {
    INDIGO_TRY(partition_strategy(*s.partspec));
    spec.kind = RelationKind::kPartitionedTable;
    if (s.n_inh_relations > 0 && s.partbound == nullptr) {
      return Error(sqlstate::kInvalidObjectDefinition, "cannot create partitioned table as inheritance child");
    }
    if (!spec.options.empty()) {
      return Error(sqlstate::kWrongObjectType, "cannot specify storage parameters for a partitioned table")
          .with_hint("Specify storage parameters for its leaf partitions instead.");
    }
  }
  INDIGO_ASSIGN(const std::vector<RelationPtr> parents, open_parents(c, s, spec.persistence));
  const bool named = sql::has_text(s.tablespacename);
  if (!named && s.partbound != nullptr) spec.tablespace = tablespace_of(c, parents.front()->oid);
  if (spec.tablespace == kInvalidOid) {
    INDIGO_ASSIGN(spec.tablespace,
                  new_relation_tablespace(c, named ? s.tablespacename : "", spec.persistence, s.partspec != nullptr));
  }
  std::vector<ColumnSpec> columns;
  std::vector<LikeSource> likes;
  std::vector<const PgQuery__Constraint*> constraints;
  for (const PgQuery__Node* node : nodes(s.n_table_elts, s.table_elts)) {
    if (is(node, PG_QUERY__NODE__NODE_COLUMN_DEF)) {
      const PgQuery__ColumnDef& d = *node->column_def;
      INDIGO_ASSIGN(ColumnSpec column, column_spec(c, d, spec.name));
      columns.push_back(std::move(column));
      for (const PgQuery__Node* k : nodes(foreign == nullptr ? 0 : d.n_constraints, d.constraints))
        INDIGO_TRY(check_foreign_constraint(c, *k->constraint));
    } else if (is(node, PG_QUERY__NODE__NODE_TABLE_LIKE_CLAUSE)) {
      if (foreign != nullptr) {
        return Error(sqlstate::kFeatureNotSupported, "LIKE is not supported for creating foreign tables")
            .at(position(c, node->table_like_clause->relation->location));
      }
      INDIGO_TRY(add_like(c, *node->table_like_clause, columns, likes));
    } else if (is(node, PG_QUERY__NODE__NODE_CONSTRAINT)) {
      constraints.push_back(node->constraint);
    }
  }
  for (const PgQuery__Node* node : nodes(s.n_constraints, s.constraints)) constraints.push_back(node->constraint);
  for (const PgQuery__Constraint* k : constraints) {
    if (foreign != nullptr) INDIGO_TRY(check_foreign_constraint(c, *k));
  }

  for (const ColumnSpec& column : columns) {
    const auto twice = std::count_if(columns.begin(), columns.end(),
                                     [&](const ColumnSpec& other) { return other.column.name == column.column.name; });
    if (twice > 1) {
      return Error(sqlstate::kDuplicateColumn, "column " + quoted(column.column.name) + " specified more than once");
    }
  }
  RelationPtr type;
  if (s.of_typename != nullptr) {
    INDIGO_ASSIGN(type, open_table_type(c, s.of_typename));
    INDIGO_TRY(add_type_columns(*type, columns));
  }
  INDIGO_TRY(inherit_columns(c, parents, s.partbound != nullptr, columns));

  INDIGO_TRY(check_one_primary_key(c, spec.name, columns, constraints));
  std::deque<PgQuery__Constraint> renamed;
  merge_equal_keys(columns, constraints, renamed);

  // Sequences come first: defaults name them.
  std::vector<std::pair<size_t, Oid>> sequences;
  for (size_t i = 0; i < columns.size(); i++) {
    ColumnSpec& column = columns[i];
    const bool identity = column.identity != nullptr || column.identity_like.has_value();
    if (!column.serial && !identity) continue;
    INDIGO_ASSIGN(const Oid sequence,
                  make_serial_sequence(c, foreign != nullptr ? "CREATE FOREIGN TABLE" : "CREATE TABLE", spec.name,
                                       column, spec.schema, spec.persistence));
    sequences.emplace_back(i, sequence);
    if (column.serial) {
      const RelationPtr made = current(c, sequence);
      column.default_text = "nextval(" + literal(qualified(*made)) + "::regclass)";
    }
  }
  for (const ColumnSpec& column : columns) spec.columns.push_back(column.column);
  INDIGO_ASSIGN(const Oid oid, create_table(c, spec));
  if (type != nullptr) INDIGO_TRY(record_table_type(c, oid, type->row_type));
  if (foreign != nullptr) INDIGO_TRY(insert_foreign_table(c, oid, *foreign));
  // Defaults change nothing that the columns' expressions look at.
  const RelationPtr bare = current(c, oid);
  for (size_t i = 0; i < columns.size(); i++) {
    INDIGO_TRY(finish_column(c, bare, static_cast<int16_t>(i + 1), columns[i]));
  }
  if (s.partspec != nullptr) INDIGO_TRY(add_partition_key(c, current(c, oid), *s.partspec));
  for (const auto& [i, sequence] : sequences) {
    INDIGO_TRY(adopt_sequence(c, sequence, oid, static_cast<int16_t>(i + 1), columns[i].serial));
  }
  ConstraintTarget target;
  target.relation = oid;
  target.is_new = true;
  INDIGO_TRY(link_parents(c, s, target, parents));
  INDIGO_TRY(add_constraints(c, target, columns, constraints));
  for (const LikeSource& like : likes) INDIGO_TRY(finish_like(c, target, like));
  INDIGO_TRY(inherit_checks(c, oid, parents));
  // They may be to the table's own keys, whatever those come from.
  INDIGO_TRY(add_foreign_keys(c, target, columns, constraints));
  if (spec.persistence == 't') INDIGO_TRY(set_on_commit(c, oid, s.oncommit));
  for (size_t i = 0; i < columns.size(); i++) {
    const char compression = columns[i].compression, storage = columns[i].storage;
    if (compression == 0 && storage == 0) continue;
    INDIGO_TRY(update_attribute(c, oid, static_cast<int16_t>(i + 1), [&](RowValues& v) {
      if (compression != 0) v.chr(pg_attribute::c_attcompression, compression);
      if (storage != 0) v.chr(pg_attribute::c_attstorage, storage);
    }));
  }
  for (const ColumnSpec& column : columns)
    INDIGO_TRY(change_column_options(c, *current(c, oid), column.column.name, column.foreign_options));
  return {};
}

// ---- CREATE TABLE AS

namespace {

// Where the table would be, whoever may make it there. False: the name is taken, and IF NOT EXISTS.
Result<bool> check_new_name(DdlContext& c, const PgQuery__RangeVar& name, bool if_not_exists) {
  const bool temporary = std::string_view(name.relpersistence) == "t";
  Oid schema = temporary ? c.catalog.temp_schema() : c.catalog.creation_schema();
  if (const std::string_view written = name.schemaname; !temporary && !written.empty()) {
    INDIGO_ASSIGN(schema, existing_schema(c, written));
  }
  if (schema == kInvalidOid) return true;
  return check_relation_name(c, truncated_name(name.relname), schema, if_not_exists);
}

}  // namespace

Result<bool> check_table_to_be_made(DdlContext& c, const PgQuery__CreateTableAsStmt& s) {
  if (!is(s.query, PG_QUERY__NODE__NODE_EXECUTE_STMT)) {
    sql::AnalyzeInput input{s.query, c.text, {}, true, {}};
    input.variables = c.host.variables();
    INDIGO_TRY(catalog::settled(c.catalog, [&] { return sql::analyze(c.host.session(), input); }));
  }
  return check_new_name(c, *s.into->rel, s.if_not_exists);
}

Status execute_create_table_as(DdlContext& c, const PgQuery__CreateTableAsStmt& s) {
  if (s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW) return execute_create_materialized_view(c, s);
  const PgQuery__IntoClause& into = *s.into;
  TableSpec spec;
  spec.name = truncated_name(into.rel->relname);
  const std::string_view persistence = into.rel->relpersistence;
  const auto place = [&]() -> Status {
    INDIGO_ASSIGN(spec.schema, creation_schema(c, *into.rel, persistence == "t"));
    spec.persistence = spec.schema == c.catalog.temp_schema() ? 't' : persistence.empty() ? 'p' : persistence[0];
    INDIGO_TRY(check_relation_name(c, spec.name, spec.schema, false));
    INDIGO_TRY(check_on_commit(spec.persistence, into.on_commit));
    INDIGO_ASSIGN(spec.access_method, new_table_method(c, into.access_method));
    INDIGO_ASSIGN(spec.options, storage_options(OptionsOf::kTable, nodes(into.n_options, into.options)));
    INDIGO_ASSIGN(spec.tablespace, new_relation_tablespace(c, into.table_space_name, spec.persistence));
    return {};
  };
  // EXECUTE: before the statement of that name is looked for. IF NOT EXISTS: before the query is planned.
  if (s.if_not_exists || is(s.query, PG_QUERY__NODE__NODE_EXECUTE_STMT)) {
    INDIGO_ASSIGN(const bool free, check_table_to_be_made(c, s));
    if (!free) return {};
  }
  const std::vector<std::string> names = sql::strings_of(nodes(into.n_col_names, into.col_names));
  Oid oid = kInvalidOid;
  RelationPtr relation;
  uint64_t rows = 0;
  std::string row, key;
  std::vector<Datum> values;
  const auto make = [&](const ResultShape& shape) -> Status {
    INDIGO_TRY(place());  // the query's errors come first
    if (names.size() > shape.columns.size())
      return Error(sqlstate::kSyntaxError, "too many column names were specified");
    for (size_t i = 0; i < shape.columns.size(); i++) {
      NewColumn column;
      column.name = i < names.size() ? names[i] : shape.columns[i].name;
      column.type = shape.columns[i].declared;
      const TypePtr type = c.catalog.type(column.type.oid);
      if (column.type.oid == oid::kUnknown) column.type = {oid::kText, -1, oid::kDefaultCollation};
      if (type != nullptr && type->kind == 'p' && column.type.oid != oid::kText) {
        return Error(sqlstate::kInvalidTableDefinition, "column " + quoted(column.name) + " has pseudo-type " +
                                                            type_text(c, {type->oid, -1, kInvalidOid}));
      }
      if (column.type.collation == kInvalidOid && type != nullptr) column.type.collation = type->collation;
      INDIGO_TRY(check_type_usage(c, column.type.oid));
      spec.columns.push_back(std::move(column));
    }
    auto made = create_table(c, spec);
    if (!made.ok()) return made.take_error();
    oid = *made;
    relation = current(c, oid);
    c.host.uses(oid);
    return {};
  };
  const auto fill = [&](const ResultShape&, const Chunk& chunk) -> Status {
    for (uint32_t i = 0; i < chunk.rows(); i++) {
      values.clear();
      for (const Vector& column : chunk.columns) values.push_back(column.datum(chunk.selection[i]));
      row.clear();
      relation->layout.encode(values, row);
      const uint64_t id = big_endian(relation->table->next_row_id());
      key.assign(reinterpret_cast<const char*>(&id), sizeof id);
      INDIGO_TRY(check(relation->table->insert(c.txn, key, row, nullptr), relation.get()));
      INDIGO_TRY(c.host.inserted(relation, row));
      rows++;
    }
    return {};
  };
  INDIGO_TRY(c.host.run_query(s.query, c.text, make, into.skip_data ? DdlHost::Rows() : DdlHost::Rows(fill)));
  if (spec.persistence == 't') INDIGO_TRY(set_on_commit(c, oid, into.on_commit));
  if (into.skip_data && !is(s.query, PG_QUERY__NODE__NODE_EXECUTE_STMT)) return {};
  c.tag = "SELECT " + std::to_string(rows);
  return {};
}

}  // namespace indigo::engine::ddl
