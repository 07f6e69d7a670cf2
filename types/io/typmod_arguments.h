// What stands in parentheses behind a type's name, as the numbers that nearly all modifiers are.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace indigo::types {

// 22P02 for what is no integer, 22003 for one that is too large.
Result<std::vector<int32_t>> integer_arguments(std::span<const std::string> arguments);

}  // namespace indigo::types
