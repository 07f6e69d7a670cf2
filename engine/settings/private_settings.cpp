#include "engine/settings/private_settings.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/object_privileges.h"
#include "engine/settings/setting_table.h"
#include "types/oids.h"
#include "types/text/ascii.h"

namespace indigo::engine {

bool may_see_setting(catalog::SessionCatalog& catalog, std::string_view name) {
  const auto index = find_setting(name);
  if (!index || !setting_table()[*index].behavior.is_private) return true;
  return catalog.has_privileges_of(catalog.user(), oid::kReadAllSettingsRole);
}

Status check_may_see_setting(catalog::SessionCatalog& catalog, std::string_view name) {
  if (may_see_setting(catalog, name)) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               "must be superuser or have privileges of pg_read_all_settings to examine \"" + std::string(name) + "\"");
}

bool may_set_as_superuser(catalog::SessionCatalog& catalog, Oid role, std::string_view name) {
  if (catalog.is_superuser(role)) return true;
  const auto index = find_setting(name);
  if (!index) return false;
  const SettingDefinition& d = setting_table()[*index];
  if (d.context != SettingContext::kSuperuser && d.context != SettingContext::kSuperuserBackend) return false;
  const catalog::ObjectAcl acl = catalog::read_parameter_acl(catalog, types::to_lower(d.name));
  return (catalog::held_privileges(catalog, acl, role) & types::kPrivilegeSet) != 0;
}

}  // namespace indigo::engine
