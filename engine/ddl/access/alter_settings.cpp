#include "engine/ddl/access/alter_settings.h"

#include <algorithm>
#include <optional>

#include "catalog/catalog.h"
#include "engine/ddl/rows.h"
#include "engine/settings/private_settings.h"
#include "engine/settings/set_argument.h"
#include "engine/settings/setting_table.h"
#include "sql/parse/node.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace {

// A setting that the server has, or a database with all its sessions.
bool is_of_databases(std::string_view name) {
  const auto index = find_setting(name);
  return index && std::string_view(setting_table()[*index].name) == "serializable_method";
}

// What is to be stored of a setting; nothing when it is to be forgotten. Sessions that begin may set what SET may not.
Result<std::optional<std::string>> stored_value(DdlContext& c, const PgQuery__VariableSetStmt& s, bool of_database) {
  const auto index = find_setting(s.name);
  const bool custom = !index && std::string_view(s.name).find('.') != std::string_view::npos;
  if (!index && !custom) {
    return Error(sqlstate::kUndefinedObject, "unrecognized configuration parameter " + quoted(s.name));
  }
  if (index && !(of_database && is_of_databases(s.name))) {
    INDIGO_TRY(check_settable(setting_table()[*index], may_set_as_superuser(c.catalog, c.catalog.user(), s.name),
                              SettingTime::kStart));
  }
  std::string value;
  switch (s.kind) {
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_CURRENT:
      if (!c.host.session().setting(s.name, value)) {
        return Error(sqlstate::kUndefinedObject, "unrecognized configuration parameter " + quoted(s.name));
      }
      break;
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE: {
      INDIGO_ASSIGN(value, set_argument(c.host.session(), s));
      if (index) INDIGO_TRY(parse_setting(setting_table()[*index], value));
      break;
    }
    default: return std::optional<std::string>();
  }
  return std::optional(std::move(value));
}

Status change_setting(DdlContext& c, Oid database, Oid role, const PgQuery__VariableSetStmt& s) {
  SystemTable& t = table(c, pg_db_role_setting::kOid);
  std::string image;
  std::vector<std::string> config;
  const bool exists = t.find(c.txn, {Datum::of_oid(database), Datum::of_oid(role)}, image);
  if (exists) config = read_texts(t.reader(image).str(pg_db_role_setting::c_setconfig));
  if (s.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL) {
    config.clear();
  } else if (!exists && s.kind != PG_QUERY__VARIABLE_SET_KIND__VAR_SET_CURRENT &&
             s.kind != PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE) {
    return {};  // whatever its name is
  } else {
    INDIGO_ASSIGN(const std::optional<std::string> value,
                  stored_value(c, s, database != kInvalidOid && role == kInvalidOid));
    const auto index = find_setting(s.name);
    const std::string prefix = std::string(index ? setting_table()[*index].name : s.name) + "=";
    const auto old = std::find_if(config.begin(), config.end(), [&](const auto& e) { return e.starts_with(prefix); });
    if (value && old != config.end()) {
      *old = prefix + *value;
    } else if (value) {
      config.push_back(prefix + *value);
    } else if (old != config.end()) {
      config.erase(old);
    }
  }
  c.catalog.changed_shared();
  if (config.empty()) return exists ? check(t.erase(c.txn, {Datum::of_oid(database), Datum::of_oid(role)})) : Status();
  RowValues row(t.definition());
  row.oid(pg_db_role_setting::c_setdatabase, database).oid(pg_db_role_setting::c_setrole, role);
  row.texts(pg_db_role_setting::c_setconfig, config);
  return check(exists ? t.update(c.txn, row) : t.insert(c.txn, row));
}

// Superusers change superusers' settings, who may create roles those of the others, and everybody their own.
Status check_may_alter(DdlContext& c, Oid role) {
  const Oid user = c.catalog.user();
  if (c.catalog.is_superuser(user)) return {};
  if (c.catalog.is_superuser(role)) {
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to alter superusers");
  }
  const auto self = c.catalog.catalog().role(user, &c.txn);
  if (role == user || (self != nullptr && self->create_role)) return {};
  return Error(sqlstate::kInsufficientPrivilege, "permission denied");
}

Result<Oid> find_database(DdlContext& c, std::string_view name, bool as_owner) {
  const auto found = c.catalog.catalog().database_named(name);
  if (found == nullptr) return Error(sqlstate::kInvalidCatalogName, "database " + quoted(name) + " does not exist");
  const SystemTable& t = table(c, pg_database::kOid);
  std::string image;
  if (as_owner && t.find_oid(c.txn, found->oid(), image)) {
    INDIGO_TRY(check_owner(c, t.reader(image).oid(pg_database::c_datdba), "database", name));
  }
  return found->oid();
}

}  // namespace

Status execute_alter_role_set(DdlContext& c, const PgQuery__AlterRoleSetStmt& s) {
  Oid role = kInvalidOid, database = kInvalidOid;
  if (s.role != nullptr) {
    INDIGO_ASSIGN(role, resolve_role(c, s.role));
    INDIGO_TRY(check_may_alter(c, role));
  }
  if (sql::has_text(s.database)) {
    INDIGO_ASSIGN(database, find_database(c, s.database, s.role == nullptr));
  } else if (s.role == nullptr && !c.catalog.is_superuser(c.catalog.user())) {
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to alter settings globally");
  }
  INDIGO_TRY(change_setting(c, database, role, *s.setstmt));
  return {};
}

Status execute_alter_database_set(DdlContext& c, const PgQuery__AlterDatabaseSetStmt& s) {
  INDIGO_ASSIGN(const Oid database, find_database(c, s.dbname, true));
  INDIGO_TRY(change_setting(c, database, kInvalidOid, *s.setstmt));
  return {};
}

}  // namespace indigo::engine::ddl
