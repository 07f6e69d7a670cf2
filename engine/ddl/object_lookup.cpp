#include "engine/ddl/object_lookup.h"

#include <charconv>

#include "base/fiber/wait_point.h"
#include "base/memory/arena.h"
#include "base/name.h"
#include "base/raised_error.h"
#include "base/utf8.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/settled.h"
#include "catalog/object_privileges.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/tree.h"
#include "engine/exec/execution.h"
#include "engine/row_sink.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/analyze/type/type_name.h"
#include "sql/parse/option_value.h"
#include "sql/parse/text_position.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"
#include "types/function/registry.h"
#include "types/text/strings.h"

namespace indigo::engine::ddl {

Error storage_failure(StorageStatus status, const RelationInfo* relation) {
  if (status == StorageStatus::kNotFound && relation == nullptr)  // a row of a system table
    return Error(sqlstate::kUndefinedObject, "the object was concurrently dropped");
  return storage_error(status, relation);
}

void notice(DdlContext& c, std::string message, SqlState state) {
  c.host.notice(Severity::kNotice, Error(state, std::move(message)));
}

void warning(DdlContext& c, SqlState state, std::string message) {
  c.host.notice(Severity::kWarning, Error(state, std::move(message)));
}

void debug(DdlContext& c, std::string message) {
  c.host.notice(Severity::kDebug, Error(sqlstate::kSuccessfulCompletion, std::move(message)));
}

int position(const DdlContext& c, int location) { return sql::character_position(c.text, location); }

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }
std::string identifier(std::string_view name) { return types::quote_identifier(name); }
std::string qualified(std::string_view schema, std::string_view name) {
  return identifier(schema) + "." + identifier(name);
}
std::string column_text(const RelationInfo& r, std::string_view column) {
  return "column " + quoted(column) + " of relation " + quoted(r.name);
}

std::string literal(std::string_view text) { return types::quote_literal(text); }

std::string truncated_name(std::string_view name) { return std::string(clip_name(name)); }

// ---- schemas

Result<Oid> existing_schema(DdlContext& c, std::string_view schema) {
  const Oid oid = c.catalog.schema_named(schema);
  if (oid == kInvalidOid) {
    return Error(sqlstate::kInvalidSchemaName, "schema " + quoted(schema) + " does not exist");
  }
  return oid;
}

namespace {

std::string range_text(const PgQuery__RangeVar& name) {
  std::string out;
  for (const std::string_view part : {name.catalogname, name.schemaname}) {
    if (!part.empty()) out.append(part).append(".");
  }
  return out + name.relname;
}

// `text`: the whole name, as the message shows it.
Status check_database(DdlContext& c, std::string_view database, const std::string& text) {
  if (database.empty() || database == c.catalog.database_name()) return {};
  return Error(sqlstate::kFeatureNotSupported, "cross-database references are not implemented: " + text);
}

Result<Oid> held_schema(DdlContext& c, std::string_view schema) {
  Oid oid = kInvalidOid;
  if (!schema.empty()) {
    INDIGO_ASSIGN(oid, existing_schema(c, schema));
  } else {
    oid = c.catalog.creation_schema();
    if (oid == kInvalidOid) {
      return Error(sqlstate::kInvalidSchemaName, "no schema has been selected to create in");
    }
  }
  INDIGO_TRY(check_schema_privilege(c, oid, kPrivilegeCreate));
  INDIGO_TRY(hold_role(c, c.catalog.user()));  // the owner of what will be there
  INDIGO_TRY(hold(c, {pg_namespace::kOid, oid, 0}));
  return oid;
}

}  // namespace

Result<Oid> creation_schema(DdlContext& c, std::string_view schema, bool temporary) {
  if (temporary || schema == "pg_temp") {
    if (!schema.empty() && schema != "pg_temp") {
      INDIGO_ASSIGN(const Oid named, existing_schema(c, schema));
      if (named != c.catalog.temp_schema()) {
        return Error(sqlstate::kInvalidTableDefinition, "cannot create temporary relation in non-temporary schema");
      }
    }
    if (temporary && c.host.is_restricted()) {
      return Error(sqlstate::kInsufficientPrivilege,
                   "cannot create temporary table within security-restricted operation");
    }
    if (c.catalog.temp_schema() == kInvalidOid && !check_database_privilege(c, types::kPrivilegeTemp).ok()) {
      return Error(sqlstate::kInsufficientPrivilege,
                   "permission denied to create temporary tables in database " + quoted(c.catalog.database_name()));
    }
    return temporary_schema(c);
  }
  return catalog::settled(c.catalog, [&] { return held_schema(c, schema); });
}

Result<Oid> creation_schema(DdlContext& c, NodeList name) {
  const auto q = sql::qualified_name(name);
  if (!q.valid)
    return Error(sqlstate::kSyntaxError,
                 "improper qualified name (too many dotted names): " + sql::name_list_text(name));
  INDIGO_TRY(check_database(c, q.database, sql::name_list_text(name)));
  return creation_schema(c, q.schema, false);
}

Result<Oid> creation_schema(DdlContext& c, const PgQuery__RangeVar& name, bool temporary) {
  const std::string_view schema = name.schemaname;
  INDIGO_TRY(check_database(c, name.catalogname, quoted(range_text(name))));
  if (schema == "pg_temp" && std::string_view(name.relpersistence) == "u")
    return Error(sqlstate::kInvalidTableDefinition, "only temporary relations may be created in temporary schemas");
  INDIGO_ASSIGN(const Oid oid, creation_schema(c, schema, temporary));
  if (oid == oid::kPgCatalogSchema || oid == oid::kPgToastSchema) {
    return Error(sqlstate::kInsufficientPrivilege,
                 "permission denied to create " + quoted(c.catalog.schema_name(oid) + "." + name.relname))
        .with_detail("System catalog modifications are currently disallowed.");
  }
  return oid;
}

// ---- relations

Status lock_object(DdlContext& c, Oid object, TableLockMode mode) {
  return check(c.store().locks().lock_table(c.store().lock_owner(c.txn),
                                            catalog::lock_object(c.catalog.database(), object), mode, true,
                                            c.txn.lock_timeout()));
}

RelationPtr current(DdlContext& c, Oid oid) {
  Waiter::current().yield_if_due();  // a definition may alter thousands of relations
  return c.catalog.relation(oid);
}

Status check_schema_usage(DdlContext& c, std::string_view schema, bool missing_ok) {
  if (schema.empty()) return {};
  const Oid oid = c.catalog.schema_named(schema);
  if (oid == kInvalidOid) return missing_ok ? Status() : Status(existing_schema(c, schema).take_error());
  if (c.catalog.may_use_schema(oid)) return {};
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for schema " + std::string(schema));
}

Error gone_error(bool relation) {
  return Error(relation ? sqlstate::kUndefinedTable : sqlstate::kUndefinedObject,
               "an object that the statement is about was dropped by another session");
}

void raise_gone(bool relation) { throw RaisedError(gone_error(relation)); }

Status check_definable(DdlContext& c, const RelationInfo& relation) {
  INDIGO_TRY(check_owner(c, relation));
  return check_not_system(relation);
}

Result<RelationPtr> open_relation(DdlContext& c, const PgQuery__RangeVar* name, TableLockMode mode, bool missing_ok,
                                  RelationCheck allowed) {
  const std::string_view schema = name->schemaname, relname = name->relname;
  INDIGO_TRY(check_database(c, name->catalogname, quoted(range_text(*name))));
  INDIGO_TRY(check_schema_usage(c, schema, missing_ok));
  for (;;) {
    RelationPtr found = c.catalog.find_relation(schema, relname);
    if (found == nullptr) {
      if (missing_ok) return RelationPtr();
      const std::string full = schema.empty() ? std::string(relname) : std::string(schema) + "." + std::string(relname);
      return Error(sqlstate::kUndefinedTable, "relation " + quoted(full) + " does not exist");
    }
    if (allowed != nullptr) INDIGO_TRY(allowed(c, *found));
    // Locking may have waited for DDL: what the name means is looked up again.
    INDIGO_TRY(lock_object(c, found->oid, mode));
    const RelationPtr again = c.catalog.find_relation(schema, relname);
    if (again == nullptr || again->oid != found->oid) continue;
    if (allowed != nullptr && again != found) INDIGO_TRY(allowed(c, *again));
    return again;
  }
}

Result<RelationPtr> open_relation(DdlContext& c, Oid oid, TableLockMode mode) {
  INDIGO_TRY(lock_object(c, oid, mode));
  RelationPtr found = current(c, oid);
  if (found == nullptr) {
    return Error(sqlstate::kUndefinedTable, "relation with OID " + std::to_string(oid) + " does not exist");
  }
  return found;
}

Result<RelationPtr> existing_relation(DdlContext& c, NodeList name, bool missing_ok) {
  const auto q = sql::qualified_name(name);
  if (missing_ok && !q.schema.empty() && c.catalog.schema_named(q.schema) == kInvalidOid) {
    notice(c, "schema " + quoted(q.schema) + " does not exist, skipping");
    return RelationPtr();
  }
  INDIGO_TRY(check_schema_usage(c, q.schema));
  RelationPtr found = q.valid ? c.catalog.find_relation(q.schema, q.name) : nullptr;
  if (found != nullptr) return found;
  const std::string message = "relation " + quoted(sql::name_list_text(name)) + " does not exist";
  if (!missing_ok) return Error(sqlstate::kUndefinedTable, message);
  notice(c, message + ", skipping");
  return RelationPtr();
}

std::string_view kind_name(RelationKind kind) {
  switch (kind) {
    case RelationKind::kTable:
    case RelationKind::kPartitionedTable: return "table";
    case RelationKind::kIndex:
    case RelationKind::kPartitionedIndex: return "index";
    case RelationKind::kSequence: return "sequence";
    case RelationKind::kView: return "view";
    case RelationKind::kMaterializedView: return "materialized view";
    case RelationKind::kComposite: return "type";
    case RelationKind::kForeignTable: return "foreign table";
  }
  return "relation";
}

std::string not_supported_for(RelationKind kind) {
  const auto kinds = [&]() -> std::string {
    switch (kind) {
      case RelationKind::kIndex: return "indexes";
      case RelationKind::kPartitionedIndex: return "partitioned indexes";
      case RelationKind::kPartitionedTable: return "partitioned tables";
      case RelationKind::kComposite: return "composite types";
      default: return std::string(kind_name(kind)) + "s";
    }
  };
  return "This operation is not supported for " + kinds() + ".";
}

Status check_owner(DdlContext& c, Oid owner, std::string_view kind, std::string_view name) {
  if (c.catalog.has_privileges_of(c.catalog.user(), owner)) return {};
  return Error(sqlstate::kInsufficientPrivilege, "must be owner of " + std::string(kind) + " " + std::string(name));
}

Status check_right(DdlContext& c, Right right, Oid schema, Oid owner, std::string_view kind, std::string_view name) {
  if (right == Right::kNobody) return {};
  if (right == Right::kOwnerOrSchemaOwner) {
    const Oid schema_owner = catalog::read_object_acl(c.catalog, catalog::kSchemaAcl, schema).owner;
    if (c.catalog.has_privileges_of(c.catalog.user(), schema_owner)) return {};
  }
  return check_owner(c, owner, kind, name);
}

Status check_owner(DdlContext& c, const RelationInfo& relation) {
  return check_owner(c, relation.owner, kind_name(relation.kind), relation.name);
}

Status check_not_in_use(DdlContext& c, const RelationInfo& relation, std::string_view statement) {
  if (c.host.is_being_read(relation.oid)) {
    return Error(sqlstate::kObjectInUse, "cannot " + std::string(statement) + " " + quoted(relation.name) +
                                             " because it is being used by active queries in this session");
  }
  if (!c.host.has_pending_checks(relation.oid)) {
    c.host.uses(relation.oid);
    return {};
  }
  return Error(sqlstate::kObjectInUse, "cannot " + std::string(statement) + " " + quoted(relation.name) +
                                           " because it has pending trigger events");
}

Status check_not_system(const RelationInfo& relation) {
  if (relation.oid >= oid::kFirstUserOid) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               "permission denied: " + quoted(relation.name) + " is a system catalog");
}

// ---- types

namespace {

// table.column%TYPE: the type that the column has now.
Result<TypeRef> type_of_column(DdlContext& c, NodeList parts) {
  const NodeList table_name = parts.first(parts.size() - 1);
  INDIGO_ASSIGN(const RelationPtr relation, existing_relation(c, table_name));
  const std::string_view wanted = string_of(parts.back());
  const ColumnInfo* column = relation->find_column(wanted);
  if (column == nullptr) {
    return Error(sqlstate::kUndefinedColumn,
                 "column " + quoted(wanted) + " of relation " + quoted(relation->name) + " does not exist");
  }
  const TypeRef type{column->type.oid, -1, kInvalidOid};
  notice(c, "type reference " + sql::name_list_text(parts) + "%TYPE converted to " + type_text(c, type));
  const TypePtr info = c.catalog.type(type.oid);
  return TypeRef{type.oid, -1, info == nullptr ? kInvalidOid : info->collation};
}

}  // namespace

Result<TypePtr> existing_type(DdlContext& c, NodeList name) {
  const auto q = sql::qualified_name(name);
  INDIGO_TRY(check_schema_usage(c, q.schema));
  TypePtr type = q.valid ? c.catalog.find_type(q.schema, q.name) : nullptr;
  if (type == nullptr) {
    return Error(sqlstate::kUndefinedObject, "type " + quoted(sql::name_list_text(name)) + " does not exist");
  }
  return type;
}

Result<TypeRef> resolve_type(DdlContext& c, const PgQuery__TypeName* name) {
  const NodeList parts = nodes(name->n_names, name->names);
  if (name->setof) return Error(sqlstate::kInvalidTableDefinition, "column cannot be declared SETOF");
  if (name->pct_type) return type_of_column(c, parts);
  const auto q = sql::qualified_name(parts);
  INDIGO_TRY(check_schema_usage(c, q.schema, true));
  const auto type = q.valid ? c.catalog.find_type(q.schema, q.name) : nullptr;
  if (type == nullptr) {
    if (!q.schema.empty() && c.catalog.schema_named(q.schema) == kInvalidOid) {
      return Error(sqlstate::kInvalidSchemaName, "schema " + quoted(q.schema) + " does not exist")
          .at(position(c, name->location));
    }
    return Error(sqlstate::kUndefinedObject, "type " + quoted(sql::type_name_text(name)) + " does not exist")
        .at(position(c, name->location));
  }
  if (type->kind == 'p' && type->oid >= oid::kFirstUserOid) {
    return Error(sqlstate::kUndefinedObject, "type " + quoted(sql::name_list_text(parts)) + " is only a shell")
        .at(position(c, name->location));
  }
  TypeRef out{type->oid, -1, type->collation};
  if (name->n_typmods > 0) {
    std::vector<std::string> arguments;
    for (const PgQuery__Node* node : nodes(name->n_typmods, name->typmods)) {
      std::string text;
      if (is(node, PG_QUERY__NODE__NODE_A_CONST)) {
        const PgQuery__AConst* k = node->a_const;
        switch (k->val_case) {
          case PG_QUERY__A__CONST__VAL_IVAL: text = std::to_string(k->ival->ival); break;
          case PG_QUERY__A__CONST__VAL_FVAL: text = k->fval->fval; break;
          case PG_QUERY__A__CONST__VAL_SVAL: text = k->sval->sval; break;
          default: break;
        }
      } else {
        text = text_value(node);
      }
      arguments.push_back(std::move(text));
    }
    if (type->modifier_in == kInvalidOid) {
      return Error(sqlstate::kSyntaxError, "type modifier is not allowed for type " + quoted(sql::type_name_text(name)))
          .at(position(c, name->location));
    }
    auto typmod = types::typmod_input(*type, arguments);
    if (!typmod.ok()) {
      if (typmod.error().position == 0) typmod.error().position = position(c, name->location);
      return typmod.take_error();
    }
    out.typmod = *typmod;
  } else if (name->typemod > 0) {
    out.typmod = name->typemod;
  }
  if (name->n_array_bounds > 0) {
    if (type->array == kInvalidOid) {
      return Error(sqlstate::kUndefinedObject,
                   "could not find array type for data type " + type_text(c, {type->oid, -1, kInvalidOid}))
          .at(position(c, name->location));
    }
    const TypePtr array = c.catalog.type(type->array);
    out.oid = type->array;
    if (array != nullptr) out.collation = array->collation;
  }
  return out;
}

Result<TypeRef> usable_type(DdlContext& c, const PgQuery__TypeName* name) {
  INDIGO_ASSIGN(const TypeRef type, resolve_type(c, name));
  INDIGO_TRY(check_type_usage(c, type.oid));
  return type;
}

Status check_type_usage(DdlContext& c, Oid type) {
  const uint32_t held = catalog::object_privileges(c.catalog, catalog::kTypeAcl, type, c.catalog.user());
  if ((held & types::kPrivilegeUsage) != 0) return {};
  const TypePtr info = c.catalog.type(type);
  const Oid named = info != nullptr && info->is_array() ? info->element : type;
  return Error(sqlstate::kInsufficientPrivilege,
               "permission denied for type " + type_text(c, {named, -1, kInvalidOid}));
}

std::string type_text(DdlContext& c, const TypeRef& type) {
  return types::format_type(c.catalog, type.oid, type.typmod < 0 ? std::nullopt : std::optional(type.typmod));
}

std::string type_in_sql(DdlContext& c, const TypeRef& type) {
  return types::format_type(c.catalog, type.oid, type.typmod);
}

Result<Oid> resolve_collation(DdlContext& c, NodeList name, int location) {
  const auto q = sql::qualified_name(name);
  INDIGO_TRY(check_schema_usage(c, q.schema));
  const Oid oid = q.valid ? c.catalog.find_collation(q.schema, q.name) : kInvalidOid;
  if (oid == kInvalidOid) {
    return Error(sqlstate::kUndefinedObject,
                 "collation " + quoted(sql::name_list_text(name)) + " for encoding \"UTF8\" does not exist")
        .at(position(c, location));
  }
  return oid;
}

// ---- roles

Result<Oid> resolve_role(DdlContext& c, const PgQuery__RoleSpec* role) {
  switch (role->roletype) {
    case PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_CURRENT_ROLE:
    case PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_CURRENT_USER: return c.catalog.user();
    case PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_SESSION_USER: return c.catalog.role_named(c.host.session().session_user());
    case PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_PUBLIC:
      return Error(sqlstate::kUndefinedObject, "role \"public\" does not exist");
    default: break;
  }
  const Oid oid = c.catalog.role_named(role->rolename);
  if (oid == kInvalidOid) {
    return Error(sqlstate::kUndefinedObject, "role " + quoted(role->rolename) + " does not exist");
  }
  return oid;
}

// ---- options

std::optional<int64_t> integer_value(const PgQuery__Node* node) {
  if (is(node, PG_QUERY__NODE__NODE_INTEGER)) return node->integer->ival;
  if (is(node, PG_QUERY__NODE__NODE_FLOAT)) {
    const std::string_view text = node->float_->fval;
    int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code == std::errc() && end == text.data() + text.size()) return value;
  }
  return std::nullopt;
}

SystemTable& table(DdlContext& c, Oid oid) { return c.catalog.database_object().table(oid); }
Oid next_oid(DdlContext& c) { return c.catalog.catalog().next_oid(); }

std::string text_value(const PgQuery__Node* node) { return sql::option_text(node); }
Result<bool> boolean_value(const PgQuery__DefElem* option) { return sql::option_boolean(*option); }

// ---- values

std::string value_text(DdlContext& c, const TypeRef& type, const Datum& value) {
  if (value.null) return "null";
  Arena arena;
  types::FuncContext context(c.host.session());
  context.set_arena(&arena);
  std::string out;
  types::type_output(context, type, value, out);
  return out;
}

std::string key_text(DdlContext& c, const RelationInfo& relation, std::span<const int16_t> columns, Bytes row) {
  std::string names, values;
  for (const int16_t number : columns) {
    const ColumnInfo& column = relation.columns[static_cast<size_t>(number) - 1];
    if (!names.empty()) {
      names += ", ";
      values += ", ";
    }
    names += column.name;
    values += value_text(c, column.type, relation.layout.column(row, static_cast<size_t>(number) - 1));
  }
  return "(" + names + ")=(" + values + ")";
}

}  // namespace indigo::engine::ddl
