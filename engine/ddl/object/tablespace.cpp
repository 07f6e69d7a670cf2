#include "engine/ddl/object/tablespace.h"

#include <algorithm>

#include "catalog/catalog.h"
#include "catalog/object_privileges.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/comment.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/table/storage_options.h"
#include "engine/ddl/tree.h"
#include "engine/settings/identifier_list.h"

namespace indigo::engine::ddl {

namespace pg_tablespace = catalog::pg_tablespace;

namespace {

constexpr Oid kGlobalTablespace = 1664;
constexpr size_t kLongestLocation = 1008;  // of PostgreSQL's, with the names of its files

Error no_such_tablespace(std::string_view name) {
  return Error(sqlstate::kUndefinedObject, "tablespace " + quoted(name) + " does not exist");
}

Error denied(std::string_view name) {
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for tablespace " + std::string(name));
}

std::string tablespace_name(DdlContext& c, Oid oid) {
  std::string image;
  const SystemTable& t = table(c, pg_tablespace::kOid);
  return t.find_oid(c.txn, oid, image) ? std::string(t.reader(image).str(pg_tablespace::c_spcname)) : std::string();
}

Oid own_tablespace(DdlContext& c) {
  std::string image;
  const SystemTable& t = table(c, pg_database::kOid);
  return t.find_oid(c.txn, c.catalog.database(), image) ? t.reader(image).oid(pg_database::c_dattablespace)
                                                        : kInvalidOid;
}

bool may_create_in(DdlContext& c, Oid tablespace) {
  const uint32_t held = catalog::object_privileges(c.catalog, catalog::kTablespaceAcl, tablespace, c.catalog.user());
  return (held & types::kPrivilegeCreate) != 0;
}

// Stays until the transaction ends.
Status hold_tablespace(DdlContext& c, Oid tablespace) {
  if (tablespace < oid::kFirstUserOid) return {};
  return lock_object(c, tablespace, TableLockMode::kAccessShare);
}

// As pg_class has it, for the current role.
Result<Oid> checked(DdlContext& c, Oid tablespace) {
  if (tablespace == own_tablespace(c)) return kInvalidOid;
  if (tablespace == kInvalidOid) return tablespace;
  if (!may_create_in(c, tablespace)) return denied(tablespace_name(c, tablespace));
  if (tablespace == kGlobalTablespace) {
    return Error(sqlstate::kInvalidParameterValue, "only shared relations can be placed in pg_global tablespace");
  }
  INDIGO_TRY(hold_tablespace(c, tablespace));
  return tablespace;
}

std::string setting(DdlContext& c, std::string_view name) {
  std::string value;
  return c.host.session().setting(name, value) ? value : std::string();
}

// What the settings say; names that have gone stand for the database's own.
Oid default_tablespace(DdlContext& c, char persistence) {
  if (persistence != 't') return tablespace_named(c, setting(c, "default_tablespace"));
  const auto names = split_identifier_list(setting(c, "temp_tablespaces"));
  if (!names || names->empty()) return kInvalidOid;
  const Oid found = tablespace_named(c, names->front());
  return found == kInvalidOid || !may_create_in(c, found) ? kInvalidOid : found;
}

Status check_name(DdlContext& c, std::string_view name) {
  if (name.starts_with("pg_")) {
    return Error(SqlState("42939"), "unacceptable tablespace name " + quoted(name))
        .with_detail("The prefix \"pg_\" is reserved for system tablespaces.");
  }
  if (tablespace_named(c, name) != kInvalidOid)
    return Error(sqlstate::kDuplicateObject, "tablespace " + quoted(name) + " already exists");
  return {};
}

Result<std::string> checked_location(DdlContext& c, std::string location) {
  while (location.size() > 1 && location.ends_with('/')) location.pop_back();
  if (location.find('\'') != std::string::npos)
    return Error(sqlstate::kInvalidName, "tablespace location cannot contain single quotes");
  const bool in_place = location.empty() && setting(c, "allow_in_place_tablespaces") == "on";
  if (!in_place && !location.starts_with('/'))
    return Error(sqlstate::kInvalidObjectDefinition, "tablespace location must be an absolute path");
  if (location.size() > kLongestLocation)
    return Error(sqlstate::kInvalidObjectDefinition, "tablespace location " + quoted(location) + " is too long");
  return location;
}

Address location_of(Oid tablespace) { return {kInvalidOid, tablespace, 0}; }

Status write_location(DdlContext& c, Oid tablespace, std::string_view location) {
  SystemTable& t = table(c, pg_shdescription::kOid);
  const Address a = location_of(tablespace);
  RowValues row(t.definition());
  row.oid(pg_shdescription::c_objoid, a.object).oid(pg_shdescription::c_classoid, a.class_id);
  row.str(pg_shdescription::c_description, location);
  return check(t.insert(c.txn, row));
}

// What lies in a tablespace.
struct Contents {
  std::vector<std::pair<Oid, std::string>>
      partitioned;       // tables and indexes of the current database, with words for them
  size_t elsewhere = 0;  // the same of other databases
  bool stored = false;
};

Contents contents_of(DdlContext& c, Oid tablespace) {
  Contents out;
  for (const auto& database : c.catalog.catalog().databases()) {
    const bool here = database->oid() == c.catalog.database();
    database->table(pg_class::kOid).scan(c.txn, {}, [&](RowReader row) {
      if (row.oid(pg_class::c_reltablespace) != tablespace) return true;
      const char kind = row.chr(pg_class::c_relkind);
      if (kind != 'p' && kind != 'I') {
        out.stored = true;
      } else if (here) {
        const Oid oid = row.oid(pg_class::c_oid);
        out.partitioned.emplace_back(oid, "tablespace for " + describe(c, {pg_class::kOid, oid, 0}));
      } else {
        out.elsewhere++;
      }
      return true;
    });
  }
  table(c, pg_database::kOid).scan(c.txn, {}, [&](RowReader row) {
    out.stored |= row.oid(pg_database::c_dattablespace) == tablespace;
    return true;
  });
  std::sort(out.partitioned.begin(), out.partitioned.end());
  return out;
}

Status check_empty(DdlContext& c, Oid tablespace, const std::string& name) {
  const Contents contents = contents_of(c, tablespace);
  if (!contents.partitioned.empty() || contents.elsewhere > 0) {
    std::string detail;
    for (const auto& [oid, text] : contents.partitioned) detail += (detail.empty() ? "" : "\n") + text;
    if (contents.elsewhere > 0) {
      detail += (detail.empty() ? "" : "\n") + std::to_string(contents.elsewhere) +
                (contents.elsewhere == 1 ? " object in another database" : " objects in other databases");
    }
    return Error(sqlstate::kDependentObjectsStillExist,
                 "tablespace " + quoted(name) + " cannot be dropped because some objects depend on it")
        .with_detail(detail);
  }
  if (contents.stored)
    return Error(sqlstate::kObjectNotInPrerequisiteState, "tablespace " + quoted(name) + " is not empty");
  return {};
}

}  // namespace

Oid tablespace_named(DdlContext& c, std::string_view name) {
  Oid found = kInvalidOid;
  if (name.empty()) return found;
  table(c, pg_tablespace::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_tablespace::c_spcname) == name) found = row.oid(pg_tablespace::c_oid);
    return found == kInvalidOid;
  });
  return found;
}

Result<Oid> existing_tablespace(DdlContext& c, std::string_view name) {
  const Oid found = tablespace_named(c, name);
  if (found == kInvalidOid) return no_such_tablespace(name);
  return found;
}

Result<Oid> usable_tablespace(DdlContext& c, std::string_view name) {
  INDIGO_ASSIGN(const Oid found, existing_tablespace(c, name));
  return checked(c, found);
}

Result<Oid> database_tablespace(DdlContext& c, std::string_view name) {
  INDIGO_ASSIGN(const Oid found, existing_tablespace(c, name));
  if (!may_create_in(c, found)) return denied(name);
  if (found == kGlobalTablespace)
    return Error(sqlstate::kInvalidParameterValue, "pg_global cannot be used as default tablespace");
  INDIGO_TRY(hold_tablespace(c, found));
  return found;
}

Result<Oid> new_relation_tablespace(DdlContext& c, std::string_view name, char persistence, bool partitioned) {
  Oid found = kInvalidOid;
  if (name.empty()) {
    found = default_tablespace(c, persistence);
  } else {
    INDIGO_ASSIGN(found, existing_tablespace(c, name));
  }
  if (partitioned && found != kInvalidOid && found == own_tablespace(c)) {
    return Error(sqlstate::kFeatureNotSupported, "cannot specify default tablespace for partitioned relations");
  }
  return checked(c, found);
}

Oid tablespace_of(DdlContext& c, Oid relation) {
  std::string image;
  const SystemTable& t = table(c, pg_class::kOid);
  return t.find_oid(c.txn, relation, image) ? t.reader(image).oid(pg_class::c_reltablespace) : kInvalidOid;
}

Status move_to_tablespace(DdlContext& c, Oid relation, std::string_view name) {
  INDIGO_ASSIGN(const Oid tablespace, usable_tablespace(c, name));
  c.catalog.changed({relation});
  return update_class(c, relation, [&](RowValues& v) { v.oid(pg_class::c_reltablespace, tablespace); });
}

Result<Address> find_own_tablespace(DdlContext& c, std::string_view name) {
  INDIGO_ASSIGN(const Oid oid, existing_tablespace(c, name));
  INDIGO_TRY(
      check_owner(c, catalog::read_object_acl(c.catalog, catalog::kTablespaceAcl, oid).owner, "tablespace", name));
  return Address{pg_tablespace::kOid, oid, 0};
}

Status rename_tablespace(DdlContext& c, std::string_view name, std::string_view to) {
  INDIGO_ASSIGN(const Oid oid, existing_tablespace(c, name));
  const Oid owner = catalog::read_object_acl(c.catalog, catalog::kTablespaceAcl, oid).owner;
  if (!c.catalog.has_privileges_of(c.catalog.user(), owner)) return denied(name);
  INDIGO_TRY(check_name(c, to));
  INDIGO_TRY(update_row(c, pg_tablespace::kOid, {Datum::of_oid(oid)},
                        [&](RowValues& v) { v.str(pg_tablespace::c_spcname, truncated_name(to)); }));
  c.catalog.changed_shared();
  return {};
}

Status change_tablespace_owner(DdlContext& c, std::string_view name, Oid owner) {
  INDIGO_ASSIGN(const Oid oid, existing_tablespace(c, name));
  const Oid before = catalog::read_object_acl(c.catalog, catalog::kTablespaceAcl, oid).owner;
  if (before == owner) return {};
  INDIGO_TRY(check_owner(c, before, "tablespace", name));
  INDIGO_TRY(check_new_owner(c, owner, kInvalidOid));
  INDIGO_TRY(update_row(c, pg_tablespace::kOid, {Datum::of_oid(oid)}, [&](RowValues& v) {
    v.oid(pg_tablespace::c_spcowner, owner);
    pass_on(v, pg_tablespace::c_spcacl, before, owner);
  }));
  c.catalog.changed_shared();
  return {};
}

Status execute_create_tablespace(DdlContext& c, const PgQuery__CreateTableSpaceStmt& s) {
  const std::string name = truncated_name(s.tablespacename);
  if (!c.catalog.is_superuser(c.catalog.user())) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied to create tablespace " + quoted(name))
        .with_hint("Must be superuser to create a tablespace.");
  }
  Oid owner = c.catalog.user();
  if (s.owner != nullptr) {
    INDIGO_ASSIGN(owner, resolve_role(c, s.owner));
    INDIGO_TRY(hold_role(c, owner));
  }
  INDIGO_ASSIGN(const std::string location, checked_location(c, s.location));
  INDIGO_TRY(check_name(c, name));
  INDIGO_ASSIGN(const auto options, storage_options(OptionsOf::kTablespace, nodes(s.n_options, s.options)));
  SystemTable& t = table(c, pg_tablespace::kOid);
  RowValues row(t.definition());
  const Oid oid = next_oid(c);
  row.oid(pg_tablespace::c_oid, oid)
      .str(pg_tablespace::c_spcname, name)
      .oid(pg_tablespace::c_spcowner, owner)
      .set_null(pg_tablespace::c_spcacl)
      .set_null(pg_tablespace::c_spcoptions);
  if (!options.empty()) row.texts(pg_tablespace::c_spcoptions, options);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  INDIGO_TRY(write_location(c, oid, location));
  c.catalog.changed_shared();
  return {};
}

Status execute_drop_tablespace(DdlContext& c, const PgQuery__DropTableSpaceStmt& s) {
  const std::string name = s.tablespacename;
  const Oid oid = tablespace_named(c, name);
  if (oid == kInvalidOid) {
    if (!s.missing_ok) return no_such_tablespace(name);
    notice(c, "tablespace " + quoted(name) + " does not exist, skipping");
    return {};
  }
  INDIGO_TRY(find_own_tablespace(c, name));
  if (oid < oid::kFirstUserOid) return denied(name);
  INDIGO_TRY(lock_object(c, oid, TableLockMode::kAccessExclusive));
  INDIGO_TRY(check_empty(c, oid, name));
  INDIGO_TRY(check(table(c, pg_tablespace::kOid).erase(c.txn, {Datum::of_oid(oid)})));
  INDIGO_TRY(set_comment(c, {pg_tablespace::kOid, oid, 0}, ""));
  const Address location = location_of(oid);
  INDIGO_TRY(check_erased(table(c, pg_shdescription::kOid)
                              .erase(c.txn, {Datum::of_oid(location.object), Datum::of_oid(location.class_id)})));
  c.catalog.changed_shared();
  return {};
}

Status execute_alter_tablespace(DdlContext& c, const PgQuery__AlterTableSpaceOptionsStmt& s) {
  INDIGO_ASSIGN(const Address a, find_own_tablespace(c, s.tablespacename));
  const NodeList list = nodes(s.n_options, s.options);
  std::vector<std::string> given;
  if (s.is_reset) {
    INDIGO_ASSIGN(given, reset_options(list));
  } else {
    INDIGO_ASSIGN(given, storage_options(OptionsOf::kTablespace, list));
  }
  return update_row(c, pg_tablespace::kOid, {Datum::of_oid(a.object)},
                    [&](RowValues& v) { change_option_list(v, pg_tablespace::c_spcoptions, given, s.is_reset); });
}

// ---- ALTER TABLE ALL IN TABLESPACE

Status execute_move_all(DdlContext& c, const PgQuery__AlterTableMoveAllStmt& s) {
  std::vector<Oid> roles;
  for (const PgQuery__Node* node : nodes(s.n_roles, s.roles)) {
    INDIGO_ASSIGN(const Oid role, resolve_role(c, node->role_spec));
    roles.push_back(role);
  }
  INDIGO_ASSIGN(Oid from, existing_tablespace(c, s.orig_tablespacename));
  INDIGO_ASSIGN(const Oid to, existing_tablespace(c, s.new_tablespacename));
  if (from == kGlobalTablespace || to == kGlobalTablespace) {
    return Error(sqlstate::kInvalidParameterValue, "cannot move relations in to or out of pg_global tablespace");
  }
  INDIGO_TRY(usable_tablespace(c, s.new_tablespacename));
  if (from == to) return {};
  if (from == own_tablespace(c)) from = kInvalidOid;
  std::string_view kinds = "rp";
  if (s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_INDEX) kinds = "iI";
  if (s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW) kinds = "m";
  std::vector<Oid> found;
  table(c, pg_class::kOid).scan(c.txn, {}, [&](RowReader row) {
    const Oid oid = row.oid(pg_class::c_oid), owner = row.oid(pg_class::c_relowner);
    if (row.oid(pg_class::c_reltablespace) != from || oid < oid::kFirstUserOid) return true;
    if (kinds.find(row.chr(pg_class::c_relkind)) == std::string_view::npos) return true;
    // Temporary relations of other sessions stay where they are.
    if (row.chr(pg_class::c_relpersistence) == 't' && row.oid(pg_class::c_relnamespace) != c.catalog.temp_schema())
      return true;
    if (roles.empty() || std::find(roles.begin(), roles.end(), owner) != roles.end()) found.push_back(oid);
    return true;
  });
  if (found.empty()) {
    const std::string name = from == kInvalidOid ? "(database default)" : s.orig_tablespacename;
    notice(c, "no matching relations in tablespace " + quoted(name) + " found", SqlState("P0002"));
  }
  for (const Oid oid : found) {
    const RelationPtr relation = current(c, oid);
    if (relation != nullptr) INDIGO_TRY(check_owner(c, *relation));
  }
  for (const Oid oid : found) {
    INDIGO_ASSIGN(const RelationPtr relation, open_relation(c, oid, TableLockMode::kAccessExclusive));
    if (relation != nullptr) INDIGO_TRY(move_to_tablespace(c, oid, s.new_tablespacename));
  }
  return {};
}

}  // namespace indigo::engine::ddl
