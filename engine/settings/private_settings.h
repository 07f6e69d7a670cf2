// Settings that tell of the machine: shown to superusers and to who acts for pg_read_all_settings.
// Thread safety: one session.
#pragma once

#include <string_view>

#include "base/error.h"

namespace indigo::catalog {
class SessionCatalog;
}

namespace indigo::engine {

bool may_see_setting(catalog::SessionCatalog& catalog, std::string_view name);
// 42501 when it may not be seen.
Status check_may_see_setting(catalog::SessionCatalog& catalog, std::string_view name);

}  // namespace indigo::engine
