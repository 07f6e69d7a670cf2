#include "engine/ddl/access/role.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/memory/arena.h"
#include "catalog/catalog.h"
#include "catalog/object_privileges.h"
#include "engine/auth/password_rules.h"
#include "engine/auth/verifier.h"
#include "engine/ddl/access/role_objects.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/comment.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "types/function/registry.h"
#include "types/value/acl.h"

namespace indigo::engine::ddl {

namespace {

constexpr Oid kTimestampTz = oid::kTimestampTz;

std::unique_ptr<catalog::RoleInfo> me(DdlContext& c) { return c.catalog.catalog().role(c.catalog.user(), &c.txn); }

Error no_such_role(std::string_view name) {
  return Error(sqlstate::kUndefinedObject, "role " + quoted(name) + " does not exist");
}

Error denied(std::string message) { return Error(sqlstate::kInsufficientPrivilege, std::move(message)); }

// The pg_authid columns behind boolean options.
int flag_column(std::string_view option) {
  if (option == "superuser") return pg_authid::c_rolsuper;
  if (option == "inherit") return pg_authid::c_rolinherit;
  if (option == "createrole") return pg_authid::c_rolcreaterole;
  if (option == "createdb") return pg_authid::c_rolcreatedb;
  if (option == "canlogin") return pg_authid::c_rolcanlogin;
  if (option == "isreplication") return pg_authid::c_rolreplication;
  if (option == "bypassrls") return pg_authid::c_rolbypassrls;
  return -1;
}

struct Members {
  std::vector<const PgQuery__RoleSpec*> in_roles, members, admins;
};

// An empty password, plain or hashed, is none.
Status set_password(DdlContext& c, const PgQuery__Node* value, std::string_view role, RowValues& row) {
  row.set_null(pg_authid::c_rolpassword);
  if (sql::absent(value)) return {};
  const std::string password = text_value(value);
  if (c.host.has_loaded(auth::kPasswordCheck)) INDIGO_TRY(auth::check_password_rules(role, password));
  const auto given = auth::ScramVerifier::parse(password);
  const bool cheap = !given || given->iterations <= auth::kMaxScramIterations;
  if (password.empty() || (cheap && auth::password_matches("", role, password))) {
    notice(c, "empty string is not a valid password, clearing password");
    return {};
  }
  std::string encryption;
  const bool md5 = c.host.session().setting("password_encryption", encryption) && encryption == "md5";
  INDIGO_ASSIGN(std::string stored,
                auth::stored_password(password, role,
                                      md5 ? auth::PasswordEncryption::kMd5 : auth::PasswordEncryption::kScramSha256));
  row.str(pg_authid::c_rolpassword, stored);
  return {};
}

// SYSID is the one option that may be repeated.
Status check_repeated(DdlContext& c, NodeList options) {
  std::set<std::string_view> seen;
  for (const PgQuery__Node* node : options) {
    const PgQuery__DefElem* d = node->def_elem;
    if (std::string_view(d->defname) != "sysid" && !seen.insert(d->defname).second)
      return Error(sqlstate::kSyntaxError, "conflicting or redundant options").at(position(c, d->location));
  }
  return {};
}

// Applies the options to the row of `role`.
Status apply_options(DdlContext& c, NodeList options, std::string_view role, RowValues& row, Members& members) {
  for (const PgQuery__Node* node : options) {
    const PgQuery__DefElem* d = node->def_elem;
    const std::string_view name = d->defname;
    if (const int column = flag_column(name); column >= 0) {
      INDIGO_ASSIGN(const bool on, boolean_value(d));
      row.flag(column, on);
    } else if (name == "password") {
      INDIGO_TRY(set_password(c, d->arg, role, row));
    } else if (name == "connectionlimit") {
      const auto limit = integer_value(d->arg);
      if (!limit || *limit < -1)
        return Error(sqlstate::kInvalidParameterValue, "invalid connection limit: " + text_value(d->arg));
      row.i32(pg_authid::c_rolconnlimit, static_cast<int32_t>(*limit));
    } else if (name == "validUntil") {
      Arena arena;
      types::FuncContext context(c.host.session());
      context.set_arena(&arena);
      const Datum until = types::type_input(context, {kTimestampTz, -1, kInvalidOid}, text_value(d->arg));
      if (context.failed()) return context.take_error();
      row.set(pg_authid::c_rolvaliduntil, until);
    } else if (name == "addroleto" || name == "rolemembers" || name == "adminmembers") {
      auto& list = name == "addroleto" ? members.in_roles : name == "rolemembers" ? members.members : members.admins;
      for (const PgQuery__Node* role : nodes(d->arg->list->n_items, d->arg->list->items))
        list.push_back(role->role_spec);
    } else if (name == "sysid") {
      notice(c, "SYSID can no longer be specified");
    } else {
      return Error(sqlstate::kSyntaxError, "option " + quoted(name) + " not recognized").at(position(c, d->location));
    }
  }
  return {};
}

// Who may change a role's members: of superusers' only superusers, else who may create roles or administers this one.
Status may_administer(DdlContext& c, Oid role) {
  const auto self = me(c);
  const auto target = c.catalog.catalog().role(role, &c.txn);
  if (self == nullptr || target == nullptr) return denied("permission denied");
  if (self->superuser) return {};
  if (target->superuser) return denied("must be superuser to alter superusers");
  if (self->create_role) return {};
  bool admin = false;
  table(c, pg_auth_members::kOid).scan(c.txn, {Datum::of_oid(role)}, [&](RowReader row) {
    admin |=
        row.flag(pg_auth_members::c_admin_option) && c.catalog.has_role(self->oid, row.oid(pg_auth_members::c_member));
    return !admin;
  });
  return admin ? Status() : denied("must have admin option on role " + quoted(target->name));
}

Status add_member(DdlContext& c, Oid role, Oid member, bool admin, Oid grantor) {
  INDIGO_TRY(may_administer(c, role));
  if (role == oid::kDatabaseOwnerRole) {
    return Error(sqlstate::kInternalError, "role \"pg_database_owner\" cannot have explicit members");
  }
  if (grantor != c.catalog.user() && !me(c)->superuser) return denied("must be superuser to set grantor");
  if (member == oid::kDatabaseOwnerRole) {
    return Error(sqlstate::kInternalError, "role \"pg_database_owner\" cannot be a member of any role");
  }
  SystemTable& t = table(c, pg_auth_members::kOid);
  const std::string role_name = c.catalog.role_name(role), member_name = c.catalog.role_name(member);
  if (role == member || c.catalog.has_role(role, member)) {
    const auto info = c.catalog.catalog().role(role, &c.txn);
    if (role == member || (info != nullptr && !info->superuser)) {
      return Error(sqlstate::kInvalidGrantOperation, "role " + quoted(role == member ? member_name : role_name) +
                                                         " is a member of role " + quoted(member_name));
    }
  }
  std::string image;
  const bool exists = t.find(c.txn, {Datum::of_oid(role), Datum::of_oid(member)}, image);
  if (exists && (!admin || t.reader(image).flag(pg_auth_members::c_admin_option))) {
    notice(c, "role " + quoted(member_name) + " is already a member of role " + quoted(role_name));
    return {};
  }
  RowValues row(t.definition());
  row.oid(pg_auth_members::c_roleid, role).oid(pg_auth_members::c_member, member);
  row.oid(pg_auth_members::c_grantor, grantor).flag(pg_auth_members::c_admin_option, admin);
  c.catalog.changed_shared();
  for (const Oid held : {role, member}) INDIGO_TRY(hold_role(c, held));
  return check(exists ? t.update(c.txn, row) : t.insert(c.txn, row));
}

// Superusers make superusers, and others what they have been told they may.
Status may_create(const catalog::RoleInfo& self, NodeList options) {
  if (self.superuser) return {};
  const std::pair<std::string_view, const char*> by_superusers[] = {
      {"superuser", "superusers"}, {"isreplication", "replication users"}, {"bypassrls", "bypassrls users"}};
  for (const auto& [option, what] : by_superusers) {
    for (const PgQuery__Node* node : options) {
      if (node->def_elem->defname != option) continue;
      INDIGO_ASSIGN(const bool on, boolean_value(node->def_elem));
      if (on) return denied("must be superuser to create " + std::string(what));
    }
  }
  return self.create_role ? Status() : denied("permission denied to create role");
}

// As PostgreSQL: superusers and replication roles are changed by superusers only; others by who may create roles; and
// everybody changes the own password.
Status may_alter(DdlContext& c, const catalog::RoleInfo& self, const catalog::RoleInfo& target, NodeList options) {
  if (self.superuser) return {};
  bool superuser = target.superuser, replication = target.replication, bypass = false, only_password = true;
  for (const PgQuery__Node* node : options) {
    const std::string_view name = node->def_elem->defname;
    superuser |= name == "superuser";
    replication |= name == "isreplication";
    bypass |= name == "bypassrls";
    only_password &= name == "password";
  }
  if (superuser) return denied("must be superuser to alter superuser roles or change superuser attribute");
  if (replication) return denied("must be superuser to alter replication roles or change replication attribute");
  if (bypass) return denied("must be superuser to change bypassrls attribute");
  if (self.create_role) return {};
  if (!options.empty() && only_password && target.oid == c.catalog.user()) return {};
  return denied("permission denied");
}

Status add_memberships(DdlContext& c, Oid role, const Members& m) {
  for (const PgQuery__RoleSpec* spec : m.in_roles) {
    INDIGO_ASSIGN(const Oid parent, resolve_role(c, spec));
    INDIGO_TRY(add_member(c, parent, role, false, c.catalog.user()));
  }
  for (const PgQuery__RoleSpec* spec : m.members) {
    INDIGO_ASSIGN(const Oid member, resolve_role(c, spec));
    INDIGO_TRY(add_member(c, role, member, false, c.catalog.user()));
  }
  for (const PgQuery__RoleSpec* spec : m.admins) {
    INDIGO_ASSIGN(const Oid member, resolve_role(c, spec));
    INDIGO_TRY(add_member(c, role, member, true, c.catalog.user()));
  }
  return {};
}

// What PostgreSQL's grammar refuses.
Status check_no_keyword(std::string_view name) {
  if (name == "public" || name == "none")
    return Error(sqlstate::kReservedName, "role name " + quoted(name) + " is reserved");
  return {};
}

Status check_role_name(std::string_view name) {
  if (name.starts_with("pg_")) {
    return Error(sqlstate::kReservedName, "role name " + quoted(name) + " is reserved")
        .with_detail("Role names starting with \"pg_\" are reserved.");
  }
  return check_no_keyword(name);
}

}  // namespace

Status execute_create_role(DdlContext& c, const PgQuery__CreateRoleStmt& s) {
  INDIGO_TRY(check_repeated(c, nodes(s.n_options, s.options)));
  const auto self = me(c);
  if (self == nullptr) return denied("permission denied to create role");
  const std::string name = truncated_name(s.role);
  INDIGO_TRY(check_no_keyword(name));
  INDIGO_TRY(may_create(*self, nodes(s.n_options, s.options)));
  INDIGO_TRY(check_role_name(name));
  if (c.catalog.role_named(name) != kInvalidOid)
    return Error(sqlstate::kDuplicateObject, "role " + quoted(name) + " already exists");
  SystemTable& t = table(c, pg_authid::kOid);
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_authid::c_oid, oid).str(pg_authid::c_rolname, name).i32(pg_authid::c_rolconnlimit, -1);
  for (const int column : {pg_authid::c_rolsuper, pg_authid::c_rolcreaterole, pg_authid::c_rolcreatedb,
                           pg_authid::c_rolreplication, pg_authid::c_rolbypassrls}) {
    row.flag(column, false);
  }
  row.flag(pg_authid::c_rolinherit, true);
  row.flag(pg_authid::c_rolcanlogin, s.stmt_type == PG_QUERY__ROLE_STMT_TYPE__ROLESTMT_USER);
  Members members;
  INDIGO_TRY(apply_options(c, nodes(s.n_options, s.options), name, row, members));
  const StorageStatus status = t.insert(c.txn, row);
  if (status == StorageStatus::kDuplicateKey)
    return Error(sqlstate::kDuplicateObject, "role " + quoted(name) + " already exists");
  INDIGO_TRY(check(status));
  c.catalog.changed_shared();
  INDIGO_TRY(add_memberships(c, oid, members));
  return {};
}

Status execute_alter_role(DdlContext& c, const PgQuery__AlterRoleStmt& s) {
  INDIGO_TRY(check_repeated(c, nodes(s.n_options, s.options)));
  INDIGO_ASSIGN(const Oid oid, resolve_role(c, s.role));
  const auto self = me(c);
  const NodeList options = nodes(s.n_options, s.options);
  const auto target = c.catalog.catalog().role(oid, &c.txn);
  if (self == nullptr || target == nullptr) return denied("permission denied");
  if (target->name.starts_with("pg_")) {
    return Error(sqlstate::kReservedName, "role name " + quoted(target->name) + " is reserved")
        .with_detail("Cannot alter reserved roles.");
  }
  INDIGO_TRY(may_alter(c, *self, *target, options));
  SystemTable& t = table(c, pg_authid::kOid);
  std::string image;
  INDIGO_TRY(check(t.claim(c.txn, t.key({Datum::of_oid(oid)}), image)));
  RowValues row(t.definition(), t.layout(), image);
  const std::string name(t.reader(image).str(pg_authid::c_rolname));
  Members members;
  INDIGO_TRY(apply_options(c, options, name, row, members));
  INDIGO_TRY(check(t.update(c.txn, row)));
  c.catalog.changed_shared();
  if (s.action < 0) {  // ALTER GROUP ... DROP USER
    INDIGO_TRY(may_administer(c, oid));
    for (const PgQuery__RoleSpec* spec : members.members) {
      INDIGO_ASSIGN(const Oid member, resolve_role(c, spec));
      SystemTable& m = table(c, pg_auth_members::kOid);
      std::string found;
      if (m.find(c.txn, {Datum::of_oid(oid), Datum::of_oid(member)}, found)) {
        INDIGO_TRY(check(m.erase(c.txn, {Datum::of_oid(oid), Datum::of_oid(member)})));
      }
    }
    return {};
  }
  INDIGO_TRY(add_memberships(c, oid, members));
  return {};
}

Status execute_drop_role(DdlContext& c, const PgQuery__DropRoleStmt& s) {
  const auto self = me(c);
  if (self == nullptr || (!self->superuser && !self->create_role)) return denied("permission denied to drop role");
  SystemTable& members = table(c, pg_auth_members::kOid);
  for (const PgQuery__Node* node : nodes(s.n_roles, s.roles)) {
    const PgQuery__RoleSpec* spec = node->role_spec;
    if (spec->roletype != PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_CSTRING) {
      return Error(sqlstate::kInvalidParameterValue, "cannot use special role specifier in DROP ROLE");
    }
    const Oid oid = c.catalog.role_named(spec->rolename);
    if (oid == kInvalidOid) {
      if (!s.missing_ok) return no_such_role(spec->rolename);
      notice(c, "role " + quoted(spec->rolename) + " does not exist, skipping");
      continue;
    }
    if (oid == c.catalog.user()) return Error(sqlstate::kObjectInUse, "current user cannot be dropped");
    if (c.host.session().session_user() == spec->rolename)
      return Error(sqlstate::kObjectInUse, "session user cannot be dropped");
    if (oid < oid::kFirstUserOid) {
      return Error(sqlstate::kDependentObjectsStillExist, "cannot drop role " + std::string(spec->rolename) +
                                                              " because it is required by the database system");
    }
    const auto target = c.catalog.catalog().role(oid, &c.txn);
    if (target == nullptr) return no_such_role(spec->rolename);
    if (target->superuser && !self->superuser) return denied("must be superuser to drop superusers");
    INDIGO_TRY(lock_role(c, oid, TableLockMode::kAccessExclusive));
    if (const auto owned = objects_of_role(c, oid); !owned.empty()) {
      std::string detail;
      for (const std::string& o : owned) detail += (detail.empty() ? "" : "\n") + o;
      return Error(sqlstate::kDependentObjectsStillExist,
                   "role " + quoted(spec->rolename) + " cannot be dropped because some objects depend on it")
          .with_detail(detail);
    }
    std::vector<std::pair<Oid, Oid>> rows;
    members.scan(c.txn, {}, [&](RowReader row) {
      const Oid role = row.oid(pg_auth_members::c_roleid), member = row.oid(pg_auth_members::c_member);
      if (role == oid || member == oid) rows.emplace_back(role, member);
      return true;
    });
    for (const auto& [role, member] : rows)
      INDIGO_TRY(check_erased(members.erase(c.txn, {Datum::of_oid(role), Datum::of_oid(member)})));
    SystemTable& settings = table(c, pg_db_role_setting::kOid);
    std::vector<Oid> databases;
    settings.scan(c.txn, {}, [&](RowReader row) {
      if (row.oid(pg_db_role_setting::c_setrole) == oid)
        databases.push_back(row.oid(pg_db_role_setting::c_setdatabase));
      return true;
    });
    for (const Oid database : databases)
      INDIGO_TRY(check_erased(settings.erase(c.txn, {Datum::of_oid(database), Datum::of_oid(oid)})));
    INDIGO_TRY(set_comment(c, {pg_authid::kOid, oid, 0}, ""));
    INDIGO_TRY(check(table(c, pg_authid::kOid).erase(c.txn, {Datum::of_oid(oid)})));
    c.catalog.changed_shared();
  }
  return {};
}

Status execute_grant_role(DdlContext& c, const PgQuery__GrantRoleStmt& s) {
  Oid grantor = c.catalog.user();
  if (s.grantor != nullptr) {
    INDIGO_ASSIGN(grantor, resolve_role(c, s.grantor));
  }
  std::vector<Oid> grantees;
  for (const PgQuery__Node* node : nodes(s.n_grantee_roles, s.grantee_roles)) {
    INDIGO_ASSIGN(const Oid member, resolve_role(c, node->role_spec));
    grantees.push_back(member);
  }
  for (const PgQuery__Node* node : nodes(s.n_granted_roles, s.granted_roles)) {
    const std::string_view name = node->access_priv->priv_name;
    const Oid role = c.catalog.role_named(name);
    if (role == kInvalidOid) return no_such_role(name);
    INDIGO_TRY(may_administer(c, role));
    for (const Oid member : grantees) {
      if (s.is_grant) {
        INDIGO_TRY(add_member(c, role, member, s.admin_opt, grantor));
        continue;
      }
      SystemTable& t = table(c, pg_auth_members::kOid);
      std::string image;
      if (!t.find(c.txn, {Datum::of_oid(role), Datum::of_oid(member)}, image)) {
        warning(c, sqlstate::kWarning,
                "role " + quoted(c.catalog.role_name(member)) + " is not a member of role " + quoted(name));
        continue;
      }
      c.catalog.changed_shared();
      if (s.admin_opt) {  // REVOKE ADMIN OPTION FOR
        RowValues row(t.definition(), t.layout(), image);
        row.flag(pg_auth_members::c_admin_option, false);
        INDIGO_TRY(check(t.update(c.txn, row)));
      } else {
        INDIGO_TRY(check(t.erase(c.txn, {Datum::of_oid(role), Datum::of_oid(member)})));
      }
    }
  }
  return {};
}

Status rename_role(DdlContext& c, std::string_view from, std::string_view to) {
  const Oid oid = c.catalog.role_named(from);
  if (oid == kInvalidOid) return no_such_role(from);
  if (oid == c.catalog.user()) return Error(sqlstate::kFeatureNotSupported, "current user cannot be renamed");
  if (c.host.session().session_user() == from)
    return Error(sqlstate::kFeatureNotSupported, "session user cannot be renamed");
  INDIGO_TRY(check_role_name(from));
  INDIGO_TRY(check_role_name(to));
  if (c.catalog.role_named(to) != kInvalidOid)
    return Error(sqlstate::kDuplicateObject, "role " + quoted(to) + " already exists");
  const auto self = me(c);
  if (self == nullptr) return denied("permission denied to rename role");
  if (!self->superuser && c.catalog.is_superuser(oid)) return denied("must be superuser to rename superusers");
  if (!self->superuser && !self->create_role) return denied("permission denied to rename role");
  c.catalog.changed_shared();
  return update_row(c, pg_authid::kOid, {Datum::of_oid(oid)}, [&](RowValues& v) {
    v.str(pg_authid::c_rolname, to);
    // An md5 hash is salted with the name.
    if (!v.get(pg_authid::c_rolpassword).null && v.get(pg_authid::c_rolpassword).str.starts_with("md5")) {
      v.set_null(pg_authid::c_rolpassword);
      notice(c, "MD5 password cleared because of role rename");
    }
  });
}

}  // namespace indigo::engine::ddl
