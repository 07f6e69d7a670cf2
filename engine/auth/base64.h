// Base64 as SCRAM uses it: standard alphabet, padded, nothing else in between.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace indigo::engine::auth {

std::string base64_encode(std::string_view bytes);
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace indigo::engine::auth
