#include "engine/ddl/object/schema.h"

#include <algorithm>

#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/access/default_privileges.h"
#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/tree.h"
#include "engine/settings/identifier_list.h"

namespace indigo::engine::ddl {

Status check_schema_privilege(DdlContext& c, Oid schema, uint32_t privileges) {
  const uint32_t held = catalog::object_privileges(c.catalog, catalog::kSchemaAcl, schema, c.catalog.user());
  if ((held & privileges) == privileges) return {};
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for schema " + c.catalog.schema_name(schema));
}

Status check_database_privilege(DdlContext& c, uint32_t privileges) {
  const uint32_t held =
      catalog::object_privileges(c.catalog, catalog::kDatabaseAcl, c.catalog.database(), c.catalog.user());
  if ((held & privileges) == privileges) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               "permission denied for database " + std::string(c.catalog.database_name()));
}

Result<Oid> create_schema(DdlContext& c, std::string_view name, Oid owner) {
  SystemTable& t = table(c, pg_namespace::kOid);
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_namespace::c_oid, oid).str(pg_namespace::c_nspname, name).oid(pg_namespace::c_nspowner, owner);
  if (const auto acl = default_privileges(c, 'n', owner, kInvalidOid)) {
    row.str(pg_namespace::c_nspacl, types::acl_array(*acl));
  }
  const StorageStatus status = t.insert(c.txn, row);
  if (status == StorageStatus::kDuplicateKey) {
    return Error(sqlstate::kDuplicateSchema, "schema " + quoted(name) + " already exists");
  }
  INDIGO_TRY(check(status));
  if (name.starts_with("pg_temp_")) {  // which users' names do not
    c.catalog.changed_temporary();
  } else {
    c.host.made(pg_namespace::kOid, oid, c.extension != kInvalidOid);
    c.catalog.changed({kInvalidOid});
  }
  return oid;
}

namespace {

constexpr SqlState kInvalidSchemaDefinition{"42P15"};

// The relation that an element of CREATE SCHEMA makes, or makes something on; null: there is none.
PgQuery__RangeVar* made_by(const PgQuery__Node& element) {
  switch (element.node_case) {
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT: return element.create_seq_stmt->sequence;
    case PG_QUERY__NODE__NODE_CREATE_STMT: return element.create_stmt->relation;
    case PG_QUERY__NODE__NODE_VIEW_STMT: return element.view_stmt->view;
    case PG_QUERY__NODE__NODE_INDEX_STMT: return element.index_stmt->relation;
    case PG_QUERY__NODE__NODE_CREATE_TRIG_STMT: return element.create_trig_stmt->relation;
    default: return nullptr;
  }
}

// Sequences, tables, views, indexes, and then the rest, as if each statement stood alone with the schema first in search_path.
Status create_elements(DdlContext& c, const std::string& schema, Oid owner, NodeList elements) {
  const auto rank = [](const PgQuery__Node& element) {
    switch (element.node_case) {
      case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT: return 0;
      case PG_QUERY__NODE__NODE_CREATE_STMT: return 1;
      case PG_QUERY__NODE__NODE_VIEW_STMT: return 2;
      case PG_QUERY__NODE__NODE_INDEX_STMT: return 3;
      default: return 4;
    }
  };
  std::vector<PgQuery__Node*> ordered(elements.begin(), elements.end());
  for (const PgQuery__Node* element : ordered) {
    const PgQuery__RangeVar* made = made_by(*element);
    if (made != nullptr && sql::has_text(made->schemaname) && made->schemaname != schema) {
      return Error(kInvalidSchemaDefinition, "CREATE specifies a schema (" + std::string(made->schemaname) +
                                                 ") different from the one being created (" + schema + ")");
    }
    if (made != nullptr && std::string_view(made->relpersistence) == "t") {
      return Error(sqlstate::kInvalidTableDefinition, "cannot create temporary relation in non-temporary schema");
    }
  }
  std::stable_sort(ordered.begin(), ordered.end(), [&](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  std::string setting;
  c.host.session().setting("search_path", setting);
  const auto before = split_identifier_list(setting).value_or(std::vector<std::string>());
  std::vector<std::string> path{schema};
  path.insert(path.end(), before.begin(), before.end());
  const Oid user = c.catalog.user();
  c.catalog.set_search_path(std::move(path));
  c.catalog.set_user(owner);
  Status status;
  for (const PgQuery__Node* element : ordered) {
    auto made = execute_ddl(c, *element);
    if (made.ok()) continue;
    status = made.take_error();
    break;
  }
  c.catalog.set_search_path(before);
  c.catalog.set_user(user);
  return status;
}

}  // namespace

Result<Oid> schema_to_move_to(DdlContext& c, std::string_view name) {
  return name == "pg_temp" ? temporary_schema(c) : existing_schema(c, name);
}

Status check_may_move(DdlContext& c, Oid from, Oid to) {
  INDIGO_TRY(check_schema_privilege(c, to, kPrivilegeCreate));
  for (const Oid schema : {to, from}) {
    if (c.catalog.schema_name(schema).starts_with("pg_temp_"))
      return Error(sqlstate::kFeatureNotSupported, "cannot move objects into or out of temporary schemas");
  }
  if (to == oid::kPgToastSchema || from == oid::kPgToastSchema)
    return Error(sqlstate::kFeatureNotSupported, "cannot move objects into or out of TOAST schema");
  return {};
}

Status execute_create_schema(DdlContext& c, const PgQuery__CreateSchemaStmt& s) {
  Oid owner = c.catalog.user();
  if (s.authrole != nullptr) {
    INDIGO_ASSIGN(owner, resolve_role(c, s.authrole));
  }
  const std::string name = sql::has_text(s.schemaname) ? truncated_name(s.schemaname) : c.catalog.role_name(owner);
  INDIGO_TRY(check_database_privilege(c, kPrivilegeCreate));
  if (!c.catalog.has_role(c.catalog.user(), owner)) {
    return Error(sqlstate::kInsufficientPrivilege, "must be member of role " + quoted(c.catalog.role_name(owner)));
  }
  if (name.starts_with("pg_")) {
    return Error(sqlstate::kReservedName, "unacceptable schema name " + quoted(name))
        .with_detail("The prefix \"pg_\" is reserved for system schemas.");
  }
  if (s.if_not_exists && c.catalog.schema_named(name) != kInvalidOid) {
    notice(c, "schema " + quoted(name) + " already exists, skipping", sqlstate::kDuplicateSchema);
    return {};
  }
  if (s.if_not_exists && s.n_schema_elts > 0) {
    return Error(sqlstate::kFeatureNotSupported, "CREATE SCHEMA IF NOT EXISTS cannot include schema elements");
  }
  INDIGO_TRY(create_schema(c, name, owner));
  if (s.n_schema_elts > 0) INDIGO_TRY(create_elements(c, name, owner, nodes(s.n_schema_elts, s.schema_elts)));
  return {};
}

}  // namespace indigo::engine::ddl
