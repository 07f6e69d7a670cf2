#include "engine/ddl/table/truncate.h"

#include <algorithm>
#include <set>

#include "catalog/object_privileges.h"
#include "engine/ddl/object/sequence.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

Status check_truncatable(DdlContext& c, const RelationInfo& r) {
  if (r.is_foreign()) {
    INDIGO_TRY(c.host.check_foreign_truncate(r));
  } else if (r.kind != RelationKind::kTable && !r.is_partitioned()) {
    return Error(sqlstate::kWrongObjectType, quoted(r.name) + " is not a table");
  }
  INDIGO_TRY(check_not_system(r));
  const uint32_t held = catalog::object_privileges(c.catalog, catalog::kRelationAcl, r.oid, c.catalog.user());
  if ((held & types::kPrivilegeTruncate) != 0) return {};
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for table " + r.name);
}

}  // namespace

Status execute_truncate(DdlContext& c, const PgQuery__TruncateStmt& s) {
  const bool cascade = s.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE;
  std::vector<RelationPtr> tables;
  const auto listed = [&](Oid oid) {
    return std::any_of(tables.begin(), tables.end(), [&](const RelationPtr& r) { return r->oid == oid; });
  };
  for (const PgQuery__Node* node : nodes(s.n_relations, s.relations)) {
    INDIGO_ASSIGN(const RelationPtr r,
                  open_relation(c, node->range_var, TableLockMode::kAccessExclusive, false, check_truncatable));
    if (!listed(r->oid)) tables.push_back(r);
    if (!node->range_var->inh) {
      if (r->is_partitioned()) {
        return Error(sqlstate::kWrongObjectType, "cannot truncate only a partitioned table")
            .with_hint("Do not specify the ONLY keyword, or use TRUNCATE ONLY on the partitions directly.");
      }
      continue;
    }
    INDIGO_ASSIGN(const std::vector<Oid> all, with_descendants(c, r->oid, TableLockMode::kAccessExclusive));
    for (const Oid oid : all) {
      RelationPtr below = current(c, oid);
      // Rows of temporary tables are their session's alone.
      if (below->persistence == 't' && below->schema != c.catalog.temp_schema()) continue;
      if (below->is_foreign()) INDIGO_TRY(c.host.check_foreign_truncate(*below));
      if (!listed(oid)) tables.push_back(std::move(below));
    }
  }
  // Round by round what references the tables of the rounds before, in the order of their OIDs. Partitions have foreign keys of
  // their own; tables that only inherit are no part of their parent's.
  for (size_t done = 0; done < tables.size();) {
    std::set<Oid> next;
    for (; done < tables.size(); done++) {
      for (const Oid other : tables[done]->referencing_relations) {
        const RelationPtr referencing = current(c, other);
        if (listed(other) || referencing == nullptr) continue;  // dropped while this waited
        if (!cascade) {
          return Error(sqlstate::kFeatureNotSupported, "cannot truncate a table referenced in a foreign key constraint")
              .with_detail("Table " + quoted(referencing->name) + " references " + quoted(tables[done]->name) + ".")
              .with_hint("Truncate table " + quoted(referencing->name) +
                         " at the same time, or use TRUNCATE ... CASCADE.");
        }
        next.insert(other);
        if (!referencing->is_partitioned()) continue;
        INDIGO_ASSIGN(const std::vector<Oid> partitions, with_descendants(c, other, TableLockMode::kAccessExclusive));
        next.insert(partitions.begin(), partitions.end());
      }
    }
    for (const Oid other : next) {
      if (listed(other)) continue;
      INDIGO_ASSIGN(const RelationPtr referencing, open_relation(c, other, TableLockMode::kAccessExclusive));
      notice(c, "truncate cascades to table " + quoted(referencing->name));
      INDIGO_TRY(check_truncatable(c, *referencing));
      tables.push_back(referencing);
    }
  }
  for (const RelationPtr& r : tables) INDIGO_TRY(check_not_in_use(c, *r, "TRUNCATE"));
  const std::vector<std::shared_ptr<const RelationInfo>> told(tables.begin(), tables.end());
  INDIGO_TRY(c.host.fire_truncate_triggers(told, true));
  for (const RelationPtr& r : tables) {
    if (!r->is_partitioned() && !r->is_foreign()) INDIGO_TRY(empty_table(c, r));
    if (!s.restart_seqs) continue;
    for (const Dependent& d : dependents_of(c, {pg_class::kOid, r->oid, 0})) {
      SequenceDefinition definition;
      if (d.address.class_id != pg_class::kOid || !read_sequence(c, d.address.object, definition)) continue;
      INDIGO_TRY(reset_sequence(c, d.address.object, definition.options.start, false));
    }
  }
  INDIGO_TRY(c.host.truncate_foreign(told, cascade, s.restart_seqs));
  c.host.truncated(told, cascade, s.restart_seqs);
  INDIGO_TRY(c.host.fire_truncate_triggers(told, false));
  return {};
}

}  // namespace indigo::engine::ddl
