// Connection strings as subscriptions keep them: "host=h port=5432 dbname='a b'", or postgresql://user@host/database.
// Thread safety: pure functions.
#pragma once

#include <string_view>

#include "base/error.h"

namespace indigo::engine::ddl {

// 42601 for a text that libpq could not read; values are not looked at, and of the second form only its beginning.
Status check_connection_string(std::string_view text);

}  // namespace indigo::engine::ddl
