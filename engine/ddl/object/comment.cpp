#include "engine/ddl/object/comment.h"

#include "catalog/catalog.h"
#include "catalog/object_privileges.h"
#include "engine/ddl/access/policy.h"
#include "engine/ddl/event/event_trigger.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/foreign/foreign_object.h"
#include "engine/ddl/function/routine.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/access_method.h"
#include "engine/ddl/object/collation.h"
#include "engine/ddl/object/conversion.h"
#include "engine/ddl/object/language.h"
#include "engine/ddl/object/large_object.h"
#include "engine/ddl/object/statistics.h"
#include "engine/ddl/object/tablespace.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/operator/operator_class.h"
#include "engine/ddl/replication/publication.h"
#include "engine/ddl/replication/subscription.h"
#include "engine/ddl/rule/rule.h"
#include "engine/ddl/text_search/text_search_object.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/trigger/create_trigger.h"
#include "engine/row_sink.h"

namespace indigo::engine::ddl {

namespace {

bool is_shared(Oid class_id) {
  return class_id == pg_database::kOid || class_id == pg_authid::kOid || class_id == catalog::pg_tablespace::kOid;
}

}  // namespace

std::optional<std::string> comment_on(DdlContext& c, const Address& a) {
  std::string image;
  const SystemTable& t = table(c, pg_description::kOid);
  if (!t.find(c.txn, {Datum::of_oid(a.object), Datum::of_oid(a.class_id), Datum::of(a.sub)}, image))
    return std::nullopt;
  return std::string(t.reader(image).str(pg_description::c_description));
}

Status set_comment(DdlContext& c, const Address& a, std::string_view text) {
  if (is_shared(a.class_id)) {
    SystemTable& t = table(c, pg_shdescription::kOid);
    std::string image;
    const bool exists = t.find(c.txn, {Datum::of_oid(a.object), Datum::of_oid(a.class_id)}, image);
    if (text.empty()) {
      return exists ? check_erased(t.erase(c.txn, {Datum::of_oid(a.object), Datum::of_oid(a.class_id)})) : Status();
    }
    RowValues row(t.definition());
    row.oid(pg_shdescription::c_objoid, a.object).oid(pg_shdescription::c_classoid, a.class_id);
    row.str(pg_shdescription::c_description, text);
    return check(exists ? t.update(c.txn, row) : t.insert(c.txn, row));
  }
  SystemTable& t = table(c, pg_description::kOid);
  std::string image;
  const bool exists = t.find(c.txn, {Datum::of_oid(a.object), Datum::of_oid(a.class_id), Datum::of(a.sub)}, image);
  if (text.empty()) {
    if (!exists) return {};
    return check_erased(t.erase(c.txn, {Datum::of_oid(a.object), Datum::of_oid(a.class_id), Datum::of(a.sub)}));
  }
  RowValues row(t.definition());
  row.oid(pg_description::c_objoid, a.object).oid(pg_description::c_classoid, a.class_id);
  row.i32(pg_description::c_objsubid, a.sub).str(pg_description::c_description, text);
  return check(exists ? t.update(c.txn, row) : t.insert(c.txn, row));
}

namespace {

Result<RelationPtr> relation_named(DdlContext& c, NodeList name) {
  INDIGO_ASSIGN(const RelationPtr r, existing_relation(c, name));
  INDIGO_TRY(lock_object(c, r->oid, TableLockMode::kShareUpdateExclusive));
  INDIGO_TRY(check_owner(c, *r));
  return r;
}

Status wrong_kind(const RelationInfo& r, RelationKind kind, std::string_view what) {
  if (r.kind == kind || (kind == RelationKind::kTable && r.is_partitioned()) ||
      (kind == RelationKind::kIndex && r.kind == RelationKind::kPartitionedIndex)) {
    return {};
  }
  return Error(sqlstate::kWrongObjectType, quoted(r.name) + " is not " + std::string(what));
}

}  // namespace

Result<Address> find_own_object(DdlContext& c, PgQuery__ObjectType type, const PgQuery__Node* object) {
  const NodeList list =
      is(object, PG_QUERY__NODE__NODE_LIST) ? nodes(object->list->n_items, object->list->items) : NodeList();
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX:
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW:
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW:
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE: {
      INDIGO_ASSIGN(const RelationPtr r, relation_named(c, list));
      switch (type) {
        case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE: INDIGO_TRY(wrong_kind(*r, RelationKind::kTable, "a table")); break;
        case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX: INDIGO_TRY(wrong_kind(*r, RelationKind::kIndex, "an index")); break;
        case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW: INDIGO_TRY(wrong_kind(*r, RelationKind::kView, "a view")); break;
        case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
          INDIGO_TRY(wrong_kind(*r, RelationKind::kSequence, "a sequence"));
          break;
        case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE:
          INDIGO_TRY(wrong_kind(*r, RelationKind::kForeignTable, "a foreign table"));
          break;
        default: INDIGO_TRY(wrong_kind(*r, RelationKind::kMaterializedView, "a materialized view")); break;
      }
      return Address{pg_class::kOid, r->oid, 0};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN: {
      if (list.size() < 2) return Error(sqlstate::kSyntaxError, "column name must be qualified");
      INDIGO_ASSIGN(const RelationPtr r, relation_named(c, list.first(list.size() - 1)));
      const ColumnInfo* column = r->find_column(string_of(list.back()));
      if (column == nullptr) {
        return Error(sqlstate::kUndefinedColumn, "column " + quoted(string_of(list.back())) + " of relation " +
                                                     quoted(r->name) + " does not exist");
      }
      return Address{pg_class::kOid, r->oid, column->number};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT: {
      INDIGO_ASSIGN(const RelationPtr r, relation_named(c, list.first(list.size() - 1)));
      for (const ConstraintInfo& k : r->constraints) {
        if (k.name == string_of(list.back())) return Address{pg_constraint::kOid, k.oid, 0};
      }
      return Error(sqlstate::kUndefinedObject, "constraint " + quoted(string_of(list.back())) + " for table " +
                                                   quoted(r->name) + " does not exist");
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMCONSTRAINT: {
      const PgQuery__TypeName& name = *list[0]->type_name;
      INDIGO_ASSIGN(const TypePtr domain, existing_type(c, nodes(name.n_names, name.names)));
      if (domain->kind != 'd') return Error(sqlstate::kWrongObjectType, quoted(domain->name) + " is not a domain");
      INDIGO_TRY(check_owner(c, domain->owner, "type", domain->name));
      Oid found = kInvalidOid;
      table(c, pg_constraint::kOid).scan(c.txn, {}, [&](RowReader row) {
        if (row.oid(pg_constraint::c_contypid) == domain->oid &&
            row.str(pg_constraint::c_conname) == string_of(list[1]))
          found = row.oid(pg_constraint::c_oid);
        return found == kInvalidOid;
      });
      if (found != kInvalidOid) return Address{pg_constraint::kOid, found, 0};
      return Error(sqlstate::kUndefinedObject, "constraint " + quoted(string_of(list[1])) + " for domain " +
                                                   type_text(c, {domain->oid, -1, kInvalidOid}) + " does not exist");
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER: {
      INDIGO_ASSIGN(const auto found, find_named_trigger(c, list, false, TableLockMode::kShareUpdateExclusive));
      return *found;
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_RULE: {
      INDIGO_ASSIGN(const auto found, find_named_rule(c, list, false, TableLockMode::kShareUpdateExclusive));
      return *found;
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_POLICY: {
      const auto q = sql::qualified_name(list.first(list.size() - 1));
      const RelationPtr r = q.valid ? c.catalog.find_relation(q.schema, q.name) : nullptr;
      if (r != nullptr && !check_owner(c, *r).ok())
        return Error(sqlstate::kInsufficientPrivilege, "must be owner of relation " + r->name);
      INDIGO_ASSIGN(const RelationPtr own, relation_named(c, list.first(list.size() - 1)));
      return find_policy(*own, string_of(list.back()));
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA: {
      INDIGO_ASSIGN(const Oid oid, existing_schema(c, string_of(object)));
      INDIGO_TRY(check_owner(c, catalog::read_object_acl(c.catalog, catalog::kSchemaAcl, oid).owner, "schema",
                             string_of(object)));
      return Address{pg_namespace::kOid, oid, 0};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN: {
      auto resolved = resolve_type(c, object->type_name);
      if (!resolved.ok()) {
        auto error = resolved.take_error();
        error->position = 0;  // PostgreSQL does not say where
        return error;
      }
      const TypeRef named = *resolved;
      const TypePtr info = c.catalog.type(named.oid);
      if (type == PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN && info->kind != 'd')
        return Error(sqlstate::kWrongObjectType, quoted(info->name) + " is not a domain");
      INDIGO_TRY(check_owner(c, catalog::read_object_acl(c.catalog, catalog::kTypeAcl, named.oid).owner, "type",
                             type_text(c, {named.oid, -1, kInvalidOid})));
      return Address{pg_type::kOid, named.oid, 0};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLLATION: {
      INDIGO_ASSIGN(const Oid oid, owned_collation(c, list));
      return Address{pg_collation::kOid, oid, 0};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_STATISTIC_EXT: {
      INDIGO_ASSIGN(const auto found, find_own_statistics(c, list, false));
      return *found;
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE: {
      const auto database = c.catalog.catalog().database_named(string_of(object));
      if (database == nullptr) {
        return Error(sqlstate::kInvalidCatalogName, "database " + quoted(string_of(object)) + " does not exist");
      }
      INDIGO_TRY(check_owner(c, catalog::read_object_acl(c.catalog, catalog::kDatabaseAcl, database->oid()).owner,
                             "database", database->name()));
      return Address{pg_database::kOid, database->oid(), 0};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROLE: {
      const Oid oid = c.catalog.role_named(string_of(object));
      if (oid == kInvalidOid)
        return Error(sqlstate::kUndefinedObject, "role " + quoted(string_of(object)) + " does not exist");
      const auto self = c.catalog.catalog().role(c.catalog.user(), &c.txn);
      if (self == nullptr || !self->superuser) {
        if (c.catalog.is_superuser(oid)) return Error(sqlstate::kInsufficientPrivilege, "must be superuser");
        if (self == nullptr || !self->create_role) {
          return Error(sqlstate::kInsufficientPrivilege, "must have CREATEROLE privilege");
        }
      }
      return Address{pg_authid::kOid, oid, 0};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPERATOR: return find_own_operator(c, *object->object_with_args);
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPCLASS:
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY: {
      INDIGO_ASSIGN(const auto found,
                    find_operator_group(c, list, type == PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY, false));
      return *found;
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_CAST: {
      INDIGO_ASSIGN(const auto found, find_cast(c, list, false));
      return *found;
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE: {
      INDIGO_ASSIGN(const RoutinePtr f, find_own_routine(c, type, *object->object_with_args));
      return Address{pg_proc::kOid, f->oid, 0};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_EVENT_TRIGGER: {
      INDIGO_ASSIGN(const auto found, find_own_event_trigger(c, string_of(object), false));
      return *found;
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_ACCESS_METHOD: return find_own_access_method(c, string_of(object));
    case PG_QUERY__OBJECT_TYPE__OBJECT_CONVERSION: {
      INDIGO_ASSIGN(const auto found, find_own_conversion(c, list, false));
      return *found;
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_FDW:
    case PG_QUERY__OBJECT_TYPE__OBJECT_LANGUAGE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_SERVER: {
      const ForeignKind& kind = type == PG_QUERY__OBJECT_TYPE__OBJECT_FDW        ? kWrapperKind
                                : type == PG_QUERY__OBJECT_TYPE__OBJECT_LANGUAGE ? kLanguageKind
                                                                                 : kServerKind;
      INDIGO_ASSIGN(const auto found, find_own_foreign(c, kind, string_of(object), false));
      return *found;
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLESPACE: return find_own_tablespace(c, string_of(object));
    case PG_QUERY__OBJECT_TYPE__OBJECT_LARGEOBJECT: return find_own_large_object(c, object);
    case PG_QUERY__OBJECT_TYPE__OBJECT_SUBSCRIPTION: return find_own_subscription(c, string_of(object));
    case PG_QUERY__OBJECT_TYPE__OBJECT_PUBLICATION: {
      INDIGO_ASSIGN(const auto found, find_own_publication(c, string_of(object), false));
      return *found;
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_EXTENSION: {
      INDIGO_ASSIGN(const InstalledExtension e, own_extension(c, string_of(object)));
      return Address{pg_extension::kOid, e.oid, 0};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSCONFIGURATION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSDICTIONARY:
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSPARSER:
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSTEMPLATE: {
      INDIGO_ASSIGN(const auto found, find_own_text_search(c, *text_search_type(type), list, false));
      return *found;
    }
    default: return unsupported("this kind of object here");
  }
}

Status execute_comment(DdlContext& c, const PgQuery__CommentStmt& s) {
  if (s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE &&
      c.catalog.catalog().database_named(string_of(s.object)) == nullptr) {
    // Dumps must load into databases of other names.
    c.host.notice(Severity::kWarning,
                  Error(sqlstate::kInvalidCatalogName, "database " + quoted(string_of(s.object)) + " does not exist"));
    return {};
  }
  INDIGO_ASSIGN(const Address address, find_own_object(c, s.objtype, s.object));
  if (!is_shared(address.class_id)) INDIGO_TRY(hold(c, address));
  INDIGO_TRY(set_comment(c, address, s.comment));
  return {};
}

}  // namespace indigo::engine::ddl
