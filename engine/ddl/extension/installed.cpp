// Extensions that are there: look-up, members, DROP.
#include "catalog/tables/system_table.h"
#include "engine/ddl/extension/extension.h"

namespace indigo::engine::ddl {

std::optional<InstalledExtension> installed_extension(DdlContext& c, std::string_view name) {
  std::optional<InstalledExtension> out;
  table(c, pg_extension::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_extension::c_extname) != name) return true;
    out = InstalledExtension{.oid = row.oid(pg_extension::c_oid),
                             .owner = row.oid(pg_extension::c_extowner),
                             .schema = row.oid(pg_extension::c_extnamespace),
                             .name = std::string(name),
                             .version = std::string(row.str(pg_extension::c_extversion)),
                             .relocatable = row.flag(pg_extension::c_extrelocatable)};
    return false;
  });
  return out;
}

namespace {

Error no_extension(std::string_view name) {
  return Error(sqlstate::kUndefinedObject, "extension " + quoted(name) + " does not exist");
}

}  // namespace

Result<InstalledExtension> own_extension(DdlContext& c, std::string_view name) {
  const auto found = installed_extension(c, name);
  if (!found) return no_extension(name);
  INDIGO_TRY(check_owner(c, found->owner, "extension", name));
  return *found;
}

Result<std::optional<Address>> find_dropped_extension(DdlContext& c, std::string_view name, bool missing_ok) {
  if (missing_ok && !installed_extension(c, name)) {
    notice(c, no_extension(name).message + ", skipping");
    return std::optional<Address>();
  }
  INDIGO_ASSIGN(const InstalledExtension found, own_extension(c, name));
  if (found.oid < oid::kFirstUserOid) return unsupported("dropping extension " + quoted(name));
  return std::optional<Address>(Address{pg_extension::kOid, found.oid, 0});
}

Status record_membership(DdlContext& c, const Address& object) {
  c.host.made(object.class_id, object.object, c.extension != kInvalidOid);
  if (c.extension == kInvalidOid) return {};
  return record_dependency(c, object, {pg_extension::kOid, c.extension, 0}, 'e');
}

}  // namespace indigo::engine::ddl
