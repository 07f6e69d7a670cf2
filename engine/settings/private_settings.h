// Who may see and set a setting. Those that tell of the machine are shown to superusers and to who acts for
// pg_read_all_settings; superusers' are set by them and by roles with SET ON PARAMETER.
// Thread safety: one session.
#pragma once

#include <string_view>

#include "base/error.h"
#include "base/ids.h"

namespace indigo::catalog {
class SessionCatalog;
}

namespace indigo::engine {

bool may_see_setting(catalog::SessionCatalog& catalog, std::string_view name);
// 42501 when it may not be seen.
Status check_may_see_setting(catalog::SessionCatalog& catalog, std::string_view name);

// Whether `role` sets what superusers set.
bool may_set_as_superuser(catalog::SessionCatalog& catalog, Oid role, std::string_view name);

}  // namespace indigo::engine
