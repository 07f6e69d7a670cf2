#include "catalog/object_privileges.h"

#include "catalog/database.h"
#include "catalog/tables/system_table.h"
#include "storage/table.h"
#include "types/oids.h"

namespace indigo::catalog {

namespace {

constexpr uint32_t kEverything = 0xffff;
constexpr uint32_t kReading = types::kPrivilegeSelect;
constexpr uint32_t kWriting = types::kPrivilegeInsert | types::kPrivilegeUpdate | types::kPrivilegeDelete;

uint32_t listed(SessionCatalog& catalog, const types::Acl& acl, Oid user, bool options) {
  uint32_t out = 0;
  for (const types::AclItem& item : acl) {
    const uint32_t bits = options ? item.options : item.privileges;
    if ((bits & ~out) == 0) continue;
    const bool concerned = item.grantee == kInvalidOid ? !options : catalog.has_privileges_of(user, item.grantee);
    if (concerned) out |= bits;
  }
  return out;
}

// What roles of every instance add.
uint32_t from_predefined_roles(SessionCatalog& catalog, const ObjectAcl& object, Oid user) {
  const bool relation = object.kind == 'r' || object.kind == 'S';
  if (!relation && object.kind != 'n') return 0;
  uint32_t out = 0;
  if (catalog.has_privileges_of(user, oid::kReadAllDataRole)) out |= relation ? kReading : types::kPrivilegeUsage;
  if (catalog.has_privileges_of(user, oid::kWriteAllDataRole)) out |= relation ? kWriting : types::kPrivilegeUsage;
  return out;
}

// The type whose list counts for `type`.
Oid granted_type(SessionCatalog& catalog, Oid type) {
  const auto info = catalog.type(type);
  if (info == nullptr) return type;
  if (info->is_array()) return info->element;
  return info->kind == 'm' ? info->range_partner : type;
}

types::Acl default_list(char kind, Oid owner) {
  switch (kind) {
    case 't': return {{owner, owner, types::kPrivilegeCreate, 0}};
    case 'F': return {{owner, owner, types::kPrivilegeUsage, 0}};
    default: return types::default_acl(kind, owner);
  }
}

}  // namespace

ObjectAcl read_object_acl(SessionCatalog& catalog, const AclSource& source, Oid object) {
  ObjectAcl out;
  if (source.table == pg_type::kOid) object = granted_type(catalog, object);
  const SystemTable* table = catalog.database_object().find_table(source.table);
  catalog.reading([&](storage::Transaction& txn) {
    std::string image;
    if (table == nullptr || !table->find_oid(txn, object, image)) return;
    const RowReader row = table->reader(image);
    out.found = true;
    out.owner = row.oid(source.owner);
    out.kind = source.default_kind;
    if (source.table == pg_class::kOid) {
      const char relkind = row.chr(pg_class::c_relkind);
      if (relkind == 'S') out.kind = 'S';
      out.system_catalog = object < oid::kFirstUnpinnedOid && relkind != 'v';
    }
    out.own_temporary = source.table == pg_namespace::kOid && object == catalog.temp_schema();
    out.acl = row.is_null(source.acl) ? default_list(out.kind, out.owner) : types::read_acl(row.str(source.acl));
  });
  return out;
}

ObjectAcl read_parameter_acl(SessionCatalog& catalog, std::string_view name) {
  ObjectAcl object{false, oid::kBootstrapSuperuser, {}, 'P', false};
  catalog.system_table_rows(pg_parameter_acl::kOid, -1, {}, [&](const RowReader& row) {
    object.found = row.str(pg_parameter_acl::c_parname) == name;
    if (object.found && !row.is_null(pg_parameter_acl::c_paracl))
      object.acl = types::read_acl(row.str(pg_parameter_acl::c_paracl));
    return !object.found;
  });
  return object;
}

uint32_t held_privileges(SessionCatalog& catalog, const ObjectAcl& object, Oid user) {
  if (catalog.is_superuser(user)) return kEverything;
  if (object.own_temporary) {
    const uint32_t held = object_privileges(catalog, kDatabaseAcl, catalog.database(), user);
    return (held & types::kPrivilegeTemp) != 0 ? kEverything : static_cast<uint32_t>(types::kPrivilegeUsage);
  }
  uint32_t held = listed(catalog, object.acl, user, false) | from_predefined_roles(catalog, object, user);
  if (object.system_catalog) held &= ~(kWriting | types::kPrivilegeTruncate | types::kPrivilegeUsage);
  return held;
}

uint32_t held_options(SessionCatalog& catalog, const ObjectAcl& object, Oid user) {
  if (catalog.has_privileges_of(user, object.owner)) return kEverything;
  return listed(catalog, object.acl, user, true);
}

uint32_t object_privileges(SessionCatalog& catalog, const AclSource& source, Oid object, Oid user) {
  if (catalog.is_superuser(user)) return kEverything;
  const ObjectAcl found = read_object_acl(catalog, source, object);
  return found.found ? held_privileges(catalog, found, user) : kEverything;
}

uint32_t column_privileges(SessionCatalog& catalog, Oid relation, int16_t number, Oid user) {
  const SystemTable* attributes = catalog.database_object().find_table(pg_attribute::kOid);
  std::vector<types::Acl> lists;
  catalog.reading([&](storage::Transaction& txn) {
    attributes->scan(txn, {Datum::of_oid(relation)}, [&](RowReader row) {
      const int16_t found = row.i16(pg_attribute::c_attnum);
      if (number == 0 ? found < 0 : found != number) return true;
      if (row.flag(pg_attribute::c_attisdropped) || row.is_null(pg_attribute::c_attacl)) return true;
      lists.push_back(types::read_acl(row.str(pg_attribute::c_attacl)));
      return true;
    });
  });
  uint32_t out = 0;
  for (const types::Acl& acl : lists) out |= listed(catalog, acl, user, false);
  return out;
}

}  // namespace indigo::catalog
