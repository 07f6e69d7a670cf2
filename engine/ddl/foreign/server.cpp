#include "engine/ddl/foreign/server.h"

#include "catalog/tables/system_table.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/foreign/foreign_options.h"
#include "engine/ddl/foreign/import_schema.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_foreign_server = catalog::pg_foreign_server;

Oid wrapper_of_server(DdlContext& c, Oid server) {
  std::string image;
  const SystemTable& t = table(c, pg_foreign_server::kOid);
  return t.find_oid(c.txn, server, image) ? t.reader(image).oid(pg_foreign_server::c_srvfdw) : kInvalidOid;
}

// "": not given.
void set_text(RowValues& row, int column, std::string_view text) {
  if (text.empty()) {
    row.set_null(column);
  } else {
    row.str(column, text);
  }
}

}  // namespace

Status execute_create_server(DdlContext& c, const PgQuery__CreateForeignServerStmt& s) {
  const std::string name = truncated_name(s.servername);
  if (auto free = check_foreign_name_free(c, kServerKind, name); !free.ok()) {
    if (!s.if_not_exists) return free;
    notice(c, free.take_error()->message + ", skipping", sqlstate::kDuplicateObject);
    return {};
  }
  INDIGO_ASSIGN(const Oid wrapper, existing_foreign(c, kWrapperKind, s.fdwname));
  INDIGO_TRY(check_foreign_usage(c, kWrapperKind, wrapper, c.catalog.user()));
  INDIGO_ASSIGN(
      const ForeignOptions options,
      changed_options(c, {}, nodes(s.n_options, s.options), validator_of_wrapper(c, wrapper), pg_foreign_server::kOid));
  SystemTable& t = table(c, pg_foreign_server::kOid);
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_foreign_server::c_oid, oid)
      .str(pg_foreign_server::c_srvname, name)
      .oid(pg_foreign_server::c_srvowner, c.catalog.user())
      .oid(pg_foreign_server::c_srvfdw, wrapper)
      .set_null(pg_foreign_server::c_srvacl);
  set_text(row, pg_foreign_server::c_srvtype, s.servertype);
  set_text(row, pg_foreign_server::c_srvversion, s.version);
  write_options(row, pg_foreign_server::c_srvoptions, options);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  const Address self{pg_foreign_server::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {kWrapperKind.table, wrapper, 0}, 'n'));
  return record_membership(c, self);
}

Status execute_alter_server(DdlContext& c, const PgQuery__AlterForeignServerStmt& s) {
  INDIGO_ASSIGN(const auto found, find_own_foreign(c, kServerKind, s.servername, false));
  const SystemTable& t = table(c, pg_foreign_server::kOid);
  std::string image;
  INDIGO_TRY(check(t.claim(c.txn, t.key({Datum::of_oid(found->object)}), image)));
  ForeignOptions options = read_options(t.reader(image), pg_foreign_server::c_srvoptions);
  if (s.n_options > 0) {
    const Oid wrapper = t.reader(image).oid(pg_foreign_server::c_srvfdw);
    INDIGO_ASSIGN(options, changed_options(c, options, nodes(s.n_options, s.options), validator_of_wrapper(c, wrapper),
                                           pg_foreign_server::kOid));
  }
  return update_row(c, pg_foreign_server::kOid, {Datum::of_oid(found->object)}, [&](RowValues& row) {
    if (s.has_version) set_text(row, pg_foreign_server::c_srvversion, s.version);
    write_options(row, pg_foreign_server::c_srvoptions, options);
  });
}

Status change_server_owner(DdlContext& c, std::string_view name, Oid owner) {
  INDIGO_ASSIGN(const Oid oid, existing_foreign(c, kServerKind, name));
  const Oid before = foreign_owner(c, kServerKind, oid);
  if (before == owner) return {};
  INDIGO_TRY(check_owner(c, before, kServerKind.owned, name));
  INDIGO_TRY(check_new_owner(c, owner, kInvalidOid));
  if (!c.catalog.is_superuser(c.catalog.user()))
    INDIGO_TRY(check_foreign_usage(c, kWrapperKind, wrapper_of_server(c, oid), owner));
  return set_foreign_owner(c, kServerKind, oid, owner);
}

Status execute_import_foreign_schema(DdlContext& c, const PgQuery__ImportForeignSchemaStmt& s) {
  INDIGO_ASSIGN(const Oid server, existing_foreign(c, kServerKind, s.server_name));
  INDIGO_TRY(check_foreign_usage(c, kServerKind, server, c.catalog.user()));
  INDIGO_TRY(creation_schema(c, s.local_schema, false));
  const Oid wrapper = wrapper_of_server(c, server);
  std::string image;
  const SystemTable& t = table(c, kWrapperKind.table);
  const Oid handler = t.find_oid(c.txn, wrapper, image)
                          ? t.reader(image).oid(catalog::pg_foreign_data_wrapper::c_fdwhandler)
                          : kInvalidOid;
  if (handler != kInvalidOid) {
    const auto function = c.catalog.function(handler);
    if (function != nullptr && function->source == "postgres_fdw_handler") return import_remote_schema(c, s, server);
    return Error(SqlState("HV00P"), "foreign-data wrapper " + quoted(foreign_name(c, kWrapperKind, wrapper)) +
                                        " does not support IMPORT FOREIGN SCHEMA");
  }
  return Error(SqlState("55000"),
               "foreign-data wrapper " + quoted(foreign_name(c, kWrapperKind, wrapper)) + " has no handler");
}

}  // namespace indigo::engine::ddl
