// Comma lists of identifiers, as search_path has them: `"$user", public`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace indigo::engine {

// Unquoted names are folded to lower case; nullopt when the syntax is wrong.
std::optional<std::vector<std::string>> split_identifier_list(std::string_view text);
// With quotes where SQL needs them.
std::string quote_identifier(std::string_view name);

}  // namespace indigo::engine
