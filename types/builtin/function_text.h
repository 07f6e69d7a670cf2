// Texts of function arguments' defaults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace indigo::types {

// "1, 'a, b'::text, f(x, y)" into its expressions: split at commas outside quotes and parentheses.
std::vector<std::string> split_default_texts(std::string_view text);

}  // namespace indigo::types
