#include "engine/ddl/object/database.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/fiber/wait_point.h"
#include "catalog/catalog.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/drop/shared_dependency.h"
#include "engine/ddl/object/comment.h"
#include "engine/ddl/object/database_locale.h"
#include "engine/ddl/object/database_snapshot.h"
#include "engine/ddl/object/tablespace.h"
#include "engine/ddl/replication/subscription.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/table/temporary.h"
#include "engine/ddl/tree.h"
#include "storage/prepared.h"
#include "storage/store.h"
#include "types/text/encodings.h"

namespace indigo::engine::ddl {

namespace {

struct DatabaseRow {
  Oid oid = kInvalidOid;
  Oid owner = kInvalidOid;
  bool is_template = false;
  types::Locale locale;
  std::string version;  // of the collation; empty: none
};

std::optional<DatabaseRow> database_row(DdlContext& c, std::string_view name) {
  std::optional<DatabaseRow> out;
  table(c, pg_database::kOid)
      .scan_index(c.txn, system_index::kDatabaseName, {Datum::of(Str(name))}, [&](RowReader row) {
        out = DatabaseRow{row.oid(pg_database::c_oid),
                          row.oid(pg_database::c_datdba),
                          row.flag(pg_database::c_datistemplate),
                          catalog::locale_of(row),
                          {}};
        if (!row.is_null(pg_database::c_datcollversion)) out->version = row.str(pg_database::c_datcollversion);
        return false;
      });
  return out;
}

Error no_such_database(std::string_view name) {
  return Error(sqlstate::kInvalidCatalogName, "database " + quoted(name) + " does not exist");
}

struct CreateOptions {
  std::string source = "template1";
  Oid owner = kInvalidOid;
  bool is_template = false, allow_connections = true;
  int32_t connection_limit = -1;
  Oid tablespace = kInvalidOid;  // the template's
  LocaleOptions locale;
};

// Databases are in UTF8. 42704 for what names no encoding that a database may have elsewhere, 0A000 for the others.
Status check_encoding(DdlContext& c, const PgQuery__DefElem& option, const std::string& value) {
  constexpr int32_t kUtf8 = 6, kLastOfServers = 34;
  if (value.empty()) return {};
  const auto code = integer_value(option.arg);
  const int64_t number = code ? *code : types::encoding_number(value);
  if (number < 0 || number > kLastOfServers) {
    return Error(sqlstate::kUndefinedObject, value + " is not a valid encoding " + (code ? "code" : "name"))
        .at(position(c, option.location));
  }
  if (number != kUtf8) return unsupported("database encoding " + quoted(value));
  return {};
}

Result<CreateOptions> create_options(DdlContext& c, const PgQuery__CreatedbStmt& s) {
  CreateOptions out;
  out.owner = c.catalog.user();
  std::set<std::string_view> seen;
  for (const PgQuery__Node* node : nodes(s.n_options, s.options)) {
    const PgQuery__DefElem* d = node->def_elem;
    const std::string_view name = d->defname;
    if (!seen.insert(name).second)
      return Error(sqlstate::kSyntaxError, "conflicting or redundant options").at(position(c, d->location));
    const std::string value = sql::absent(d->arg) ? std::string() : text_value(d->arg);
    INDIGO_ASSIGN(const bool of_locale, out.locale.read(name, value));
    if (of_locale) continue;
    if (name == "template") {
      if (!value.empty()) out.source = value;
    } else if (name == "owner") {
      out.owner = c.catalog.role_named(value);
      if (out.owner == kInvalidOid)
        return Error(sqlstate::kUndefinedObject, "role " + quoted(value) + " does not exist");
    } else if (name == "encoding") {
      INDIGO_TRY(check_encoding(c, *d, value));
    } else if (name == "is_template") {
      INDIGO_ASSIGN(out.is_template, boolean_value(d));
    } else if (name == "allow_connections") {
      INDIGO_ASSIGN(out.allow_connections, boolean_value(d));
    } else if (name == "connection_limit") {
      const auto limit = integer_value(d->arg);
      if (!limit || *limit < -1) return Error(sqlstate::kInvalidParameterValue, "invalid connection limit: " + value);
      out.connection_limit = static_cast<int32_t>(*limit);
    } else if (name == "tablespace" && d->arg != nullptr) {
      INDIGO_ASSIGN(out.tablespace, database_tablespace(c, value));
    } else if (name != "strategy" && name != "oid" && name != "tablespace") {
      return Error(sqlstate::kSyntaxError, "option " + quoted(name) + " not recognized").at(position(c, d->location));
    }
  }
  return out;
}

// What lies in the template is in another order than the library's now.
Error template_changed(const std::string& source, const std::string& kept, const std::string& actual) {
  if (actual.empty()) {
    return Error(sqlstate::kInternalError,
                 "template database " + quoted(source) +
                     " has a collation version, but no actual collation version could be determined");
  }
  return Error(sqlstate::kInternalError, "template database " + quoted(source) + " has a collation version mismatch")
      .with_detail("The template database was created using collation version " + kept +
                   ", but the operating system provides version " + actual + ".")
      .with_hint("Rebuild all objects in the template database that use the default collation and run ALTER DATABASE " +
                 identifier(source) +
                 " REFRESH COLLATION VERSION, or build PostgreSQL with the right library version.");
}

}  // namespace

Status drop_temporary_objects_of_all(DdlContext& c, const std::shared_ptr<catalog::Database>& database) {
  const auto view = std::make_shared<catalog::SessionCatalog>(c.catalog.catalog(), database, 0);
  c.store().on_end(
      c.txn, [view] {}, [view] {});  // other actions need it
  view->bind(&c.txn);
  DdlContext inside{*view, c.txn, c.host, c.text};
  Status status = drop_temporary_schemas(inside);
  view->bind(nullptr);
  return status;
}

Status execute_create_database(DdlContext& c, const PgQuery__CreatedbStmt& s) {
  const std::string name = truncated_name(s.dbname);
  INDIGO_ASSIGN(const CreateOptions options, create_options(c, s));
  const auto role = c.catalog.catalog().role(c.catalog.user(), &c.txn);
  if (role == nullptr || (!role->superuser && !role->create_db)) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied to create database");
  }
  if (!c.catalog.has_role(c.catalog.user(), options.owner)) {
    return Error(sqlstate::kInsufficientPrivilege,
                 "must be member of role " + quoted(c.catalog.role_name(options.owner)));
  }
  const auto source_row = database_row(c, options.source);
  const auto source = source_row ? c.catalog.catalog().database(source_row->oid) : nullptr;
  if (source == nullptr) {
    return Error(sqlstate::kInvalidCatalogName, "template database " + quoted(options.source) + " does not exist");
  }
  if (!source_row->is_template && !role->superuser && !c.catalog.has_role(c.catalog.user(), source_row->owner)) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied to copy database " + quoted(options.source));
  }
  INDIGO_ASSIGN(const types::Locale locale, options.locale.resolve(source_row->locale));
  if (options.source != "template0") INDIGO_TRY(check_same_locale(locale, source_row->locale));
  const std::string version = c.catalog.catalog().collation_version(locale);
  if (!source_row->version.empty() && !options.locale.has_version() && source_row->version != version) {
    return template_changed(options.source, source_row->version, version);
  }
  if (database_row(c, name)) return Error(sqlstate::kDuplicateDatabase, "database " + quoted(name) + " already exists");
  const Oid oid = next_oid(c);
  const auto made = c.catalog.catalog().make_database(oid, name, locale);
  StorageStatus failure = StorageStatus::kOk;
  INDIGO_TRY(c.catalog.catalog().clone_database(c.txn, *source, *made, failure));
  INDIGO_TRY(check(failure));
  INDIGO_TRY(drop_temporary_objects_of_all(c, made));
  SystemTable& databases = table(c, pg_database::kOid);
  std::string image;
  if (!databases.find_oid(c.txn, source_row->oid, image)) {  // dropped meanwhile
    return Error(sqlstate::kInvalidCatalogName, "template database " + quoted(options.source) + " does not exist");
  }
  RowValues row(databases.definition(), databases.layout(), image);
  catalog::set_locale(row, locale, options.locale.has_version() ? options.locale.version() : version);
  row.oid(pg_database::c_oid, oid)
      .str(pg_database::c_datname, name)
      .oid(pg_database::c_datdba, options.owner)
      .flag(pg_database::c_datistemplate, options.is_template)
      .flag(pg_database::c_datallowconn, options.allow_connections)
      .i32(pg_database::c_datconnlimit, options.connection_limit)
      .set_null(pg_database::c_datacl);
  if (options.tablespace != kInvalidOid) row.oid(pg_database::c_dattablespace, options.tablespace);
  const StorageStatus status = databases.insert(c.txn, row);
  if (status == StorageStatus::kDuplicateKey) {
    return Error(sqlstate::kDuplicateDatabase, "database " + quoted(name) + " already exists");
  }
  INDIGO_TRY(check(status));
  INDIGO_TRY(copy_role_needs(c, source_row->oid, oid));
  auto& catalog = c.catalog.catalog();
  c.store().on_end(
      c.txn, [&catalog, made] { catalog.publish(made); }, [] {});
  c.catalog.changed_shared();
  return {};
}

namespace {

std::string users_text(int sessions, size_t prepared) {
  if (sessions > 0 && prepared > 0) {
    return "There are " + std::to_string(sessions) + " other session(s) and " + std::to_string(prepared) +
           " prepared transaction(s) using the database.";
  }
  const bool one = sessions + prepared == 1;
  const std::string what = sessions > 0 ? "other session" : "prepared transaction";
  return "There " + (one ? "is 1 " + what : "are " + std::to_string(sessions + prepared) + " " + what + "s") +
         " using the database.";
}

// A client that has closed its connection may still have its session here for a moment. 55006 after five seconds.
Status wait_until_unused(DdlContext& c, catalog::Database& database, std::string_view name) {
  constexpr double kPollSeconds = 0.005;
  const auto deadline = Clock::now() + std::chrono::seconds(5);
  for (;;) {
    const int sessions = database.session_count();
    const size_t prepared = storage::prepared_transactions(c.store()).count(database.oid());
    if (sessions == 0 && prepared == 0) break;
    if (Clock::now() >= deadline) {
      return Error(sqlstate::kObjectInUse, "database " + quoted(name) + " is being accessed by other users")
          .with_detail(users_text(sessions, prepared));
    }
    c.host.end_maintenance(database.oid());
    INDIGO_TRY(c.host.session().sleep(kPollSeconds));
  }
  return {};
}

}  // namespace

Status execute_drop_database(DdlContext& c, const PgQuery__DropdbStmt& s) {
  const auto row = database_row(c, s.dbname);
  if (!row) {
    if (!s.missing_ok) return no_such_database(s.dbname);
    notice(c, "database " + quoted(s.dbname) + " does not exist, skipping");
    return {};
  }
  INDIGO_TRY(check_owner(c, row->owner, "database", s.dbname));
  if (row->is_template) return Error(sqlstate::kWrongObjectType, "cannot drop a template database");
  if (row->oid == c.catalog.database()) return Error(sqlstate::kObjectInUse, "cannot drop the currently open database");
  INDIGO_TRY(check_no_subscriptions(c, row->oid, s.dbname));
  bool force = false;
  for (const PgQuery__Node* node : nodes(s.n_options, s.options)) {
    const std::string_view option = node->def_elem->defname;
    if (option != "force") {
      return Error(sqlstate::kSyntaxError, "unrecognized DROP DATABASE option " + quoted(option))
          .at(position(c, node->def_elem->location));
    }
    force = true;
  }
  if (const auto database = c.catalog.catalog().database(row->oid); database != nullptr) {
    const size_t prepared = storage::prepared_transactions(c.store()).count(row->oid);
    if (force && prepared > 0) {
      return Error(sqlstate::kObjectInUse, "database " + quoted(s.dbname) + " is being used by prepared transactions")
          .with_detail(users_text(0, prepared));
    }
    if (force) INDIGO_TRY(c.host.terminate_sessions(row->oid));
    INDIGO_TRY(wait_until_unused(c, *database, s.dbname));
  }
  INDIGO_TRY(check(table(c, pg_database::kOid).erase(c.txn, {Datum::of_oid(row->oid)})));
  INDIGO_TRY(forget_role_needs(c, row->oid));
  INDIGO_TRY(drop_images(c, row->oid));
  INDIGO_TRY(set_comment(c, {pg_database::kOid, row->oid, 0}, ""));
  SystemTable& settings = table(c, pg_db_role_setting::kOid);
  std::vector<Oid> roles;
  settings.scan(c.txn, {Datum::of_oid(row->oid)}, [&](RowReader r) {
    roles.push_back(r.oid(pg_db_role_setting::c_setrole));
    return true;
  });
  for (const Oid role : roles) INDIGO_TRY(check(settings.erase(c.txn, {Datum::of_oid(row->oid), Datum::of_oid(role)})));
  auto& catalog = c.catalog.catalog();
  c.store().on_end(
      c.txn, [&catalog, oid = row->oid] { catalog.forget(oid); }, [] {});
  c.catalog.changed_shared();
  return {};
}

Status execute_alter_database(DdlContext& c, const PgQuery__AlterDatabaseStmt& s) {
  const auto row = database_row(c, s.dbname);
  if (!row) return no_such_database(s.dbname);
  INDIGO_TRY(check_owner(c, row->owner, "database", s.dbname));
  for (const PgQuery__Node* node : nodes(s.n_options, s.options)) {
    const PgQuery__DefElem* d = node->def_elem;
    const std::string_view name = d->defname;
    int column = -1;
    if (name == "is_template") column = pg_database::c_datistemplate;
    if (name == "allow_connections") column = pg_database::c_datallowconn;
    if (column >= 0) {
      INDIGO_ASSIGN(const bool on, boolean_value(d));
      INDIGO_TRY(
          update_row(c, pg_database::kOid, {Datum::of_oid(row->oid)}, [&](RowValues& v) { v.flag(column, on); }));
    } else if (name == "connection_limit") {
      const auto limit = integer_value(d->arg);
      if (!limit || *limit < -1)
        return Error(sqlstate::kInvalidParameterValue, "invalid connection limit: " + text_value(d->arg));
      INDIGO_TRY(update_row(c, pg_database::kOid, {Datum::of_oid(row->oid)},
                            [&](RowValues& v) { v.i32(pg_database::c_datconnlimit, static_cast<int32_t>(*limit)); }));
    } else if (name == "tablespace") {
      if (row->oid == c.catalog.database())
        return Error(sqlstate::kObjectInUse, "cannot change the tablespace of the currently open database");
      INDIGO_ASSIGN(const Oid tablespace, database_tablespace(c, text_value(d->arg)));
      INDIGO_TRY(update_row(c, pg_database::kOid, {Datum::of_oid(row->oid)},
                            [&](RowValues& v) { v.oid(pg_database::c_dattablespace, tablespace); }));
    } else {
      return Error(sqlstate::kSyntaxError, "option " + quoted(name) + " not recognized").at(position(c, d->location));
    }
  }
  c.catalog.changed_shared();
  return {};
}

namespace {

Status check_may_create(DdlContext& c, const char* otherwise) {
  const auto role = c.catalog.catalog().role(c.catalog.user(), &c.txn);
  if (role != nullptr && (role->superuser || role->create_db)) return {};
  return Error(sqlstate::kInsufficientPrivilege, otherwise);
}

}  // namespace

Status execute_refresh_database_collation(DdlContext& c, const PgQuery__AlterDatabaseRefreshCollStmt& s) {
  return refresh_database_collation(c, s.dbname);
}

Status rename_database(DdlContext& c, std::string_view from, std::string_view to) {
  const auto row = database_row(c, from);
  if (!row) return no_such_database(from);
  INDIGO_TRY(check_owner(c, row->owner, "database", from));
  INDIGO_TRY(check_may_create(c, "permission denied to rename database"));
  if (database_row(c, to)) return Error(sqlstate::kDuplicateDatabase, "database " + quoted(to) + " already exists");
  if (row->oid == c.catalog.database())
    return Error(sqlstate::kFeatureNotSupported, "current database cannot be renamed");
  INDIGO_TRY(update_row(c, pg_database::kOid, {Datum::of_oid(row->oid)},
                        [&](RowValues& v) { v.str(pg_database::c_datname, to); }));
  auto& catalog = c.catalog.catalog();
  c.store().on_end(
      c.txn, [&catalog, oid = row->oid, name = std::string(to)] { catalog.rename(oid, name); }, [] {});
  c.catalog.changed_shared();
  return {};
}

Status change_database_owner(DdlContext& c, std::string_view name, Oid owner) {
  const auto row = database_row(c, name);
  if (!row) return no_such_database(name);
  if (row->owner == owner) return {};
  INDIGO_TRY(check_owner(c, row->owner, "database", name));
  INDIGO_TRY(check_new_owner(c, owner, kInvalidOid));
  INDIGO_TRY(check_may_create(c, "permission denied to change owner of database"));
  c.catalog.changed_shared();
  return update_row(c, pg_database::kOid, {Datum::of_oid(row->oid)}, [&](RowValues& v) {
    v.oid(pg_database::c_datdba, owner);
    pass_on(v, pg_database::c_datacl, row->owner, owner);
  });
}

}  // namespace indigo::engine::ddl
