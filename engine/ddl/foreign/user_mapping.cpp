// Who a role is on a foreign server.
#include "catalog/tables/system_table.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/foreign/foreign_options.h"
#include "engine/ddl/foreign/server.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_user_mapping = catalog::pg_user_mapping;
namespace pg_foreign_server = catalog::pg_foreign_server;

Result<Oid> mapped_role(DdlContext& c, const PgQuery__RoleSpec* role) {
  if (role->roletype == PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_PUBLIC) return kInvalidOid;
  return resolve_role(c, role);
}

std::string role_text(DdlContext& c, Oid role) { return role == kInvalidOid ? "public" : c.catalog.role_name(role); }

// The server's owner makes mappings of everybody, who may use the server its own.
Status check_may_map(DdlContext& c, Oid server, Oid role) {
  const Oid owner = foreign_owner(c, kServerKind, server);
  if (c.catalog.has_privileges_of(c.catalog.user(), owner)) return {};
  if (role == c.catalog.user()) return check_foreign_usage(c, kServerKind, server, role);
  return check_owner(c, owner, kServerKind.owned, foreign_name(c, kServerKind, server));
}

Oid mapping_of(DdlContext& c, Oid server, Oid role) {
  Oid found = kInvalidOid;
  table(c, pg_user_mapping::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.oid(pg_user_mapping::c_umserver) == server && row.oid(pg_user_mapping::c_umuser) == role)
      found = row.oid(pg_user_mapping::c_oid);
    return found == kInvalidOid;
  });
  return found;
}

std::string mapping_text(DdlContext& c, Oid role, std::string_view state, std::string_view server) {
  return "user mapping for " + quoted(role_text(c, role)) + " " + std::string(state) + " for server " + quoted(server);
}

}  // namespace

Status execute_create_user_mapping(DdlContext& c, const PgQuery__CreateUserMappingStmt& s) {
  INDIGO_ASSIGN(const Oid role, mapped_role(c, s.user));
  INDIGO_ASSIGN(const Oid server, existing_foreign(c, kServerKind, s.servername));
  INDIGO_TRY(check_may_map(c, server, role));
  if (mapping_of(c, server, role) != kInvalidOid) {
    const std::string message = mapping_text(c, role, "already exists", s.servername);
    if (!s.if_not_exists) return Error(sqlstate::kDuplicateObject, message);
    notice(c, message + ", skipping", sqlstate::kDuplicateObject);
    return {};
  }
  INDIGO_ASSIGN(const ForeignOptions options, changed_options(c, {}, nodes(s.n_options, s.options),
                                                              validator_of_server(c, server), pg_user_mapping::kOid));
  if (role != kInvalidOid) INDIGO_TRY(hold_role(c, role));
  SystemTable& t = table(c, pg_user_mapping::kOid);
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_user_mapping::c_oid, oid).oid(pg_user_mapping::c_umuser, role).oid(pg_user_mapping::c_umserver, server);
  write_options(row, pg_user_mapping::c_umoptions, options);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  const Address self{pg_user_mapping::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_foreign_server::kOid, server, 0}, 'n'));
  return record_membership(c, self);
}

std::optional<Address> find_user_mapping(DdlContext& c, const PgQuery__AlterUserMappingStmt& s) {
  const auto role = mapped_role(c, s.user);
  const auto server = existing_foreign(c, kServerKind, s.servername);
  const Oid oid = role.ok() && server.ok() ? mapping_of(c, *server, *role) : kInvalidOid;
  if (oid == kInvalidOid) return std::nullopt;
  return Address{pg_user_mapping::kOid, oid, 0};
}

Status execute_alter_user_mapping(DdlContext& c, const PgQuery__AlterUserMappingStmt& s) {
  INDIGO_ASSIGN(const Oid role, mapped_role(c, s.user));
  INDIGO_ASSIGN(const Oid server, existing_foreign(c, kServerKind, s.servername));
  const Oid oid = mapping_of(c, server, role);
  if (oid == kInvalidOid) {
    return Error(sqlstate::kUndefinedObject, mapping_text(c, role, "does not exist", s.servername));
  }
  INDIGO_TRY(check_may_map(c, server, role));
  const SystemTable& t = table(c, pg_user_mapping::kOid);
  std::string image;
  INDIGO_TRY(check(t.claim(c.txn, t.key({Datum::of_oid(oid)}), image)));
  INDIGO_ASSIGN(const ForeignOptions options,
                changed_options(c, read_options(t.reader(image), pg_user_mapping::c_umoptions),
                                nodes(s.n_options, s.options), validator_of_server(c, server), pg_user_mapping::kOid));
  return update_row(c, pg_user_mapping::kOid, {Datum::of_oid(oid)},
                    [&](RowValues& row) { write_options(row, pg_user_mapping::c_umoptions, options); });
}

Status execute_drop_user_mapping(DdlContext& c, const PgQuery__DropUserMappingStmt& s) {
  // IF EXISTS is about the role and the server, too.
  const auto missing = [&](const std::string& message) -> Status {
    if (!s.missing_ok) return Error(sqlstate::kUndefinedObject, message);
    notice(c, message + ", skipping");
    return {};
  };
  auto role = mapped_role(c, s.user);
  if (!role.ok()) return missing(role.take_error()->message);
  auto server = existing_foreign(c, kServerKind, s.servername);
  if (!server.ok()) return missing(server.take_error()->message);
  const Oid oid = mapping_of(c, *server, *role);
  if (oid == kInvalidOid) return missing(mapping_text(c, *role, "does not exist", s.servername));
  INDIGO_TRY(check_may_map(c, *server, *role));
  INDIGO_TRY(lock_object(c, oid, TableLockMode::kAccessExclusive));
  return drop_objects(c, {{pg_user_mapping::kOid, oid, 0}}, false);
}

std::string user_mapping_text(DdlContext& c, Oid oid) {
  std::string image;
  const SystemTable& t = table(c, pg_user_mapping::kOid);
  if (!t.find_oid(c.txn, oid, image)) return std::to_string(oid);
  const RowReader row = t.reader(image);
  return role_text(c, row.oid(pg_user_mapping::c_umuser)) + " on server " +
         foreign_name(c, kServerKind, row.oid(pg_user_mapping::c_umserver));
}

}  // namespace indigo::engine::ddl
