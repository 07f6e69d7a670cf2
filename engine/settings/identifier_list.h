// Comma lists of identifiers, as search_path has them: `"$user", public`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace indigo::engine {

// Unquoted names are folded to lower case; nullopt when the syntax is wrong.
std::optional<std::vector<std::string>> split_identifier_list(std::string_view text);

}  // namespace indigo::engine
