#include "engine/ddl/drop/drop_statement.h"

#include <algorithm>

#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/access/policy.h"
#include "engine/ddl/drop/drop_absent.h"
#include "engine/ddl/drop/dropped_name.h"
#include "engine/ddl/event/event_trigger.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/foreign/foreign_object.h"
#include "engine/ddl/function/routine.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/access_method.h"
#include "engine/ddl/object/collation.h"
#include "engine/ddl/object/conversion.h"
#include "engine/ddl/object/language.h"
#include "engine/ddl/object/statistics.h"
#include "engine/ddl/object/type.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/operator/operator_class.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/replication/publication.h"
#include "engine/ddl/rule/rule.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/text_search/text_search_object.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/trigger/create_trigger.h"

namespace indigo::engine::ddl {

namespace {

struct Wanted {
  RelationKind kind;
  std::string_view name;  // as messages say it
  std::string_view article;
};

std::optional<Wanted> relation_wanted(PgQuery__ObjectType type) {
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE: return Wanted{RelationKind::kTable, "table", "a table"};
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX: return Wanted{RelationKind::kIndex, "index", "an index"};
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW: return Wanted{RelationKind::kView, "view", "a view"};
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE: return Wanted{RelationKind::kSequence, "sequence", "a sequence"};
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW:
      return Wanted{RelationKind::kMaterializedView, "materialized view", "a materialized view"};
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE:
      return Wanted{RelationKind::kForeignTable, "foreign table", "a foreign table"};
    default: return std::nullopt;
  }
}

std::string_view drop_hint(RelationKind kind) {
  switch (kind) {
    case RelationKind::kTable:
    case RelationKind::kPartitionedTable: return "Use DROP TABLE to remove a table.";
    case RelationKind::kIndex:
    case RelationKind::kPartitionedIndex: return "Use DROP INDEX to remove an index.";
    case RelationKind::kView: return "Use DROP VIEW to remove a view.";
    case RelationKind::kSequence: return "Use DROP SEQUENCE to remove a sequence.";
    case RelationKind::kMaterializedView: return "Use DROP MATERIALIZED VIEW to remove a materialized view.";
    case RelationKind::kComposite: return "Use DROP TYPE to remove a type.";
    case RelationKind::kForeignTable: return "Use DROP FOREIGN TABLE to remove a foreign table.";
  }
  return "";
}

Result<std::optional<Address>> find_dropped_relation(DdlContext& c, const Wanted& wanted, NodeList name,
                                                     bool missing_ok) {
  const auto q = sql::qualified_name(name);
  if (!q.schema.empty() && c.catalog.schema_named(q.schema) == kInvalidOid) {
    if (!missing_ok) return Error(sqlstate::kInvalidSchemaName, "schema " + quoted(q.schema) + " does not exist");
    notice(c, "schema " + quoted(q.schema) + " does not exist, skipping");
    return std::optional<Address>();
  }
  INDIGO_TRY(check_schema_usage(c, q.schema));
  const RelationPtr found = c.catalog.find_head(q.schema, q.name);
  if (found == nullptr) {
    const std::string message = std::string(wanted.name) + " " + quoted(q.name) + " does not exist";
    if (!missing_ok) {
      const bool object = wanted.kind == RelationKind::kIndex || wanted.kind == RelationKind::kForeignTable;
      return Error(object ? sqlstate::kUndefinedObject : sqlstate::kUndefinedTable, message);
    }
    notice(c, message + ", skipping");
    return std::optional<Address>();
  }
  const bool fits = found->kind == wanted.kind || (wanted.kind == RelationKind::kTable && found->is_partitioned()) ||
                    (wanted.kind == RelationKind::kIndex && found->kind == RelationKind::kPartitionedIndex);
  if (!fits) {
    return Error(sqlstate::kWrongObjectType, quoted(found->name) + " is not " + std::string(wanted.article))
        .with_hint(std::string(drop_hint(found->kind)));
  }
  INDIGO_TRY(
      check_right(c, Right::kOwnerOrSchemaOwner, found->schema, found->owner, kind_name(found->kind), found->name));
  INDIGO_TRY(check_not_system(*found));
  const bool stores = found->kind == RelationKind::kTable || found->is_foreign() || found->is_partitioned();
  if (found->is_partition && stores && !found->parents.empty()) {
    // Statements that route rows into the parent must not find half of a partition.
    INDIGO_TRY(lock_object(c, found->parents[0], TableLockMode::kAccessExclusive));
  }
  if (wanted.kind == RelationKind::kIndex) {
    // Its table first, as everybody else locks.
    std::string image;
    const SystemTable& indexes = table(c, pg_index::kOid);
    if (indexes.find_oid(c.txn, found->oid, image)) {
      const Oid table = indexes.reader(image).oid(pg_index::c_indrelid);
      INDIGO_TRY(lock_object(c, table, TableLockMode::kAccessExclusive));
      if (found->kind == RelationKind::kPartitionedIndex)
        INDIGO_TRY(with_descendants(c, table, TableLockMode::kAccessExclusive));
    }
  }
  INDIGO_TRY(lock_object(c, found->oid, TableLockMode::kAccessExclusive));
  return std::optional<Address>(Address{pg_class::kOid, found->oid, 0});
}

Result<std::optional<Address>> find_dropped_schema(DdlContext& c, std::string_view name, bool missing_ok) {
  const Oid oid = c.catalog.schema_named(name);
  if (oid == kInvalidOid) {
    if (!missing_ok) return Error(sqlstate::kInvalidSchemaName, "schema " + quoted(name) + " does not exist");
    notice(c, "schema " + quoted(name) + " does not exist, skipping");
    return std::optional<Address>();
  }
  std::string image;
  const SystemTable& t = table(c, pg_namespace::kOid);
  if (t.find_oid(c.txn, oid, image)) {
    INDIGO_TRY(check_owner(c, t.reader(image).oid(pg_namespace::c_nspowner), "schema", name));
  }
  if (oid < oid::kFirstUserOid && oid != oid::kPublicSchema) {
    return Error(sqlstate::kDependentObjectsStillExist,
                 "cannot drop schema " + std::string(name) + " because it is required by the database system");
  }
  return std::optional<Address>(Address{pg_namespace::kOid, oid, 0});
}

Result<std::optional<Address>> find_dropped(DdlContext& c, const PgQuery__DropStmt& s, const PgQuery__Node& node) {
  INDIGO_TRY(check_dropped_name(c, s.remove_type, node));
  if (const auto wanted = relation_wanted(s.remove_type)) {
    return find_dropped_relation(c, *wanted, nodes(node.list->n_items, node.list->items), s.missing_ok);
  }
  if (const TextSearchType* type = text_search_type(s.remove_type)) {
    return find_dropped_text_search(c, *type, nodes(node.list->n_items, node.list->items), s.missing_ok);
  }
  switch (s.remove_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA: return find_dropped_schema(c, string_of(&node), s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE: return find_dropped_type(c, node.type_name, false, s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN: return find_dropped_type(c, node.type_name, true, s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLLATION:
      return find_dropped_collation(c, nodes(node.list->n_items, node.list->items), s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_ACCESS_METHOD:
      return find_dropped_access_method(c, string_of(&node), s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_CONVERSION:
      return find_dropped_conversion(c, nodes(node.list->n_items, node.list->items), s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_LANGUAGE: return find_dropped_language(c, string_of(&node), s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_EXTENSION: return find_dropped_extension(c, string_of(&node), s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_FDW: return find_own_foreign(c, kWrapperKind, string_of(&node), s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_SERVER:
      return find_own_foreign(c, kServerKind, string_of(&node), s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_PUBLICATION: return find_own_publication(c, string_of(&node), s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_EVENT_TRIGGER: return find_own_event_trigger(c, string_of(&node), s.missing_ok);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER:
      return find_named_trigger(c, nodes(node.list->n_items, node.list->items), s.missing_ok,
                                TableLockMode::kAccessExclusive);
    case PG_QUERY__OBJECT_TYPE__OBJECT_RULE:
      return find_named_rule(c, nodes(node.list->n_items, node.list->items), s.missing_ok,
                             TableLockMode::kAccessExclusive);
    case PG_QUERY__OBJECT_TYPE__OBJECT_STATISTIC_EXT:
      return find_own_statistics(c, nodes(node.list->n_items, node.list->items), s.missing_ok,
                                 Right::kOwnerOrSchemaOwner);
    case PG_QUERY__OBJECT_TYPE__OBJECT_POLICY:
      return find_dropped_policy(c, nodes(node.list->n_items, node.list->items), s.missing_ok);
    default: break;
  }
  if (s.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_OPCLASS ||
      s.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY) {
    return find_operator_group(c, nodes(node.list->n_items, node.list->items),
                               s.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY, s.missing_ok,
                               Right::kOwnerOrSchemaOwner);
  }
  if (s.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_OPERATOR)
    return find_dropped_operator(c, *node.object_with_args, s.missing_ok);
  if (s.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_CAST) {
    INDIGO_ASSIGN(const std::optional<Address> found,
                  find_cast(c, nodes(node.list->n_items, node.list->items), s.missing_ok));
    if (found && found->object < oid::kFirstUserOid)
      return Error(sqlstate::kDependentObjectsStillExist,
                   "cannot drop " + describe(c, *found) + " because it is required by the database system");
    return found;
  }
  if (is_routine(s.remove_type) && is(&node, PG_QUERY__NODE__NODE_OBJECT_WITH_ARGS)) {
    return find_dropped_routine(c, s.remove_type, *node.object_with_args, s.missing_ok);
  }
  INDIGO_TRY(drop_absent(c, s, node));
  return std::optional<Address>();
}

}  // namespace

Status execute_drop(DdlContext& c, const PgQuery__DropStmt& s) {
  const bool cascade = s.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE;
  if (s.concurrent) {
    if (s.n_objects > 1)
      return Error(sqlstate::kFeatureNotSupported,
                   "DROP INDEX CONCURRENTLY does not support dropping multiple objects");
    if (cascade) return Error(sqlstate::kFeatureNotSupported, "DROP INDEX CONCURRENTLY does not support CASCADE");
  }
  std::vector<Address> objects;
  for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) {
    INDIGO_ASSIGN(const std::optional<Address> found,
                  find_and_lock(c, TableLockMode::kAccessExclusive, [&] { return find_dropped(c, s, *node); }));
    if (found && s.concurrent) {
      const RelationPtr index = current(c, found->object);
      if (index != nullptr && index->kind == catalog::RelationKind::kPartitionedIndex)
        return Error(sqlstate::kFeatureNotSupported,
                     "cannot drop partitioned index " + quoted(index->name) + " concurrently");
    }
    if (found && std::find(objects.begin(), objects.end(), *found) == objects.end()) objects.push_back(*found);
  }
  if (!objects.empty()) INDIGO_TRY(drop_objects(c, objects, cascade));
  return {};
}

}  // namespace indigo::engine::ddl
