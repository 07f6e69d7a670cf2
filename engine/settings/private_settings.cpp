#include "engine/settings/private_settings.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/settings/setting_table.h"
#include "types/oids.h"

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

}  // namespace indigo::engine
