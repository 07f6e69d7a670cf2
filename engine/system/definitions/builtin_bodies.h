// The bodies of PostgreSQL's own functions in SQL (RETURN ..., BEGIN ATOMIC ...), for definitions that show them.
// Thread safety: constants.
#pragma once

#include <string_view>

#include "types/oids.h"

namespace indigo::engine {

// Empty: the function has none.
std::string_view builtin_body(Oid function);

}  // namespace indigo::engine
