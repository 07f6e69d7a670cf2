#include "engine/ddl/table/temporary.h"

#include "catalog/database.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/table/rewrite.h"
#include "sql/parse/parse_tree.h"
#include "storage/store.h"
#include "storage/table.h"

namespace indigo::engine {

namespace ddl {

Result<Oid> temporary_schema(DdlContext& c) {
  if (const Oid schema = c.catalog.temp_schema(); schema != kInvalidOid) {
    INDIGO_TRY(check_schema_privilege(c, schema, kPrivilegeCreate));
    return schema;
  }
  const auto database = c.catalog.database_pointer();
  const int number = c.catalog.temp_number() != 0 ? c.catalog.temp_number() : database->take_temp_number();
  auto made = create_schema(c, "pg_temp_" + std::to_string(number), oid::kBootstrapSuperuser);
  if (!made.ok()) {
    database->return_temp_number(number);
    return made;
  }
  c.catalog.set_temp_schema(*made, number);
  auto& catalog = c.catalog;
  c.store().on_end(
      c.txn, [] {},
      [&catalog, database, number] {
        catalog.set_temp_schema(kInvalidOid, 0);
        database->return_temp_number(number);
      });
  return made;
}

Status drop_temporary_schemas(DdlContext& c) {
  std::vector<Address> schemas;
  table(c, pg_namespace::kOid).scan(c.txn, {}, [&](RowReader row) {
    const Oid oid = row.oid(pg_namespace::c_oid);
    if (oid >= oid::kFirstUserOid && row.str(pg_namespace::c_nspname).starts_with("pg_temp_")) {
      schemas.push_back({pg_namespace::kOid, oid, 0});
    }
    return true;
  });
  return schemas.empty() ? Status() : drop_objects(c, schemas, true, true);
}

Status set_on_commit(DdlContext& c, Oid relation, PgQuery__OnCommitAction action) {
  if (action == PG_QUERY__ON_COMMIT_ACTION__ONCOMMIT_DROP) c.catalog.commit_actions()[relation] = 'd';
  if (action == PG_QUERY__ON_COMMIT_ACTION__ONCOMMIT_DELETE_ROWS) c.catalog.commit_actions()[relation] = 'e';
  return {};
}

namespace {

// Rows that go away at the commit must not be referenced by rows that stay.
Status check_references(DdlContext& c, const RelationInfo& emptied) {
  const auto& actions = c.catalog.commit_actions();
  for (const Oid other : emptied.referencing_relations) {
    const auto action = actions.find(other);
    if (action != actions.end() && action->second == 'e') continue;
    const RelationPtr referencing = current(c, other);
    if (referencing == nullptr) continue;
    return Error(sqlstate::kFeatureNotSupported, "unsupported ON COMMIT and foreign key combination")
        .with_detail("Table " + quoted(referencing->name) + " references " + quoted(emptied.name) +
                     ", but they do not have the same ON COMMIT setting.");
  }
  return {};
}

}  // namespace

}  // namespace ddl

Status before_commit(DdlContext& c) {
  auto& actions = c.catalog.commit_actions();
  if (actions.empty()) return {};
  std::vector<ddl::Address> drop;
  for (auto it = actions.begin(); it != actions.end();) {
    const ddl::RelationPtr relation = ddl::current(c, it->first);
    if (relation == nullptr) {
      it = actions.erase(it);
      continue;
    }
    if (it->second == 'e') INDIGO_TRY(ddl::check_references(c, *relation));
    if (it->second == 'd') {
      drop.push_back({ddl::pg_class::kOid, it->first, 0});
    } else if (relation->table != nullptr && ddl::has_rows(c, *relation)) {
      INDIGO_TRY(ddl::lock_object(c, relation->oid, ddl::TableLockMode::kAccessExclusive));
      INDIGO_TRY(ddl::empty_table(c, relation));
    }
    ++it;
  }
  return drop.empty() ? Status() : ddl::drop_objects(c, drop, true, true);
}

Status drop_temporary_objects(DdlContext& c) {
  const Oid schema = c.catalog.temp_schema();
  if (schema == kInvalidOid) return {};
  std::vector<ddl::Address> objects{{ddl::pg_namespace::kOid, schema, 0}};
  INDIGO_TRY(ddl::drop_objects(c, objects, true, true));
  const int number = c.catalog.temp_number();
  const auto database = c.catalog.database_pointer();
  auto& catalog = c.catalog;
  c.store().on_end(
      c.txn,
      [&catalog, database, number] {
        catalog.set_temp_schema(kInvalidOid, 0);
        catalog.commit_actions().clear();
        database->return_temp_number(number);
      },
      [] {});
  return {};
}

}  // namespace indigo::engine
