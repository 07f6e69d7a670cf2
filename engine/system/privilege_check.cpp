#include "engine/system/privilege_check.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "types/text/ascii.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

constexpr std::string_view kGrantOption = " WITH GRANT OPTION", kAdminOption = " WITH ADMIN OPTION";

bool allowed(SessionParts& session, const ObjectAcl& object, Oid user, const WantedPrivilege& wanted) {
  SessionCatalog& catalog = session.session_catalog();
  const uint32_t held =
      wanted.grant_option ? held_options(catalog, object, user) : held_privileges(catalog, object, user);
  return (held & wanted.bits) != 0;
}

// The object of that table whose name is in `column`.
Oid named_row(SessionParts& session, Oid table, int column, std::string_view name) {
  Oid found = kInvalidOid;
  CatalogRows(session).scan(table, {}, [&](RowReader row) {
    if (row.str(column) == name) found = row.oid(0);
    return found == kInvalidOid;
  });
  return found;
}
Result<Oid> found_or(Oid oid, SqlState state, const char* what, std::string_view name) {
  if (oid != kInvalidOid) return oid;
  return Error(state, std::string(what) + " \"" + std::string(name) + "\" does not exist");
}

}  // namespace

Result<std::vector<WantedPrivilege>> parse_privileges(std::string_view text, std::span<const PrivilegeName> names) {
  std::vector<WantedPrivilege> out;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view part = types::trim_blanks(text.substr(0, comma));
    std::string word = types::to_upper(part);
    bool grant_option = false;
    for (const std::string_view suffix : {kGrantOption, kAdminOption}) {
      if (!word.ends_with(suffix)) continue;
      if (suffix == kAdminOption && names.data() != kRolePrivileges) continue;
      grant_option = true;
      word.resize(word.size() - suffix.size());
      break;
    }
    const auto at = std::find_if(names.begin(), names.end(), [&](const PrivilegeName& n) { return word == n.name; });
    if (at == names.end())
      return Error(sqlstate::kInvalidParameterValue, "unrecognized privilege type: \"" + std::string(part) + "\"");
    out.push_back({at->bits, grant_option});
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

Result<Oid> existing_role(SessionParts& session, std::string_view name) {
  return found_or(session.session_catalog().role_named(name), sqlstate::kUndefinedObject, "role", name);
}
Result<Oid> role_or_public(SessionParts& session, std::string_view name) {
  if (name == "public") return kInvalidOid;
  return existing_role(session, name);
}

Result<Oid> find_object(SessionParts& session, const ObjectClass& c, std::string_view name) {
  NameContext names(session);
  switch (c.source.table) {
    case pg_class::kOid: {
      INDIGO_ASSIGN(const Oid oid, types::find_relation_oid(names.context, name));
      if (!c.sequences) return oid;
      const auto relation = session.session_catalog().relation(oid);
      if (relation != nullptr && relation->kind != RelationKind::kSequence)
        return Error(sqlstate::kWrongObjectType, "\"" + std::string(name) + "\" is not a sequence");
      return oid;
    }
    case pg_proc::kOid: return types::find_procedure_oid(names.context, name);
    case pg_type::kOid: return types::find_type_oid(names.context, name);
    case pg_namespace::kOid:
      return found_or(session.session_catalog().schema_named(name), SqlState("3F000"), "schema", name);
    case pg_database::kOid:
      return found_or(named_row(session, c.source.table, pg_database::c_datname, name), sqlstate::kInvalidCatalogName,
                      "database", name);
    case pg_language::kOid:
      return found_or(named_row(session, c.source.table, pg_language::c_lanname, name), sqlstate::kUndefinedObject,
                      "language", name);
    case pg_tablespace::kOid:
      return found_or(named_row(session, c.source.table, pg_tablespace::c_spcname, name), sqlstate::kUndefinedObject,
                      "tablespace", name);
    case pg_foreign_data_wrapper::kOid:
      return found_or(named_row(session, c.source.table, pg_foreign_data_wrapper::c_fdwname, name),
                      sqlstate::kUndefinedObject, "foreign-data wrapper", name);
    default:
      return found_or(named_row(session, c.source.table, pg_foreign_server::c_srvname, name),
                      sqlstate::kUndefinedObject, "server", name);
  }
}

Result<OwnedDatum> check_object(SessionParts& session, const ObjectClass& c, Oid user, Oid object,
                                std::span<const WantedPrivilege> wanted) {
  const ObjectAcl found = read_object_acl(session.session_catalog(), c.source, object);
  if (!found.found) return null_value(Phys::kBool);
  return value_of(std::any_of(wanted.begin(), wanted.end(),
                              [&](const WantedPrivilege& w) { return allowed(session, found, user, w); }));
}

Result<OwnedDatum> check_columns(SessionParts& session, Oid user, Oid table, std::optional<int16_t> column,
                                 std::span<const WantedPrivilege> wanted) {
  ObjectAcl found = read_object_acl(session.session_catalog(), catalog::kRelationAcl, table);
  if (!found.found) return null_value(Phys::kBool);
  std::vector<types::Acl> columns;
  bool exists = !column.has_value();
  CatalogRows(session).scan(pg_attribute::kOid, {Datum::of_oid(table)}, [&](RowReader row) {
    const int16_t number = row.i16(pg_attribute::c_attnum);
    if (column ? number != *column : number <= 0) return true;
    if (row.flag(pg_attribute::c_attisdropped)) return true;
    exists = true;
    if (!row.is_null(pg_attribute::c_attacl)) columns.push_back(types::read_acl(row.str(pg_attribute::c_attacl)));
    return true;
  });
  if (!exists) return null_value(Phys::kBool);
  // Any column will do, and the table's own list counts for each.
  columns.push_back(std::move(found.acl));
  for (types::Acl& acl : columns) {
    found.acl = std::move(acl);
    for (const WantedPrivilege& w : wanted) {
      if (allowed(session, found, user, w)) return value_of(true);
    }
  }
  return value_of(false);
}

bool is_role_admin(SessionParts& session, Oid user, Oid role) {
  if (session.session_catalog().is_superuser(user)) return true;
  if (user == role) return false;
  bool admin = false;
  CatalogRows(session).scan(pg_auth_members::kOid, {Datum::of_oid(role)}, [&](RowReader row) {
    admin |= row.flag(pg_auth_members::c_admin_option) &&
             session.session_catalog().has_role(user, row.oid(pg_auth_members::c_member));
    return true;
  });
  return admin;
}

bool may_see_activity(SessionParts& session, Oid user) {
  SessionCatalog& catalog = session.session_catalog();
  return catalog.has_privileges_of(session.user(), oid::kReadAllStatsRole) ||
         catalog.has_privileges_of(session.user(), user);
}

}  // namespace indigo::engine
