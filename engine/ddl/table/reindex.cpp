#include "engine/ddl/table/reindex.h"

#include <algorithm>

#include "catalog/access_method.h"
#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/object/tablespace.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/tree.h"
#include "engine/row_sink.h"
#include "engine/session/progress.h"
#include "storage/holders.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"

namespace indigo::engine::ddl {

namespace {

struct ReindexOptions {
  bool concurrently = false, verbose = false;
  std::string tablespace;  // where indexes go; empty: they stay
};

Result<ReindexOptions> reindex_options(DdlContext& c, NodeList list) {
  ReindexOptions out;
  for (const PgQuery__Node* node : list) {
    const PgQuery__DefElem& e = *node->def_elem;
    const std::string_view name = e.defname;
    if (name == "concurrently") {
      INDIGO_ASSIGN(out.concurrently, boolean_value(&e));
    } else if (name == "verbose") {
      INDIGO_ASSIGN(out.verbose, boolean_value(&e));
    } else if (name == "tablespace") {
      out.tablespace = text_value(e.arg);
      INDIGO_TRY(usable_tablespace(c, out.tablespace));
    } else {
      return Error(sqlstate::kSyntaxError, "unrecognized REINDEX option " + quoted(name)).at(position(c, e.location));
    }
  }
  return out;
}

// CONCURRENTLY: others go on while one waits for those who were there; then the rebuilding, which is short, has the table for
// itself. Where new ones come all the time, one queues for it after some rounds.
TableLockMode lock_to_reindex(const ReindexOptions& options) {
  return options.concurrently ? TableLockMode::kShareUpdateExclusive : TableLockMode::kAccessExclusive;
}

Status lock_alone(DdlContext& c, Oid oid) {
  constexpr int kRounds = 3;
  auto& locks = c.store().locks();
  const uint64_t object = catalog::lock_object(c.catalog.database(), oid);
  for (int round = 0; round < kRounds; round++) {
    INDIGO_TRY(check(storage::wait_for_holders(c.store(), c.txn, object, TableLockMode::kAccessExclusive)));
    const auto status =
        locks.lock_table(c.store().lock_owner(c.txn), object, TableLockMode::kAccessExclusive, false, {});
    if (status != StorageStatus::kWouldBlock) return check(status);
  }
  return lock_object(c, oid, TableLockMode::kAccessExclusive);
}

// The table behind an index, locked; the relation itself when it is a table.
Result<RelationPtr> table_of(DdlContext& c, const RelationPtr& relation, TableLockMode mode) {
  if (relation->kind != RelationKind::kIndex && relation->kind != RelationKind::kPartitionedIndex) return relation;
  std::string image;
  const SystemTable& indexes = table(c, pg_index::kOid);
  if (!indexes.find_oid(c.txn, relation->oid, image)) return gone_error(true);
  return open_relation(c, indexes.reader(image).oid(pg_index::c_indrelid), mode);
}

void told(DdlContext& c, std::string_view index) {
  c.host.notice(Severity::kInfo, Error(sqlstate::kSuccessfulCompletion, "index " + quoted(index) + " was reindexed")
                                     .with_detail("CPU: user: 0.00 s, system: 0.00 s, elapsed: 0.00 s"));
}

// To PostgreSQL the index is what is in use.
Status check_not_reindexed_in_use(DdlContext& c, const RelationInfo& owner, Oid index) {
  if (c.host.is_being_read(owner.oid)) {
    for (const IndexInfo& i : owner.indexes) {
      if (index != kInvalidOid && i.oid != index) continue;
      return Error(sqlstate::kObjectInUse, "cannot REINDEX INDEX " + quoted(i.name) +
                                               " because it is being used by active queries in this session");
    }
  }
  return check_not_in_use(c, owner, "REINDEX");
}

bool is_of_exclusion(const RelationInfo& relation, Oid index) {
  return std::any_of(relation.constraints.begin(), relation.constraints.end(),
                     [&](const catalog::ConstraintInfo& k) { return k.kind == 'x' && k.index == index; });
}

Error no_catalogs_concurrently() {
  return Error(sqlstate::kFeatureNotSupported, "cannot reindex system catalogs concurrently");
}

// A table with its indexes. What was left unbuilt is built where it is `index`, or of all (`index` none) those that may be:
// CONCURRENTLY passes them over.
Status rebuild(DdlContext& c, const RelationPtr& relation, Oid index, const ReindexOptions& options) {
  const bool all = index == kInvalidOid;
  for (const IndexInfo& i : relation->indexes) {
    if (!options.concurrently) break;
    const bool exclusion = is_of_exclusion(*relation, i.oid);
    if (exclusion && i.oid == index) {
      return Error(sqlstate::kFeatureNotSupported,
                   "concurrent index creation for exclusion constraints is not supported");
    }
    if (!all || (i.valid && !exclusion)) continue;
    const std::string name = quoted(relation->schema_name + "." + i.name);
    c.host.notice(Severity::kWarning,
                  Error(sqlstate::kFeatureNotSupported, std::string("cannot reindex ") +
                                                            (i.valid ? "exclusion constraint" : "invalid") + " index " +
                                                            name + " concurrently, skipping"));
  }
  ProgressOf shown(c.host.progress(), ProgressCommand::kCreateIndex, relation->oid);
  shown.set(progress::index::kCommand,
            options.concurrently ? progress::index::kReindexConcurrently : progress::index::kReindex);
  INDIGO_TRY(
      mark_to_build(c, *relation, [&](const IndexInfo& i) { return all ? !options.concurrently : i.oid == index; }));
  return rewrite_table(c, relation);
}

Status check_table_to_reindex(DdlContext& c, const RelationInfo& r) {
  if (r.kind == RelationKind::kTable || r.kind == RelationKind::kMaterializedView || r.is_partitioned())
    return check_owner(c, r);
  return Error(sqlstate::kWrongObjectType, quoted(r.name) + " is not a table or materialized view");
}
Status check_index_to_reindex(DdlContext& c, const RelationInfo& r) {
  if (r.kind == RelationKind::kIndex || r.kind == RelationKind::kPartitionedIndex) return check_owner(c, r);
  return Error(sqlstate::kWrongObjectType, quoted(r.name) + " is not an index");
}

// The tables below a partitioned one that have rows, locked. `owned`: only those of the user's, the others are passed over.
Result<std::vector<RelationPtr>> leaves_of(DdlContext& c, const RelationPtr& relation, bool owned) {
  std::vector<RelationPtr> out;
  std::vector<Oid> below = relation->children;
  for (size_t i = 0; i < below.size(); i++) {
    RelationPtr child = current(c, below[i]);
    if (child == nullptr) continue;
    if (owned && !check_owner(c, *child).ok()) continue;
    INDIGO_TRY(lock_object(c, child->oid, TableLockMode::kAccessExclusive));
    child = current(c, below[i]);
    if (child == nullptr) continue;
    below.insert(below.end(), child->children.begin(), child->children.end());
    if (!child->is_partitioned()) out.push_back(std::move(child));
  }
  return out;
}

// The index of `leaf` that is a part of `index`, which is one of `root`'s; kInvalidOid: there is none.
Oid part_of_index(DdlContext& c, const RelationInfo& leaf, Oid index) {
  for (const IndexInfo& own : leaf.indexes) {
    Oid above = own.parent;
    while (above != kInvalidOid && above != index) {
      Oid parent = kInvalidOid;
      table(c, catalog::pg_inherits::kOid).scan(c.txn, {Datum::of_oid(above)}, [&](RowReader row) {
        parent = row.oid(catalog::pg_inherits::c_inhparent);
        return false;
      });
      above = parent;
    }
    if (above == index) return own.oid;
  }
  return kInvalidOid;
}

Status reindex_partitions(DdlContext& c, const RelationPtr& relation, const RelationPtr& owner,
                          const ReindexOptions& options) {
  const bool index = owner != relation;
  INDIGO_ASSIGN(const std::vector<RelationPtr> leaves, leaves_of(c, owner, false));
  for (const RelationPtr& leaf : leaves) {
    const Oid part = index ? part_of_index(c, *leaf, relation->oid) : kInvalidOid;
    INDIGO_TRY(check_not_reindexed_in_use(c, *leaf, part));
    INDIGO_TRY(rebuild(c, leaf, part, options));
    for (const IndexInfo& i : leaf->indexes) {
      if (index && i.oid != part) continue;
      if (!options.tablespace.empty()) INDIGO_TRY(move_to_tablespace(c, i.oid, options.tablespace));
      if (options.verbose) told(c, i.name);
    }
  }
  return {};
}

Status reindex_one(DdlContext& c, const PgQuery__ReindexStmt& s, const ReindexOptions& options) {
  const bool index = s.kind == PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_INDEX;
  const TableLockMode mode = lock_to_reindex(options);
  INDIGO_ASSIGN(const RelationPtr relation,
                open_relation(c, s.relation, mode, false, index ? check_index_to_reindex : check_table_to_reindex));
  INDIGO_ASSIGN(RelationPtr owner, table_of(c, relation, mode));
  if (options.concurrently && owner->oid < oid::kFirstUserOid) return no_catalogs_concurrently();
  if (options.concurrently) {
    INDIGO_TRY(lock_alone(c, owner->oid));
    owner = current(c, owner->oid);
  }
  if (owner->is_partitioned()) return reindex_partitions(c, relation, owner, options);
  if (owner->oid >= oid::kFirstUserOid) {
    INDIGO_TRY(check_not_reindexed_in_use(c, *owner, index ? relation->oid : kInvalidOid));
    INDIGO_TRY(rebuild(c, owner, index ? relation->oid : kInvalidOid, options));
  }
  if (!index && owner->indexes.empty()) {
    notice(c, "table " + quoted(owner->name) + " has no indexes " +
                  (options.concurrently ? "that can be reindexed concurrently" : "to reindex"));
  }
  for (const IndexInfo& i : owner->indexes) {
    if (!options.tablespace.empty() && (!index || i.oid == relation->oid))
      INDIGO_TRY(move_to_tablespace(c, i.oid, options.tablespace));
  }
  if (!options.verbose) return {};
  for (const IndexInfo& i : owner->indexes) {
    if (!index || i.oid == relation->oid) told(c, i.name);
  }
  return {};
}

// Tables of a schema (or of all), in the order of their OIDs.
std::vector<Oid> tables_in(DdlContext& c, Oid schema) {
  std::vector<Oid> out;
  table(c, pg_class::kOid).scan(c.txn, {}, [&](RowReader row) {
    const char kind = row.chr(pg_class::c_relkind);
    const bool wanted = schema == kInvalidOid || row.oid(pg_class::c_relnamespace) == schema;
    if (wanted && row.oid(pg_class::c_oid) >= oid::kFirstUserOid && (kind == 'r' || kind == 'm')) {
      out.push_back(row.oid(pg_class::c_oid));
    }
    return true;
  });
  std::sort(out.begin(), out.end());
  return out;
}

// The forms that rebuild more than one table; empty: the others.
std::string several_name(PgQuery__ReindexObjectType kind) {
  switch (kind) {
    case PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_SCHEMA: return "REINDEX SCHEMA";
    case PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_SYSTEM: return "REINDEX SYSTEM";
    case PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_DATABASE: return "REINDEX DATABASE";
    default: return "";
  }
}

}  // namespace

std::string reindex_in_block(const PgQuery__Node& node) {
  const PgQuery__ReindexStmt& s = *node.reindex_stmt;
  bool concurrently = false;
  for (const PgQuery__Node* option : nodes(s.n_params, s.params)) {
    const PgQuery__DefElem& e = *option->def_elem;
    const std::string_view name = e.defname;
    if (name != "concurrently" && name != "verbose" && name != "tablespace") return "";  // an error of its own
    const Result<bool> on = boolean_value(&e);
    concurrently |= name == "concurrently" && on.ok() && *on;
  }
  if (concurrently) return "REINDEX CONCURRENTLY";
  return several_name(s.kind);
}

Status execute_reindex(DdlContext& c, const PgQuery__ReindexStmt& s) {
  INDIGO_ASSIGN(const ReindexOptions options, reindex_options(c, nodes(s.n_params, s.params)));
  if (several_name(s.kind).empty()) return reindex_one(c, s, options);
  if (options.concurrently && s.kind == PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_SYSTEM)
    return no_catalogs_concurrently();
  Oid schema = kInvalidOid;
  if (s.kind == PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_SCHEMA) {
    INDIGO_ASSIGN(schema, existing_schema(c, s.name));
    INDIGO_TRY(
        check_owner(c, catalog::read_object_acl(c.catalog, catalog::kSchemaAcl, schema).owner, "schema", s.name));
  } else if (sql::has_text(s.name) && s.name != c.catalog.database_name()) {
    return Error(sqlstate::kFeatureNotSupported, "can only reindex the currently open database");
  }
  if (schema == kInvalidOid) {
    const Oid owner = catalog::read_object_acl(c.catalog, catalog::kDatabaseAcl, c.catalog.database()).owner;
    INDIGO_TRY(check_owner(c, owner, "database", c.catalog.database_name()));
  }
  if (s.kind == PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_SYSTEM) return {};
  if (options.concurrently && (schema == kInvalidOid || schema == oid::kPgCatalogSchema)) {
    Error warning = no_catalogs_concurrently();
    warning.message += ", skipping all";
    c.host.notice(Severity::kWarning, warning);
  }
  for (const Oid oid : tables_in(c, schema)) {
    INDIGO_TRY(lock_object(c, oid, lock_to_reindex(options)));
    if (options.concurrently) INDIGO_TRY(lock_alone(c, oid));
    const RelationPtr relation = current(c, oid);
    if (relation == nullptr || relation->persistence == 't') continue;
    INDIGO_TRY(rebuild(c, relation, kInvalidOid, options));
    for (const IndexInfo& i : relation->indexes) {
      if (options.verbose) told(c, i.name);
    }
  }
  return {};
}

namespace {

Status cluster_table(DdlContext& c, const RelationPtr& relation, Oid chosen) {
  INDIGO_TRY(check_not_in_use(c, *relation, "CLUSTER"));
  for (const IndexInfo& index : relation->indexes) {
    INDIGO_TRY(update_row(c, pg_index::kOid, {Datum::of_oid(index.oid)},
                          [&](RowValues& v) { v.flag(pg_index::c_indisclustered, index.oid == chosen); }));
  }
  if (relation->oid < oid::kFirstUserOid) return {};
  INDIGO_TRY(mark_to_build(c, *relation, [](const IndexInfo&) { return true; }));
  ProgressOf shown(c.host.progress(), ProgressCommand::kCluster, relation->oid);
  shown.set(progress::cluster::kCommand, progress::cluster::kOfCluster);
  return rewrite_table(c, relation);
}

}  // namespace

Status check_clusterable(const IndexInfo& index) {
  if (!catalog::access_method(index.method)->clusterable)
    return Error(sqlstate::kFeatureNotSupported, "cannot cluster on index " + quoted(index.name) +
                                                     " because access method does not support clustering");
  if (!index.predicate.empty())
    return Error(sqlstate::kFeatureNotSupported, "cannot cluster on partial index " + quoted(index.name));
  if (!index.valid)
    return Error(sqlstate::kFeatureNotSupported, "cannot cluster on invalid index " + quoted(index.name));
  return {};
}

Status execute_cluster(DdlContext& c, const PgQuery__ClusterStmt& s) {
  for (const PgQuery__Node* node : nodes(s.n_params, s.params)) {
    const PgQuery__DefElem& e = *node->def_elem;
    if (std::string_view(e.defname) != "verbose") {
      return Error(sqlstate::kSyntaxError, "unrecognized CLUSTER option " + quoted(e.defname))
          .at(position(c, e.location));
    }
  }
  if (s.relation == nullptr) {
    return {};  // again what was clustered before, which has stayed in its order
  }
  INDIGO_ASSIGN(const RelationPtr relation,
                open_relation(c, s.relation, TableLockMode::kAccessExclusive, false, check_table_to_reindex));
  Oid chosen = kInvalidOid;
  for (const IndexInfo& index : relation->indexes) {
    bool clustered = false;
    std::string image;
    const SystemTable& indexes = table(c, pg_index::kOid);
    if (indexes.find_oid(c.txn, index.oid, image)) clustered = indexes.reader(image).flag(pg_index::c_indisclustered);
    if (sql::has_text(s.indexname) ? index.name == s.indexname : clustered) chosen = index.oid;
  }
  if (chosen == kInvalidOid) {
    return sql::has_text(s.indexname)
               ? Error(sqlstate::kUndefinedObject,
                       "index " + quoted(s.indexname) + " for table " + quoted(relation->name) + " does not exist")
               : Error(sqlstate::kUndefinedObject,
                       "there is no previously clustered index for table " + quoted(relation->name));
  }
  for (const IndexInfo& index : relation->indexes) {
    if (index.oid == chosen) INDIGO_TRY(check_clusterable(index));
  }
  if (!relation->is_partitioned()) return cluster_table(c, relation, chosen);
  INDIGO_ASSIGN(const std::vector<RelationPtr> leaves, leaves_of(c, relation, true));
  for (const RelationPtr& leaf : leaves) {
    const Oid part = part_of_index(c, *leaf, chosen);
    if (part != kInvalidOid) INDIGO_TRY(cluster_table(c, leaf, part));
  }
  return {};
}

}  // namespace indigo::engine::ddl
