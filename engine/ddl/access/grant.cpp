#include "engine/ddl/access/grant.h"

#include <algorithm>
#include <bit>

#include "catalog/catalog.h"
#include "catalog/object_privileges.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/system_columns.h"
#include "engine/ddl/access/grant_target.h"
#include "engine/ddl/access/privilege_list.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

std::string_view kind_of(const Target& t) {
  switch (t.kind) {
    case 'S': return "sequence";
    case 'n': return "schema";
    case 'd': return "database";
    case 'T': return "type";
    case 'f': return "function";
    case 'l': return "language";
    case 't': return "tablespace";
    case 'F': return t.table == catalog::pg_foreign_server::kOid ? "foreign server" : "foreign-data wrapper";
    case 'P': return "parameter";
    case 'L': return "large object";
    default: return "table";
  }
}

// Who may grant: the owner (and members of its role) or a holder of grant options. Answers the grantor and what it may pass
// on: of the roles that the user acts for, the one with the most of it. `acl` with a table's own list where it is a column's.
Status find_grantor(DdlContext& c, const Target& t, const types::Acl& acl, Oid owner, uint32_t wanted, Oid& grantor,
                    uint32_t& allowed) {
  const Oid user = c.catalog.user();
  if (c.catalog.has_privileges_of(user, owner)) {
    grantor = owner;
    allowed = wanted;
    return {};
  }
  grantor = user;
  allowed = 0;
  for (const types::AclItem& item : acl) {
    if (item.grantee == kInvalidOid || !c.catalog.has_privileges_of(user, item.grantee)) continue;
    uint32_t options = 0;
    for (const types::AclItem& other : acl) {
      if (other.grantee == item.grantee) options |= other.options & wanted;
    }
    if (std::popcount(options) <= std::popcount(allowed)) continue;
    allowed = options;
    grantor = item.grantee;
  }
  if (allowed != 0) return {};
  // Of a column, what is held of its table counts.
  const bool column = t.table == pg_attribute::kOid;
  const bool system =
      t.table == pg_class::kOid && catalog::read_object_acl(c.catalog, catalog::kRelationAcl, t.changed).system_catalog;
  const uint32_t held = catalog::held_privileges(c.catalog, {true, owner, acl, column ? 'r' : t.kind, system}, user);
  if ((held & (column ? kColumnPrivileges : t.all)) != 0) return {};
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for " + std::string(kind_of(t)) + " " + t.name);
}

}  // namespace

namespace {

// What an extension's own definitions grant and revoke belongs to it: pg_dump leaves it to CREATE EXTENSION.
Status record_initial_acl(DdlContext& c, const Target& t, const RowValues& row, const types::Acl& acl) {
  namespace pg_init_privs = catalog::pg_init_privs;
  const bool column = t.table == pg_attribute::kOid;
  const Datum object = row.get(column ? pg_attribute::c_attrelid : 0);  // the others begin with their OID
  const Datum of_class = Datum::of_oid(column ? pg_class::kOid : t.table);
  const int32_t sub = column ? row.get(pg_attribute::c_attnum).i16 : 0;
  SystemTable& initial = table(c, pg_init_privs::kOid);
  std::string image;
  if (initial.find(c.txn, {object, of_class, Datum::of(sub)}, image))
    INDIGO_TRY(check_erased(initial.erase(c.txn, {object, of_class, Datum::of(sub)})));
  RowValues made(initial.definition());
  made.oid(pg_init_privs::c_objoid, object.oid())
      .oid(pg_init_privs::c_classoid, of_class.oid())
      .i32(pg_init_privs::c_objsubid, sub)
      .chr(pg_init_privs::c_privtype, 'e')
      .str(pg_init_privs::c_initprivs, types::acl_array(acl));
  return check(initial.insert(c.txn, made));
}

}  // namespace

Status apply_grant(DdlContext& c, const PgQuery__GrantStmt& s, const Target& t, uint32_t wanted,
                   std::span<const Oid> grantees) {
  SystemTable& system = table(c, t.table);
  std::string image;
  INDIGO_TRY(check(system.claim(c.txn, t.key, image)));
  RowValues row(system.definition(), system.layout(), image);
  Oid owner = kInvalidOid;
  if (t.owner_column >= 0) {
    owner = row.get(t.owner_column).oid();
  } else if (t.kind == 'P') {
    owner = oid::kBootstrapSuperuser;
  } else {  // a column: its table's owner
    const RelationPtr relation = current(c, t.changed);
    owner = relation->owner;
  }
  const bool none = row.get(t.acl_column).null;
  types::Acl acl = none ? types::default_acl(t.kind, owner) : types::read_acl(row.get(t.acl_column).str);
  Oid grantor = kInvalidOid;
  uint32_t allowed = 0;
  types::Acl whole = acl;
  if (t.table == pg_attribute::kOid) {
    const auto of_table = catalog::read_object_acl(c.catalog, catalog::kRelationAcl, t.changed).acl;
    whole.insert(whole.end(), of_table.begin(), of_table.end());
  }
  INDIGO_TRY(find_grantor(c, t, whole, owner, wanted, grantor, allowed));
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
  INDIGO_TRY(change_list(s, acl, owner, grantor, allowed, grantees));
  if (acl.empty() && t.owner_column < 0) {
    row.set_null(t.acl_column);
  } else {
    row.str(t.acl_column, types::acl_array(acl));
  }
  INDIGO_TRY(check(system.update(c.txn, row)));
  if (c.extension != kInvalidOid) INDIGO_TRY(record_initial_acl(c, t, row, acl));
  // (No plan and no descriptor knows of a large object.)
  if (t.kind != 'L') c.catalog.changed({t.changed});  // kInvalidOid: what is looked up through it, everything
  return {};
}

Result<std::vector<Oid>> held_grantees(DdlContext& c, const PgQuery__GrantStmt& s) {
  INDIGO_ASSIGN(std::vector<Oid> grantees, grantees_of(c, s));
  for (const Oid grantee : grantees) INDIGO_TRY(hold_role(c, grantee));
  return grantees;
}

Status grant_on_each(DdlContext& c, const PgQuery__GrantStmt& s, std::string_view kind,
                     Result<Target> (*target_of)(DdlContext&, const PgQuery__Node*),
                     Status (*check_target)(DdlContext&, const Target&)) {
  std::vector<Target> targets;
  for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) {
    INDIGO_ASSIGN(Target t, target_of(c, node));
    targets.push_back(std::move(t));
  }
  INDIGO_ASSIGN(const std::vector<Oid> grantees, held_grantees(c, s));
  for (const Target& t : targets) {
    INDIGO_ASSIGN(const Wanted wanted, wanted_privileges(s, t.all, kind));
    if (check_target != nullptr) INDIGO_TRY(check_target(c, t));
    INDIGO_TRY(apply_grant(c, s, t, wanted.privileges, grantees));
  }
  return {};
}

namespace {

Target relation_target(DdlContext& c, const RelationInfo& r) {
  const bool sequence = r.kind == RelationKind::kSequence;
  return {pg_class::kOid,
          table(c, pg_class::kOid).key({Datum::of_oid(r.oid)}),
          pg_class::c_relacl,
          pg_class::c_relowner,
          sequence ? 'S' : 'r',
          sequence ? types::kSequencePrivileges : types::kTablePrivileges,
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
    if (!c.catalog.has_privileges_of(c.catalog.user(), r.owner)) {
      // Who holds nothing of the column may not even ask.
      const uint32_t held = catalog::object_privileges(c.catalog, catalog::kRelationAcl, r.oid, c.catalog.user()) |
                            catalog::column_privileges(c.catalog, r.oid, column.number, c.catalog.user());
      if ((held & kColumnPrivileges) == 0) {
        return Error(sqlstate::kInsufficientPrivilege, "permission denied for table " + r.name);
      }
    }
    const Target t = column_target(c, r, column.number, privileges);
    std::string image;
    if (system.storage()->get(c.txn, c.txn.newest_view(), t.key, image) != StorageStatus::kOk) continue;
    if (system.reader(image).is_null(pg_attribute::c_attacl)) continue;
    INDIGO_TRY(apply_grant(c, s, t, privileges, grantees));
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
  if (wanted.privileges != 0) INDIGO_TRY(apply_grant(c, s, t, wanted.privileges, grantees));
  if (!s.is_grant && t.kind == 'r') INDIGO_TRY(revoke_from_columns(c, s, *r, wanted.privileges, grantees));
  for (const auto& [privilege, columns] : wanted.columns) {
    if ((privilege & ~kColumnPrivileges) != 0) {
      return Error(sqlstate::kInvalidGrantOperation, "invalid privilege type for column");
    }
    for (const std::string& name : columns) {
      int16_t number = 0;
      if (const auto* system = catalog::find_system_column(name); system != nullptr && r->kind != RelationKind::kView) {
        number = system->number;
      } else {
        INDIGO_ASSIGN(const ColumnInfo* column, column_of(*r, name));
        number = column->number;
      }
      INDIGO_TRY(apply_grant(c, s, column_target(c, *r, number, privilege), privilege, grantees));
    }
  }
  return {};
}

// The one function of that name and, when they are given, input types.
Result<FunctionPtr> named_function(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs& f) {
  const NodeList parts = nodes(f.n_objname, f.objname);
  const auto q = sql::qualified_name(parts);
  const std::string name = sql::name_list_text(parts);
  INDIGO_TRY(check_schema_usage(c, q.schema));
  auto candidates =
      q.valid ? c.catalog.functions_named(q.schema, q.name) : std::vector<std::shared_ptr<const types::FunctionInfo>>();
  if (f.args_unspecified) {
    if (candidates.empty()) {
      return Error(sqlstate::kUndefinedFunction, "could not find a function named " + quoted(name));
    }
    if (candidates.size() > 1) {
      return Error(SqlState("42725"), "function name " + quoted(name) + " is not unique")
          .with_hint("Specify the argument list to select the function unambiguously.");
    }
    return FunctionPtr(candidates.front());
  }
  std::string types;
  std::vector<Oid> arguments;
  for (const PgQuery__Node* argument : nodes(f.n_objargs, f.objargs)) {
    INDIGO_ASSIGN(const TypeRef type, resolve_type(c, argument->type_name));
    types += (types.empty() ? "" : ", ") + type_text(c, {type.oid, -1, kInvalidOid});
    arguments.push_back(type.oid);
  }
  for (auto& function : candidates) {
    if (function->arguments != arguments) continue;
    const bool procedure = function->kind == types::FunctionKind::kProcedure;
    if (type == PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION ? procedure
                                                       : type == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE && !procedure)
      return Error(sqlstate::kWrongObjectType,
                   name + "(" + types + ") is not a " + (procedure ? "function" : "procedure"));
    return FunctionPtr(function);
  }
  const char* kind = type == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE ? "procedure " : "function ";
  return Error(sqlstate::kUndefinedFunction, kind + name + "(" + types + ") does not exist");
}

Status grant_on_functions(DdlContext& c, const PgQuery__GrantStmt& s) {
  std::vector<FunctionPtr> functions;
  if (s.targtype == PG_QUERY__GRANT_TARGET_TYPE__ACL_TARGET_ALL_IN_SCHEMA) {
    for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) {
      INDIGO_ASSIGN(const Oid schema, existing_schema(c, string_of(node)));
      std::vector<Oid> found;
      table(c, pg_proc::kOid).scan(c.txn, {}, [&](RowReader row) {
        const bool procedure = row.chr(pg_proc::c_prokind) == 'p';
        const bool wanted = s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE ||
                            procedure == (s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE);
        if (wanted && row.oid(pg_proc::c_pronamespace) == schema) found.push_back(row.oid(pg_proc::c_oid));
        return true;
      });
      for (const Oid oid : found) {
        if (FunctionPtr function = c.catalog.function(oid)) functions.push_back(std::move(function));
      }
    }
  } else {
    for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) {
      INDIGO_ASSIGN(FunctionPtr function, named_function(c, s.objtype, *node->object_with_args));
      functions.push_back(std::move(function));
    }
  }
  INDIGO_ASSIGN(const std::vector<Oid> grantees, held_grantees(c, s));
  for (const auto& function : functions) {
    const Target t{pg_proc::kOid,
                   table(c, pg_proc::kOid).key({Datum::of_oid(function->oid)}),
                   pg_proc::c_proacl,
                   pg_proc::c_proowner,
                   'f',
                   types::kPrivilegeExecute,
                   function->name,
                   kInvalidOid};
    INDIGO_ASSIGN(
        const Wanted wanted,
        wanted_privileges(s, t.all, s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE ? "procedure" : "function"));
    INDIGO_TRY(apply_grant(c, s, t, wanted.privileges, grantees));
  }
  return {};
}

Result<std::vector<RelationPtr>> relations_in_schemas(DdlContext& c, const PgQuery__GrantStmt& s) {
  std::vector<RelationPtr> out;
  for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) {
    INDIGO_ASSIGN(const Oid schema, existing_schema(c, string_of(node)));
    INDIGO_TRY(check_schema_usage(c, string_of(node)));
    std::vector<Oid> found;
    table(c, pg_class::kOid).scan(c.txn, {}, [&](RowReader row) {
      if (row.oid(pg_class::c_relnamespace) != schema) return true;
      const char kind = row.chr(pg_class::c_relkind);
      const bool sequence = s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE;
      if (sequence ? kind == 'S' : kind == 'r' || kind == 'p' || kind == 'v' || kind == 'm' || kind == 'f')
        found.push_back(row.oid(pg_class::c_oid));
      return true;
    });
    for (const Oid oid : found) {
      if (RelationPtr relation = current(c, oid)) out.push_back(std::move(relation));
    }
  }
  return out;
}

Status grant_on_relations(DdlContext& c, const PgQuery__GrantStmt& s) {
  std::vector<RelationPtr> relations;
  if (s.targtype == PG_QUERY__GRANT_TARGET_TYPE__ACL_TARGET_ALL_IN_SCHEMA) {
    INDIGO_ASSIGN(relations, relations_in_schemas(c, s));
  } else {
    for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) {
      INDIGO_ASSIGN(RelationPtr r, open_relation(c, node->range_var, TableLockMode::kAccessShare));
      relations.push_back(std::move(r));
    }
  }
  INDIGO_ASSIGN(const std::vector<Oid> grantees, held_grantees(c, s));
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
                types::kSchemaPrivileges,
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
                types::kDatabasePrivileges,
                database->name(),
                kInvalidOid};
}

Result<Target> type_target(DdlContext& c, const PgQuery__Node* node) {
  INDIGO_ASSIGN(const TypePtr type, existing_type(c, nodes(node->list->n_items, node->list->items)));
  return Target{pg_type::kOid,
                table(c, pg_type::kOid).key({Datum::of_oid(type->oid)}),
                pg_type::c_typacl,
                pg_type::c_typowner,
                'T',
                types::kPrivilegeUsage,
                type->name,
                type->oid};
}

Status check_type_target(DdlContext& c, const Target& target) {
  const TypePtr type = c.catalog.type(target.changed);
  if (type == nullptr || !type->is_array()) return {};
  return Error(SqlState("0LP01"), "cannot set privileges of array types")
      .with_hint("Set the privileges of the element type instead.");
}

Status check_domain_target(DdlContext& c, const Target& target) {
  INDIGO_TRY(check_type_target(c, target));
  const TypePtr type = c.catalog.type(target.changed);
  if (type == nullptr || type->kind == 'd') return {};
  return Error(sqlstate::kWrongObjectType, quoted(type->name) + " is not a domain");
}

}  // namespace

Status execute_grant(DdlContext& c, const PgQuery__GrantStmt& s) {
  if (s.grantor != nullptr) {
    INDIGO_ASSIGN(const Oid grantor, resolve_role(c, s.grantor));
    if (grantor != c.catalog.user()) return Error(sqlstate::kFeatureNotSupported, "grantor must be current user");
  }
  switch (s.objtype) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE: INDIGO_TRY(grant_on_functions(c, s)); break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE: INDIGO_TRY(grant_on_relations(c, s)); break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA: INDIGO_TRY(grant_on_each(c, s, "schema", schema_target)); break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE: INDIGO_TRY(grant_on_each(c, s, "database", database_target)); break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
      INDIGO_TRY(grant_on_each(c, s, "type", type_target, check_type_target));
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN:
      INDIGO_TRY(grant_on_each(c, s, "domain", type_target, check_domain_target));
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_LARGEOBJECT:
    case PG_QUERY__OBJECT_TYPE__OBJECT_LANGUAGE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLESPACE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_FDW:
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_SERVER:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PARAMETER_ACL: INDIGO_TRY(grant_on_server_objects(c, s)); break;
    default: return unsupported(std::string(s.is_grant ? "GRANT" : "REVOKE") + " on this kind of object");
  }
  return {};
}

}  // namespace indigo::engine::ddl
