#include "engine/ddl/foreign/foreign_object.h"

#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "types/value/acl.h"

namespace indigo::engine::ddl {

namespace pg_foreign_data_wrapper = catalog::pg_foreign_data_wrapper;
namespace pg_foreign_server = catalog::pg_foreign_server;

const ForeignKind kWrapperKind{pg_foreign_data_wrapper::kOid,
                               pg_foreign_data_wrapper::c_oid,
                               pg_foreign_data_wrapper::c_fdwname,
                               pg_foreign_data_wrapper::c_fdwowner,
                               pg_foreign_data_wrapper::c_fdwacl,
                               pg_foreign_data_wrapper::c_fdwoptions,
                               "foreign-data wrapper",
                               "foreign-data wrapper"};
const ForeignKind kServerKind{pg_foreign_server::kOid,
                              pg_foreign_server::c_oid,
                              pg_foreign_server::c_srvname,
                              pg_foreign_server::c_srvowner,
                              pg_foreign_server::c_srvacl,
                              pg_foreign_server::c_srvoptions,
                              "server",
                              "foreign server"};

Oid foreign_named(DdlContext& c, const ForeignKind& kind, std::string_view name) {
  Oid found = kInvalidOid;
  table(c, kind.table).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(kind.name_column) == name) found = row.oid(kind.oid_column);
    return found == kInvalidOid;
  });
  return found;
}

Result<Oid> existing_foreign(DdlContext& c, const ForeignKind& kind, std::string_view name) {
  const Oid found = foreign_named(c, kind, name);
  if (found != kInvalidOid) return found;
  return Error(sqlstate::kUndefinedObject, std::string(kind.name) + " " + quoted(name) + " does not exist");
}

std::string foreign_name(DdlContext& c, const ForeignKind& kind, Oid oid) {
  std::string image;
  const SystemTable& t = table(c, kind.table);
  return t.find_oid(c.txn, oid, image) ? std::string(t.reader(image).str(kind.name_column)) : std::to_string(oid);
}

Oid foreign_owner(DdlContext& c, const ForeignKind& kind, Oid oid) {
  std::string image;
  const SystemTable& t = table(c, kind.table);
  return t.find_oid(c.txn, oid, image) ? t.reader(image).oid(kind.owner_column) : kInvalidOid;
}

Status check_foreign_name_free(DdlContext& c, const ForeignKind& kind, std::string_view name) {
  if (foreign_named(c, kind, name) == kInvalidOid) return {};
  return Error(sqlstate::kDuplicateObject, std::string(kind.name) + " " + quoted(name) + " already exists");
}

Status check_foreign_usage(DdlContext& c, const ForeignKind& kind, Oid oid, Oid role) {
  const catalog::AclSource& source =
      kind.table == catalog::kServerAcl.table ? catalog::kServerAcl : catalog::kWrapperAcl;
  if ((catalog::object_privileges(c.catalog, source, oid, role) & types::kPrivilegeUsage) != 0) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               "permission denied for " + std::string(kind.owned) + " " + foreign_name(c, kind, oid));
}

Result<std::optional<Address>> find_own_foreign(DdlContext& c, const ForeignKind& kind, std::string_view name,
                                                bool missing_ok) {
  auto found = existing_foreign(c, kind, name);
  if (!found.ok()) {
    if (!missing_ok) return found.take_error();
    notice(c, found.take_error()->message + ", skipping");
    return std::optional<Address>();
  }
  INDIGO_TRY(check_owner(c, foreign_owner(c, kind, *found), kind.owned, name));
  return std::optional<Address>(Address{kind.table, *found, 0});
}

Status rename_foreign(DdlContext& c, const ForeignKind& kind, std::string_view name, std::string_view wanted) {
  const std::string to = truncated_name(wanted);
  INDIGO_ASSIGN(const auto found, find_own_foreign(c, kind, name, false));
  INDIGO_TRY(check_foreign_name_free(c, kind, to));
  INDIGO_TRY(update_row(c, kind.table, {Datum::of_oid(found->object)},
                        [&](RowValues& row) { row.str(kind.name_column, to); }));
  c.catalog.changed({kInvalidOid});
  return {};
}

Status set_foreign_owner(DdlContext& c, const ForeignKind& kind, Oid oid, Oid owner) {
  INDIGO_TRY(update_row(c, kind.table, {Datum::of_oid(oid)}, [&](RowValues& row) {
    const Oid before = row.get(kind.owner_column).oid();
    row.oid(kind.owner_column, owner);
    pass_on(row, kind.acl_column, before, owner);
  }));
  c.catalog.changed({kInvalidOid});
  return {};
}

}  // namespace indigo::engine::ddl
