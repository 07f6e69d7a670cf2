#include "engine/ddl/hold.h"

#include "catalog/database.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/object/large_object.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"

namespace indigo::engine::ddl {

namespace {

struct Kind {
  Oid class_id;
  std::string_view name;
  SqlState state;
};

const Kind& kind_of(Oid class_id) {
  static const Kind kKinds[] = {
      {pg_class::kOid, "relation", sqlstate::kUndefinedTable},
      {pg_type::kOid, "type", sqlstate::kUndefinedObject},
      {pg_proc::kOid, "function", sqlstate::kUndefinedFunction},
      {pg_namespace::kOid, "schema", sqlstate::kInvalidSchemaName},
      {catalog::pg_operator::kOid, "operator", sqlstate::kUndefinedFunction},
      {pg_collation::kOid, "collation", sqlstate::kUndefinedObject},
      {catalog::pg_opclass::kOid, "operator class", sqlstate::kUndefinedObject},
      {catalog::pg_opfamily::kOid, "operator family", sqlstate::kUndefinedObject},
      {catalog::pg_language::kOid, "language", sqlstate::kUndefinedObject},
      {catalog::pg_am::kOid, "access method", sqlstate::kUndefinedObject},
      {catalog::pg_extension::kOid, "extension", sqlstate::kUndefinedObject},
      {catalog::pg_foreign_data_wrapper::kOid, "foreign-data wrapper", sqlstate::kUndefinedObject},
      {catalog::pg_foreign_server::kOid, "server", sqlstate::kUndefinedObject},
      {catalog::pg_publication::kOid, "publication", sqlstate::kUndefinedObject},
      {catalog::pg_ts_config::kOid, "text search configuration", sqlstate::kUndefinedObject},
      {catalog::pg_ts_dict::kOid, "text search dictionary", sqlstate::kUndefinedObject},
      {catalog::pg_ts_parser::kOid, "text search parser", sqlstate::kUndefinedObject},
      {catalog::pg_ts_template::kOid, "text search template", sqlstate::kUndefinedObject},
      {catalog::pg_largeobject::kOid, "large object", sqlstate::kUndefinedObject},
      {kInvalidOid, "part", sqlstate::kUndefinedObject},
  };
  const Kind* kind = kKinds;
  while (kind->class_id != class_id && kind->class_id != kInvalidOid) kind++;
  return *kind;
}

// The object whose lock protects it.
Oid locked_for(DdlContext& c, const Address& a) {
  if (a.class_id != pg_type::kOid) return a.object;
  TypePtr type = c.catalog.type(a.object);
  if (type != nullptr && type->is_array()) type = c.catalog.type(type->element);
  return type != nullptr && type->relation != kInvalidOid ? type->relation : a.object;
}

}  // namespace

bool is_pinned(const Address& a) {
  if (a.class_id == pg_namespace::kOid) return a.object == oid::kPgCatalogSchema;
  if (a.class_id == catalog::pg_largeobject::kOid) return false;  // their numbers are the user's choice
  return a.object < oid::kFirstUserOid;
}

bool exists(DdlContext& c, const Address& a) {
  if (a.class_id == catalog::pg_largeobject::kOid) return large_object_exists(c, a.object);
  std::string image;
  return table(c, a.class_id).find_oid(c.txn, a.object, image);
}

Status lock_mentioned(DdlContext& c, const Address& a) {
  if (is_pinned(a)) return {};
  return lock_object(c, locked_for(c, a), TableLockMode::kAccessShare);
}

Status hold(DdlContext& c, const Address& a) {
  INDIGO_TRY(lock_mentioned(c, a));
  const Kind& kind = kind_of(a.class_id);
  // Constraints, triggers and other parts go with a relation or a type, which is held itself.
  if (is_pinned(a) || kind.class_id == kInvalidOid || exists(c, a)) return {};
  return Error(kind.state,
               std::string(kind.name) + " with OID " + std::to_string(a.object) + " was concurrently dropped");
}

Status lock_role(DdlContext& c, Oid role, TableLockMode mode) {
  return check(c.store().locks().lock_table(c.store().lock_owner(c.txn), catalog::lock_object(kInvalidOid, role), mode,
                                            true, c.txn.lock_timeout()));
}

Status hold_role(DdlContext& c, Oid role) {
  if (role < oid::kFirstUserOid) return {};
  INDIGO_TRY(lock_role(c, role, TableLockMode::kAccessShare));
  if (exists(c, {pg_authid::kOid, role, 0})) return {};
  return Error(sqlstate::kUndefinedObject, "role " + std::to_string(role) + " was concurrently dropped");
}

}  // namespace indigo::engine::ddl
