#include "engine/ddl/foreign/foreign_table.h"

#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/foreign/foreign_object.h"
#include "engine/ddl/foreign/foreign_options.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/table/alter_target.h"
#include "engine/ddl/table/create_table.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_foreign_server = catalog::pg_foreign_server;
namespace pg_foreign_table = catalog::pg_foreign_table;

Oid server_of_table(DdlContext& c, Oid relation) {
  std::string image;
  const SystemTable& t = table(c, pg_foreign_table::kOid);
  return t.find_oid(c.txn, relation, image) ? t.reader(image).oid(pg_foreign_table::c_ftserver) : kInvalidOid;
}

}  // namespace

Status execute_create_foreign_table(DdlContext& c, const PgQuery__CreateForeignTableStmt& s) {
  return create_table_as_stated(c, *s.base_stmt, &s);
}

Status insert_foreign_table(DdlContext& c, Oid relation, const PgQuery__CreateForeignTableStmt& s) {
  INDIGO_ASSIGN(const Oid server, existing_foreign(c, kServerKind, s.servername));
  INDIGO_TRY(check_foreign_usage(c, kServerKind, server, c.catalog.user()));
  INDIGO_ASSIGN(const ForeignOptions options, changed_options(c, {}, nodes(s.n_options, s.options),
                                                              validator_of_server(c, server), pg_foreign_table::kOid));
  SystemTable& t = table(c, pg_foreign_table::kOid);
  RowValues row(t.definition());
  row.oid(pg_foreign_table::c_ftrelid, relation).oid(pg_foreign_table::c_ftserver, server);
  write_options(row, pg_foreign_table::c_ftoptions, options);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  c.catalog.changed({relation});
  return record_dependency(c, {pg_class::kOid, relation, 0}, {kServerKind.table, server, 0}, 'n');
}

Status remove_foreign_table(DdlContext& c, Oid relation) {
  return check_erased(table(c, pg_foreign_table::kOid).erase(c.txn, {Datum::of_oid(relation)}));
}

Status change_foreign_options(DdlContext& c, const RelationInfo& relation, NodeList options) {
  const SystemTable& t = table(c, pg_foreign_table::kOid);
  std::string image;
  INDIGO_TRY(check(t.claim(c.txn, t.key({Datum::of_oid(relation.oid)}), image)));
  const RowReader row = t.reader(image);
  INDIGO_ASSIGN(const ForeignOptions changed,
                changed_options(c, read_options(row, pg_foreign_table::c_ftoptions), options,
                                validator_of_server(c, row.oid(pg_foreign_table::c_ftserver)), pg_foreign_table::kOid));
  c.catalog.changed({relation.oid});
  return update_row(c, pg_foreign_table::kOid, {Datum::of_oid(relation.oid)},
                    [&](RowValues& v) { write_options(v, pg_foreign_table::c_ftoptions, changed); });
}

Status change_column_options(DdlContext& c, const RelationInfo& relation, std::string_view name, NodeList options) {
  if (options.empty()) return {};
  INDIGO_TRY(check_alter_target(relation, PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnGenericOptions));
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(relation, name));
  const SystemTable& t = table(c, pg_attribute::kOid);
  std::string image;
  ForeignOptions before;
  if (t.find(c.txn, {Datum::of_oid(relation.oid), Datum::of(column->number)}, image))
    before = read_options(t.reader(image), pg_attribute::c_attfdwoptions);
  INDIGO_ASSIGN(const ForeignOptions changed,
                changed_options(c, std::move(before), options, validator_of_server(c, server_of_table(c, relation.oid)),
                                pg_attribute::kOid));
  c.catalog.changed({relation.oid});
  return update_attribute(c, relation.oid, column->number,
                          [&](RowValues& v) { write_options(v, pg_attribute::c_attfdwoptions, changed); });
}

Status check_foreign_constraint(const DdlContext& c, const PgQuery__Constraint& k) {
  const char* what = nullptr;
  switch (k.contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY: what = "primary key"; break;
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE: what = "unique"; break;
    case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION: what = "exclusion"; break;
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN: what = "foreign key"; break;
    default: return {};
  }
  return Error(sqlstate::kFeatureNotSupported, std::string(what) + " constraints are not supported on foreign tables")
      .at(position(c, k.location));
}

}  // namespace indigo::engine::ddl
