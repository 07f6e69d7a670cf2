#include "engine/ddl/drop/shared_dependency.h"

#include <deque>

#include "catalog/tables/system_table.h"

namespace indigo::engine::ddl {

namespace {

// Every row whose key begins so, as values.
std::deque<RowValues> rows_beginning(DdlContext& c, std::initializer_list<Datum> prefix) {
  SystemTable& t = table(c, pg_shdepend::kOid);
  std::deque<RowValues> out;
  t.scan(c.txn, prefix, [&](RowReader row) {
    RowValues& values = out.emplace_back(t.definition());
    for (int i = 0; i < t.definition().column_count; i++) values.set(i, row.datum(i));
    return true;
  });
  return out;
}

Status erase(DdlContext& c, const std::deque<RowValues>& rows) {
  SystemTable& t = table(c, pg_shdepend::kOid);
  for (const RowValues& row : rows) INDIGO_TRY(check_erased(t.erase_key(c.txn, t.key_of(row.datums()))));
  return {};
}

Status insert(DdlContext& c, const RowValues& row) {
  const StorageStatus status = table(c, pg_shdepend::kOid).insert(c.txn, row);
  return status == StorageStatus::kDuplicateKey ? Status() : check(status);
}

}  // namespace

Status record_roles(DdlContext& c, const Address& depender, std::span<const Oid> roles, char type) {
  for (const Oid role : roles) {
    if (role < oid::kFirstUserOid) continue;  // they cannot be dropped
    RowValues row(table(c, pg_shdepend::kOid).definition());
    row.oid(pg_shdepend::c_dbid, c.catalog.database())
        .oid(pg_shdepend::c_classid, depender.class_id)
        .oid(pg_shdepend::c_objid, depender.object)
        .i32(pg_shdepend::c_objsubid, depender.sub)
        .oid(pg_shdepend::c_refclassid, pg_authid::kOid)
        .oid(pg_shdepend::c_refobjid, role)
        .chr(pg_shdepend::c_deptype, type);
    INDIGO_TRY(insert(c, row));
  }
  return {};
}

Status forget_roles(DdlContext& c, const Address& depender) {
  return erase(c, rows_beginning(c, {Datum::of_oid(c.catalog.database()), Datum::of_oid(depender.class_id),
                                     Datum::of_oid(depender.object)}));
}

std::vector<Oid> objects_needing_role(DdlContext& c, Oid class_id, Oid role, std::map<Oid, int>* elsewhere) {
  std::vector<Oid> out;
  table(c, pg_shdepend::kOid)
      .scan_index(c.txn, system_index::kShdependReference, {Datum::of_oid(pg_authid::kOid), Datum::of_oid(role)},
                  [&](RowReader row) {
                    if (row.oid(pg_shdepend::c_classid) != class_id) return true;
                    const Oid database = row.oid(pg_shdepend::c_dbid);
                    if (database == c.catalog.database()) {
                      out.push_back(row.oid(pg_shdepend::c_objid));
                    } else if (elsewhere != nullptr) {
                      (*elsewhere)[database]++;
                    }
                    return true;
                  });
  return out;
}

Status copy_role_needs(DdlContext& c, Oid from, Oid to) {
  for (RowValues& row : rows_beginning(c, {Datum::of_oid(from)})) {
    row.oid(pg_shdepend::c_dbid, to);
    INDIGO_TRY(insert(c, row));
  }
  return {};
}

Status forget_role_needs(DdlContext& c, Oid database) { return erase(c, rows_beginning(c, {Datum::of_oid(database)})); }

}  // namespace indigo::engine::ddl
