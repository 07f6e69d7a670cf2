// citext 1.6: text that compares without regard to case, as the database's ctype C has it: ASCII letters.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "types/extension/extension.h"

namespace indigo::types {

std::string citext_definitions();

}  // namespace indigo::types
