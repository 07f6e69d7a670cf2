#include "engine/ddl/access/grant.h"

#include <algorithm>
#include <map>

#include "catalog/acl.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"

namespace indigo::engine::ddl {

namespace {

struct Target {
  Oid table;        // system table with the acl
  std::string key;  // of the row
  int acl_column, owner_column;
  char kind;     // as catalog::default_acl
  uint32_t all;  // every privilege of such an object
  std::string name;
  Oid changed;  // whose descriptor to refresh
};

struct Wanted {
  uint32_t privileges = 0;
  bool all = false;
  std::map<uint32_t, std::vector<std::string>> columns;  // by privilege
};

constexpr uint32_t kColumnPrivileges =
    catalog::kPrivilegeSelect | catalog::kPrivilegeInsert | catalog::kPrivilegeUpdate | catalog::kPrivilegeReferences;

const std::map<std::string_view, uint32_t>& privilege_names() {
  static const std::map<std::string_view, uint32_t> names{{"insert", catalog::kPrivilegeInsert},
                                                          {"select", catalog::kPrivilegeSelect},
                                                          {"update", catalog::kPrivilegeUpdate},
                                                          {"delete", catalog::kPrivilegeDelete},
                                                          {"truncate", catalog::kPrivilegeTruncate},
                                                          {"references", catalog::kPrivilegeReferences},
                                                          {"trigger", catalog::kPrivilegeTrigger},
                                                          {"execute", catalog::kPrivilegeExecute},
                                                          {"usage", catalog::kPrivilegeUsage},
                                                          {"create", catalog::kPrivilegeCreate},
                                                          {"temp", catalog::kPrivilegeTemp},
                                                          {"temporary", catalog::kPrivilegeTemp},
                                                          {"connect", catalog::kPrivilegeConnect},
                                                          {"set", catalog::kPrivilegeSet},
                                                          {"alter system", catalog::kPrivilegeAlterSystem}};
  return names;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char ch) { return static_cast<char>(std::toupper(ch)); });
  return out;
}

Result<Wanted> wanted_privileges(const PgQuery__GrantStmt& s, uint32_t all, std::string_view kind) {
  Wanted out;
  if (s.n_privileges == 0) out.all = true;
  for (const PgQuery__Node* node : nodes(s.n_privileges, s.privileges)) {
    const PgQuery__AccessPriv* p = node->access_priv;
    const std::vector<std::string> columns = sql::strings_of(nodes(p->n_cols, p->cols));
    if (!sql::has_text(p->priv_name)) {  // ALL [PRIVILEGES] (columns)
      if (columns.empty()) {
        out.all = true;
      } else {
        out.columns[kColumnPrivileges] = columns;
      }
      continue;
    }
    const auto it = privilege_names().find(p->priv_name);
    if (it == privilege_names().end()) {
      return Error(sqlstate::kSyntaxError, "unrecognized privilege type " + quoted(p->priv_name));
    }
    if ((it->second & all) == 0) {
      const bool of_sequence = kind == "relation" && (it->second & catalog::kSequencePrivileges) != 0;
      return Error(sqlstate::kInvalidGrantOperation, "invalid privilege type " + upper(p->priv_name) + " for " +
                                                         (of_sequence ? "table" : std::string(kind)));
    }
    if (columns.empty()) {
      out.privileges |= it->second;
    } else {
      auto& list = out.columns[it->second];
      list.insert(list.end(), columns.begin(), columns.end());
    }
  }
  if (out.all) out.privileges = all;
  return out;
}

// Who may grant: the owner (and its members) or whoever holds the grant option. Answers the grantor and what it may pass on.
Status find_grantor(DdlContext& c, const Target& t, const catalog::Acl& acl, Oid owner, uint32_t wanted, Oid& grantor,
                    uint32_t& allowed) {
  const Oid user = c.catalog.user();
  if (c.catalog.has_role(user, owner)) {
    grantor = owner;
    allowed = wanted;
    return {};
  }
  uint32_t options = 0;
  grantor = user;
  for (const catalog::AclItem& item : acl) {
    if (item.grantee != kInvalidOid && c.catalog.has_role(user, item.grantee)) {
      options |= item.options;
      if ((item.options & wanted) != 0) grantor = item.grantee;
    }
  }
  allowed = options & wanted;
  if (allowed != 0) return {};
  const uint32_t held = catalog::acl_privileges(acl, [&](Oid role) { return c.catalog.has_role(user, role); });
  if (held == 0) {
    const std::string_view kind = t.kind == 'S'   ? "sequence"
                                  : t.kind == 'n' ? "schema"
                                  : t.kind == 'd' ? "database"
                                  : t.kind == 'T' ? "type"
                                                  : "table";
    return Error(sqlstate::kInsufficientPrivilege, "permission denied for " + std::string(kind) + " " + t.name);
  }
  return {};
}

catalog::AclItem& item_for(catalog::Acl& acl, Oid grantee, Oid grantor) {
  for (catalog::AclItem& item : acl) {
    if (item.grantee == grantee && item.grantor == grantor) return item;
  }
  acl.push_back({grantee, grantor, 0, 0});
  return acl.back();
}

// What was passed on with a grant option that is gone now.
Status revoke_dependent(catalog::Acl& acl, Oid owner, bool cascade) {
  for (bool again = true; again;) {
    again = false;
    for (catalog::AclItem& item : acl) {
      if (item.grantor == owner || item.privileges == 0) continue;
      uint32_t options = 0;
      for (const catalog::AclItem& other : acl) {
        if (other.grantee == item.grantor) options |= other.options;
      }
      const uint32_t lost = item.privileges & ~options;
      if (lost == 0) continue;
      if (!cascade) {
        return Error(sqlstate::kDependentObjectsStillExist, "dependent privileges exist")
            .with_hint("Use CASCADE to revoke them too.");
      }
      item.privileges &= ~lost;
      item.options &= ~lost;
      again = true;
    }
  }
  return {};
}

Status apply_to(DdlContext& c, const PgQuery__GrantStmt& s, const Target& t, uint32_t wanted,
                std::span<const Oid> grantees) {
  SystemTable& system = table(c, t.table);
  std::string image;
  if (system.storage()->get(c.txn, c.txn.newest_view(), t.key, image) != StorageStatus::kOk) {
    return Error(sqlstate::kInternalError, "cache lookup failed for " + t.name);
  }
  RowValues row(system.definition(), system.layout(), image);
  Oid owner = kInvalidOid;
  if (t.owner_column >= 0) {
    owner = row.get(t.owner_column).oid();
  } else {  // a column: its table's owner
    const RelationPtr relation = current(c, t.changed);
    owner = relation->owner;
  }
  const bool none = row.get(t.acl_column).null;
  catalog::Acl acl = none ? catalog::default_acl(t.kind, owner) : catalog::read_acl(row.get(t.acl_column).str);
  Oid grantor = kInvalidOid;
  uint32_t allowed = 0;
  INDIGO_TRY(find_grantor(c, t, acl, owner, wanted, grantor, allowed));
  if (allowed == 0) {
    warning(c, SqlState(s.is_grant ? "01007" : "01006"),
            (s.is_grant ? "no privileges were granted for " : "no privileges could be revoked for ") + quoted(t.name));
    return {};
  }
  if (allowed != wanted && (wanted != t.all)) {
    warning(c, SqlState(s.is_grant ? "01007" : "01006"),
            (s.is_grant ? "not all privileges were granted for " : "not all privileges could be revoked for ") +
                quoted(t.name));
  }
  for (const Oid grantee : grantees) {
    catalog::AclItem& item = item_for(acl, grantee, grantor);
    if (s.is_grant) {
      item.privileges |= allowed;
      if (s.grant_option) item.options |= allowed;
    } else {
      item.options &= ~allowed;
      if (!s.grant_option) item.privileges &= ~allowed;
    }
  }
  if (!s.is_grant) INDIGO_TRY(revoke_dependent(acl, owner, s.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE));
  std::erase_if(acl, [](const catalog::AclItem& item) { return item.privileges == 0; });
  if (acl.empty() && t.owner_column < 0) {
    row.set_null(t.acl_column);
  } else {
    row.str(t.acl_column, catalog::acl_array(acl));
  }
  INDIGO_TRY(check(system.update(c.txn, row)));
  if (t.changed != kInvalidOid) c.catalog.changed({t.changed});
  return {};
}

Target relation_target(DdlContext& c, const RelationInfo& r) {
  const bool sequence = r.kind == RelationKind::kSequence;
  return {pg_class::kOid,
          table(c, pg_class::kOid).key({Datum::of_oid(r.oid)}),
          pg_class::c_relacl,
          pg_class::c_relowner,
          sequence ? 'S' : 'r',
          sequence ? catalog::kSequencePrivileges : catalog::kTablePrivileges,
          r.name,
          r.oid};
}

Target column_target(DdlContext& c, const RelationInfo& r, int16_t number, uint32_t all) {
  return {pg_attribute::kOid,
          table(c, pg_attribute::kOid).key({Datum::of_oid(r.oid), Datum::of(number)}),
          pg_attribute::c_attacl,
          -1,
          'c',
          all,
          r.name,
          r.oid};
}

// What is revoked of a table is revoked of its columns too.
Status revoke_from_columns(DdlContext& c, const PgQuery__GrantStmt& s, const RelationInfo& r, uint32_t privileges,
                           std::span<const Oid> grantees) {
  privileges &= kColumnPrivileges;
  if (privileges == 0) return {};
  const SystemTable& system = table(c, pg_attribute::kOid);
  for (const ColumnInfo& column : r.columns) {
    if (column.dropped) continue;
    const Target t = column_target(c, r, column.number, privileges);
    std::string image;
    if (system.storage()->get(c.txn, c.txn.newest_view(), t.key, image) != StorageStatus::kOk) continue;
    if (system.reader(image).is_null(pg_attribute::c_attacl)) continue;
    INDIGO_TRY(apply_to(c, s, t, privileges, grantees));
  }
  return {};
}

Status grant_on_relation(DdlContext& c, const PgQuery__GrantStmt& s, const RelationPtr& r,
                         std::span<const Oid> grantees) {
  if (r->kind == RelationKind::kIndex || r->kind == RelationKind::kPartitionedIndex)
    return Error(sqlstate::kWrongObjectType, quoted(r->name) + " is an index");
  if (r->kind == RelationKind::kComposite)
    return Error(sqlstate::kWrongObjectType, quoted(r->name) + " is a composite type");
  const Target t = relation_target(c, *r);
  const bool on_sequence = s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE;
  if (on_sequence && r->kind != RelationKind::kSequence)
    return Error(sqlstate::kWrongObjectType, quoted(r->name) + " is not a sequence");
  INDIGO_ASSIGN(const Wanted wanted,
                wanted_privileges(s, t.all, r->kind == RelationKind::kSequence ? "sequence" : "relation"));
  if (wanted.privileges != 0) INDIGO_TRY(apply_to(c, s, t, wanted.privileges, grantees));
  if (!s.is_grant && t.kind == 'r') INDIGO_TRY(revoke_from_columns(c, s, *r, wanted.privileges, grantees));
  for (const auto& [privilege, columns] : wanted.columns) {
    if ((privilege & ~kColumnPrivileges) != 0) {
      return Error(sqlstate::kInvalidGrantOperation, "invalid privilege type for column");
    }
    for (const std::string& name : columns) {
      INDIGO_ASSIGN(const ColumnInfo* column, column_of(*r, name));
      INDIGO_TRY(apply_to(c, s, column_target(c, *r, column->number, privilege), privilege, grantees));
    }
  }
  return {};
}

// Functions are built in, and those are the superuser's: schemas of users have none.
Status grant_on_functions(DdlContext& c, const PgQuery__GrantStmt& s, std::string_view tag) {
  const std::string refused = std::string(tag) + " on built-in functions";
  if (s.targtype == PG_QUERY__GRANT_TARGET_TYPE__ACL_TARGET_ALL_IN_SCHEMA) {
    for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) {
      INDIGO_ASSIGN(const Oid schema, existing_schema(c, string_of(node)));
      if (schema < oid::kFirstUserOid && schema != oid::kPublicSchema) return unsupported(refused);
    }
    return {};
  }
  for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) {
    const PgQuery__ObjectWithArgs& f = *node->object_with_args;
    const NodeList parts = nodes(f.n_objname, f.objname);
    const auto q = sql::qualified_name(parts);
    if (q.valid && !c.catalog.functions_named(q.schema, q.name).empty()) continue;
    std::string name = sql::name_list_text(parts);
    if (f.args_unspecified) {
      return Error(sqlstate::kUndefinedFunction, "could not find a function named " + quoted(name));
    }
    std::string types;
    for (const PgQuery__Node* argument : nodes(f.n_objargs, f.objargs)) {
      INDIGO_ASSIGN(const TypeRef type, resolve_type(c, argument->type_name));
      types += (types.empty() ? "" : ", ") + type_text(c, {type.oid, -1, kInvalidOid});
    }
    return Error(sqlstate::kUndefinedFunction, "function " + name + "(" + types + ") does not exist");
  }
  return unsupported(refused);
}

Result<std::vector<RelationPtr>> relations_in_schemas(DdlContext& c, const PgQuery__GrantStmt& s) {
  std::vector<RelationPtr> out;
  for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) {
    INDIGO_ASSIGN(const Oid schema, existing_schema(c, string_of(node)));
    std::vector<Oid> found;
    table(c, pg_class::kOid).scan(c.txn, {}, [&](RowReader row) {
      if (row.oid(pg_class::c_relnamespace) != schema) return true;
      const char kind = row.chr(pg_class::c_relkind);
      const bool sequence = s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE;
      if (sequence ? kind == 'S' : kind == 'r' || kind == 'p' || kind == 'v' || kind == 'm')
        found.push_back(row.oid(pg_class::c_oid));
      return true;
    });
    for (const Oid oid : found) out.push_back(current(c, oid));
  }
  return out;
}

Result<std::vector<Oid>> grantees_of(DdlContext& c, const PgQuery__GrantStmt& s) {
  std::vector<Oid> out;
  for (const PgQuery__Node* node : nodes(s.n_grantees, s.grantees)) {
    if (node->role_spec->roletype == PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_PUBLIC) {
      if (s.is_grant && s.grant_option) {
        return Error(sqlstate::kInvalidGrantOperation, "grant options can only be granted to roles");
      }
      out.push_back(kInvalidOid);
      continue;
    }
    INDIGO_ASSIGN(const Oid role, resolve_role(c, node->role_spec));
    out.push_back(role);
  }
  return out;
}

Status grant_on_relations(DdlContext& c, const PgQuery__GrantStmt& s, std::span<const Oid> grantees) {
  std::vector<RelationPtr> relations;
  if (s.targtype == PG_QUERY__GRANT_TARGET_TYPE__ACL_TARGET_ALL_IN_SCHEMA) {
    INDIGO_ASSIGN(relations, relations_in_schemas(c, s));
  } else {
    for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) {
      INDIGO_ASSIGN(RelationPtr r, open_relation(c, node->range_var, TableLockMode::kAccessShare));
      relations.push_back(std::move(r));
    }
  }
  for (const RelationPtr& r : relations) INDIGO_TRY(grant_on_relation(c, s, r, grantees));
  return {};
}

Result<Target> schema_target(DdlContext& c, const PgQuery__Node* node) {
  const std::string_view name = string_of(node);
  INDIGO_ASSIGN(const Oid oid, existing_schema(c, name));
  return Target{pg_namespace::kOid,
                table(c, pg_namespace::kOid).key({Datum::of_oid(oid)}),
                pg_namespace::c_nspacl,
                pg_namespace::c_nspowner,
                'n',
                catalog::kSchemaPrivileges,
                std::string(name),
                kInvalidOid};
}

Result<Target> database_target(DdlContext& c, const PgQuery__Node* node) {
  const std::string_view name = string_of(node);
  const auto database = c.catalog.catalog().database_named(name);
  if (database == nullptr) return Error(sqlstate::kInvalidCatalogName, "database " + quoted(name) + " does not exist");
  return Target{pg_database::kOid,
                table(c, pg_database::kOid).key({Datum::of_oid(database->oid())}),
                pg_database::c_datacl,
                pg_database::c_datdba,
                'd',
                catalog::kDatabasePrivileges,
                database->name(),
                kInvalidOid};
}

Result<Target> type_target(DdlContext& c, const PgQuery__Node* node) {
  const auto q = sql::qualified_name(nodes(node->list->n_items, node->list->items));
  const auto type = c.catalog.find_type(q.schema, q.name);
  if (type == nullptr) return Error(sqlstate::kUndefinedObject, "type " + quoted(q.name) + " does not exist");
  return Target{pg_type::kOid,
                table(c, pg_type::kOid).key({Datum::of_oid(type->oid)}),
                pg_type::c_typacl,
                pg_type::c_typowner,
                'T',
                catalog::kPrivilegeUsage,
                type->name,
                type->oid};
}

// `kind` as errors call such objects.
Status grant_on_each(DdlContext& c, const PgQuery__GrantStmt& s, std::span<const Oid> grantees, std::string_view kind,
                     Result<Target> (*target_of)(DdlContext&, const PgQuery__Node*)) {
  for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) {
    INDIGO_ASSIGN(const Target t, target_of(c, node));
    INDIGO_ASSIGN(const Wanted wanted, wanted_privileges(s, t.all, kind));
    INDIGO_TRY(apply_to(c, s, t, wanted.privileges, grantees));
  }
  return {};
}

}  // namespace

Result<std::string> execute_grant(DdlContext& c, const PgQuery__GrantStmt& s) {
  const std::string tag = s.is_grant ? "GRANT" : "REVOKE";
  INDIGO_ASSIGN(const std::vector<Oid> grantees, grantees_of(c, s));
  if (s.targtype == PG_QUERY__GRANT_TARGET_TYPE__ACL_TARGET_DEFAULTS) return unsupported("ALTER DEFAULT PRIVILEGES");
  switch (s.objtype) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE: INDIGO_TRY(grant_on_functions(c, s, tag)); break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE: INDIGO_TRY(grant_on_relations(c, s, grantees)); break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA:
      INDIGO_TRY(grant_on_each(c, s, grantees, "schema", schema_target));
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE:
      INDIGO_TRY(grant_on_each(c, s, grantees, "database", database_target));
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN: INDIGO_TRY(grant_on_each(c, s, grantees, "type", type_target)); break;
    default: return unsupported(tag + " on this kind of object");
  }
  return tag;
}

}  // namespace indigo::engine::ddl
