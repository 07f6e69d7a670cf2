// libpg_query reports messages without SQLSTATE and hint: both are restored here from the message, as PostgreSQL 15's
// grammar and scanner raise them.
// Thread safety: pure function.
#pragma once

#include <string>

#include "base/error.h"

namespace indigo::sql {

// position: 1-based character, 0 when unknown.
Error parse_error(std::string message, int position);

}  // namespace indigo::sql
