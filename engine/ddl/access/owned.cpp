#include "engine/ddl/access/owned.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/access/default_privileges.h"
#include "engine/ddl/access/owned_kinds.h"
#include "engine/ddl/access/policy.h"
#include "engine/ddl/foreign/server.h"
#include "engine/ddl/foreign/wrapper.h"
#include "engine/ddl/object/large_object.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/replication/publication.h"
#include "engine/ddl/replication/subscription.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/text_search/text_search_object.h"
#include "engine/ddl/tree.h"
#include "types/value/acl.h"

namespace indigo::engine::ddl {

namespace {

// The system's own objects are this role's.
Status check_not_bootstrap(DdlContext& c, Oid role, std::string_view what) {
  if (role != oid::kBootstrapSuperuser) return {};
  return Error(sqlstate::kDependentObjectsStillExist, "cannot " + std::string(what) + " owned by role " +
                                                          c.catalog.role_name(role) +
                                                          " because they are required by the database system");
}

// All of them are known, and the current role has their rights, before anything is done.
Result<std::vector<Oid>> roles_acted_for(DdlContext& c, NodeList specs, std::string_view what) {
  std::vector<Oid> roles;
  for (const PgQuery__Node* node : specs) {
    INDIGO_ASSIGN(const Oid role, resolve_role(c, node->role_spec));
    roles.push_back(role);
  }
  for (const Oid role : roles) {
    if (!c.catalog.has_privileges_of(c.catalog.user(), role))
      return Error(sqlstate::kInsufficientPrivilege, "permission denied to " + std::string(what));
  }
  return roles;
}

std::vector<RelationPtr> owned_relations(DdlContext& c, Oid role) {
  std::vector<Oid> found;
  table(c, pg_class::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.oid(pg_class::c_oid) >= oid::kFirstUserOid && row.oid(pg_class::c_relowner) == role &&
        row.chr(pg_class::c_relkind) != 'i') {
      found.push_back(row.oid(pg_class::c_oid));
    }
    return true;
  });
  std::vector<RelationPtr> out;
  for (const Oid oid : found) {
    if (RelationPtr relation = current(c, oid)) out.push_back(std::move(relation));
  }
  return out;
}

std::vector<Oid> owned_rows(DdlContext& c, Oid table_oid, int owner_column, int oid_column, Oid role) {
  std::vector<Oid> out;
  // Numbers of large objects are their makers' choice.
  const Oid first = table_oid == catalog::pg_largeobject_metadata::kOid ? kInvalidOid : oid::kFirstUserOid;
  table(c, table_oid).scan(c.txn, {}, [&](RowReader row) {
    if (row.oid(owner_column) == role && row.oid(oid_column) >= first) out.push_back(row.oid(oid_column));
    return true;
  });
  return out;
}

// Those granted to the role or by it, on every object of a system table.
Status forget_privileges(DdlContext& c, Oid table_oid, int acl_column, Oid role) {
  SystemTable& t = table(c, table_oid);
  const auto of_role = [&](const types::AclItem& item) { return item.grantee == role || item.grantor == role; };
  std::vector<std::string> keys;
  t.scan(c.txn, {}, [&](RowReader row) {
    if (row.is_null(acl_column)) return true;
    const types::Acl acl = types::read_acl(row.str(acl_column));
    if (std::none_of(acl.begin(), acl.end(), of_role)) return true;
    std::vector<Datum> values;
    for (int i = 0; i < t.definition().column_count; i++) values.push_back(row.datum(i));
    keys.push_back(t.key_of(values));
    return true;
  });
  for (const std::string& key : keys) {
    std::string image;
    const StorageStatus claimed = t.claim(c.txn, key, image);
    if (claimed == StorageStatus::kNotFound) continue;  // dropped meanwhile
    INDIGO_TRY(check(claimed));
    RowValues row(t.definition(), t.layout(), image);
    types::Acl acl = row.get(acl_column).null ? types::Acl() : types::read_acl(row.get(acl_column).str);
    if (std::erase_if(acl, of_role) == 0) continue;
    if (acl.empty() && table_oid == pg_attribute::kOid) {
      row.set_null(acl_column);
    } else {
      row.str(acl_column, types::acl_array(acl));
    }
    INDIGO_TRY(check(t.update(c.txn, row)));
  }
  return {};
}

}  // namespace

Status execute_reassign_owned(DdlContext& c, const PgQuery__ReassignOwnedStmt& s) {
  INDIGO_ASSIGN(const std::vector<Oid> roles, roles_acted_for(c, nodes(s.n_roles, s.roles), "reassign objects"));
  INDIGO_ASSIGN(const Oid to, resolve_role(c, s.newrole));
  if (!c.catalog.has_privileges_of(c.catalog.user(), to)) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied to reassign objects");
  }
  for (const Oid from : roles) {
    if (from == to) continue;
    INDIGO_TRY(check_not_bootstrap(c, from, "reassign ownership of objects"));
    for (const RelationPtr& r : owned_relations(c, from)) {
      INDIGO_TRY(lock_object(c, r->oid, TableLockMode::kAccessExclusive));
      const RelationPtr now = current(c, r->oid);
      if (now != nullptr && now->owner == from) INDIGO_TRY(change_owner(c, now, to));
    }
    for (const Oid oid : owned_rows(c, pg_namespace::kOid, pg_namespace::c_nspowner, pg_namespace::c_oid, from)) {
      INDIGO_TRY(check_database_privilege(c, kPrivilegeCreate));
      INDIGO_TRY(update_row(c, pg_namespace::kOid, {Datum::of_oid(oid)}, [&](RowValues& v) {
        v.oid(pg_namespace::c_nspowner, to);
        pass_on(v, pg_namespace::c_nspacl, from, to);
      }));
      c.catalog.changed({kInvalidOid});
    }
    for (const Oid oid : owned_rows(c, pg_type::kOid, pg_type::c_typowner, pg_type::c_oid, from)) {
      INDIGO_TRY(
          update_row(c, pg_type::kOid, {Datum::of_oid(oid)}, [&](RowValues& v) { v.oid(pg_type::c_typowner, to); }));
      c.catalog.changed({oid});
    }
    for (const Oid oid : owned_rows(c, pg_proc::kOid, pg_proc::c_proowner, pg_proc::c_oid, from)) {
      INDIGO_TRY(update_row(c, pg_proc::kOid, {Datum::of_oid(oid)}, [&](RowValues& v) {
        v.oid(pg_proc::c_proowner, to);
        pass_on(v, pg_proc::c_proacl, from, to);
      }));
      c.catalog.changed({kInvalidOid});
    }
    for (const OwnedKind& kind : kPlainKinds) {
      for (const Oid oid : owned_rows(c, kind.table, kind.owner, kind.oid, from)) {
        INDIGO_TRY(update_row(c, kind.table, {Datum::of_oid(oid)}, [&](RowValues& v) { v.oid(kind.owner, to); }));
      }
    }
    for (const catalog::AclSource* kind : {&catalog::kLanguageAcl, &catalog::kTablespaceAcl}) {
      for (const Oid oid : owned_rows(c, kind->table, kind->owner, 0, from)) {
        INDIGO_TRY(update_row(c, kind->table, {Datum::of_oid(oid)}, [&](RowValues& v) {
          v.oid(kind->owner, to);
          pass_on(v, kind->acl, from, to);
        }));
      }
    }
    for (const Oid class_id : {catalog::pg_ts_config::kOid, catalog::pg_ts_dict::kOid}) {
      const int owner = text_search_type(class_id)->owner;
      for (const Oid oid : owned_rows(c, class_id, owner, 0, from))
        INDIGO_TRY(update_row(c, class_id, {Datum::of_oid(oid)}, [&](RowValues& v) { v.oid(owner, to); }));
    }
    for (const ForeignKind* kind : {&kWrapperKind, &kServerKind}) {
      for (const Oid oid : owned_rows(c, kind->table, kind->owner_column, kind->oid_column, from)) {
        if (kind == &kWrapperKind) {
          INDIGO_TRY(change_wrapper_owner(c, foreign_name(c, *kind, oid), to));
        } else {
          INDIGO_TRY(change_server_owner(c, foreign_name(c, *kind, oid), to));
        }
      }
    }
    namespace pg_largeobject_metadata = catalog::pg_largeobject_metadata;
    for (const Oid oid : owned_rows(c, pg_largeobject_metadata::kOid, pg_largeobject_metadata::c_lomowner,
                                    pg_largeobject_metadata::c_oid, from))
      INDIGO_TRY(change_large_object_owner(c, oid, to));
    namespace pg_publication = catalog::pg_publication;
    for (const Oid oid : owned_rows(c, pg_publication::kOid, pg_publication::c_pubowner, pg_publication::c_oid, from))
      INDIGO_TRY(change_publication_owner(c, publication_name(c, oid), to));
    namespace pg_subscription = catalog::pg_subscription;
    for (const Oid oid :
         owned_rows(c, pg_subscription::kOid, pg_subscription::c_subowner, pg_subscription::c_oid, from))
      INDIGO_TRY(change_subscription_owner(c, oid, to));
    for (const Oid oid : owned_rows(c, pg_database::kOid, pg_database::c_datdba, pg_database::c_oid, from)) {
      INDIGO_TRY(update_row(c, pg_database::kOid, {Datum::of_oid(oid)},
                            [&](RowValues& v) { v.oid(pg_database::c_datdba, to); }));
    }
  }
  return {};
}

Status execute_drop_owned(DdlContext& c, const PgQuery__DropOwnedStmt& s) {
  const bool cascade = s.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE;
  INDIGO_ASSIGN(const std::vector<Oid> roles, roles_acted_for(c, nodes(s.n_roles, s.roles), "drop objects"));
  for (const Oid role : roles) {
    INDIGO_TRY(check_not_bootstrap(c, role, "drop objects"));
    std::vector<Address> objects;
    for (const RelationPtr& r : owned_relations(c, role)) {
      bool internal = false;
      // (The columns of a partition key depend on their own table.)
      for (const Dependent& d : references_of(c, {pg_class::kOid, r->oid, 0})) {
        internal |= d.type == 'i' && (d.address.class_id != pg_class::kOid || d.address.object != r->oid);
      }
      if (!internal) objects.push_back({pg_class::kOid, r->oid, 0});
    }
    for (const Oid oid : owned_rows(c, pg_namespace::kOid, pg_namespace::c_nspowner, pg_namespace::c_oid, role)) {
      objects.push_back({pg_namespace::kOid, oid, 0});
    }
    for (const Oid oid : owned_rows(c, pg_proc::kOid, pg_proc::c_proowner, pg_proc::c_oid, role)) {
      objects.push_back({pg_proc::kOid, oid, 0});
    }
    for (const OwnedKind& kind : kPlainKinds) {
      for (const Oid oid : owned_rows(c, kind.table, kind.owner, kind.oid, role))
        objects.push_back({kind.table, oid, 0});
    }
    for (const Oid oid : owned_rows(c, catalog::pg_language::kOid, catalog::pg_language::c_lanowner,
                                    catalog::pg_language::c_oid, role)) {
      objects.push_back({catalog::pg_language::kOid, oid, 0});
    }
    for (const Oid class_id : {catalog::pg_ts_config::kOid, catalog::pg_ts_dict::kOid}) {
      for (const Oid oid : owned_rows(c, class_id, text_search_type(class_id)->owner, 0, role))
        objects.push_back({class_id, oid, 0});
    }
    for (const ForeignKind* kind : {&kWrapperKind, &kServerKind}) {
      for (const Oid oid : owned_rows(c, kind->table, kind->owner_column, kind->oid_column, role))
        objects.push_back({kind->table, oid, 0});
    }
    for (const Oid oid : owned_rows(c, catalog::pg_user_mapping::kOid, catalog::pg_user_mapping::c_umuser,
                                    catalog::pg_user_mapping::c_oid, role)) {
      objects.push_back({catalog::pg_user_mapping::kOid, oid, 0});
    }
    for (const Oid oid : owned_rows(c, catalog::pg_publication::kOid, catalog::pg_publication::c_pubowner,
                                    catalog::pg_publication::c_oid, role)) {
      objects.push_back({catalog::pg_publication::kOid, oid, 0});
    }
    for (const Oid oid :
         owned_rows(c, catalog::pg_largeobject_metadata::kOid, catalog::pg_largeobject_metadata::c_lomowner,
                    catalog::pg_largeobject_metadata::c_oid, role)) {
      objects.push_back({catalog::pg_largeobject::kOid, oid, 0});
    }
    // Row types and arrays go with what they are the types of.
    for (const Oid oid : owned_rows(c, pg_type::kOid, pg_type::c_typowner, pg_type::c_oid, role)) {
      const auto references = references_of(c, {pg_type::kOid, oid, 0});
      if (std::none_of(references.begin(), references.end(), [](const Dependent& d) { return d.type == 'i'; }))
        objects.push_back({pg_type::kOid, oid, 0});
    }
    INDIGO_TRY(forget_role_in_policies(c, role, objects));
    INDIGO_TRY(drop_objects(c, objects, cascade));
    INDIGO_TRY(forget_privileges(c, pg_class::kOid, pg_class::c_relacl, role));
    INDIGO_TRY(forget_privileges(c, pg_attribute::kOid, pg_attribute::c_attacl, role));
    INDIGO_TRY(forget_privileges(c, pg_namespace::kOid, pg_namespace::c_nspacl, role));
    INDIGO_TRY(forget_privileges(c, pg_type::kOid, pg_type::c_typacl, role));
    INDIGO_TRY(forget_privileges(c, pg_proc::kOid, pg_proc::c_proacl, role));
    INDIGO_TRY(
        forget_privileges(c, catalog::pg_largeobject_metadata::kOid, catalog::pg_largeobject_metadata::c_lomacl, role));
    INDIGO_TRY(forget_privileges(c, catalog::pg_language::kOid, catalog::pg_language::c_lanacl, role));
    INDIGO_TRY(forget_privileges(c, catalog::pg_tablespace::kOid, catalog::pg_tablespace::c_spcacl, role));
    INDIGO_TRY(forget_privileges(c, catalog::pg_parameter_acl::kOid, catalog::pg_parameter_acl::c_paracl, role));
    for (const ForeignKind* kind : {&kWrapperKind, &kServerKind})
      INDIGO_TRY(forget_privileges(c, kind->table, kind->acl_column, role));
    INDIGO_TRY(forget_privileges(c, pg_database::kOid, pg_database::c_datacl, role));
    INDIGO_TRY(forget_default_privileges(c, role, kInvalidOid));
    INDIGO_TRY(forget_in_default_privileges(c, role));
    c.catalog.changed({kInvalidOid});
  }
  return {};
}

}  // namespace indigo::engine::ddl
